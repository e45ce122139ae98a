"""A run as a transformer of PyTerrier: pipelines, experiments and operators take it as any other.

>>> from hopscope.pyterrier import Retriever
>>> retriever = Retriever(hopscope.open("my-index"), "hop", k=10)      # doctest: +SKIP
>>> retriever.search("Who discovered the moon Titan?")                 # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

import pandas
import pyterrier

from hopscope import Index


class Retriever(pyterrier.Transformer):
    """Ranks passages of an index for the queries of a data frame (qid, query)."""

    def __init__(self, index: Index, method: str | None = None, k: int | None = None) -> None:
        self.index = index
        self.method = method
        self.k = k

    def __repr__(self) -> str:
        return f"hopscope({self.method or self.index.status()['default_method']})"

    def transform(self, inp: pandas.DataFrame) -> pandas.DataFrame:
        """Adds docno, score and rank (from 0, in the program's own order) to each query."""
        ranked = self.index.rankings(inp["query"].astype(str), self.method, self.k)
        rows: list[dict[str, Any]] = []
        for query, hits in zip(inp.to_dict("records"), ranked):
            for rank, (docno, score) in enumerate(hits):
                rows.append({**query, "docno": docno, "score": score, "rank": rank})
        columns = [*inp.columns, *(c for c in ("docno", "score", "rank") if c not in inp.columns)]
        return pandas.DataFrame(rows, columns=columns)


def topics(index: Index) -> pandas.DataFrame:
    """The question set as topics: qid and query."""
    return pandas.DataFrame([{"qid": q["id"], "query": q["text"]} for q in index.questions()], columns=["qid", "query"])


def qrels(index: Index) -> pandas.DataFrame:
    """The gold as qrels: qid, docno and label."""
    rows = [(q, d, grade) for q, gold in index.qrels().items() for d, grade in gold.items()]
    return pandas.DataFrame(rows, columns=["qid", "docno", "label"])
