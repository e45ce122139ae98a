#!/usr/bin/env python3
"""The published LightRAG beside ours: the same graph, the same vectors, its own code for what comes after. See README.md.

Nothing of the published code is changed or copied: its package (`pip install lightrag-hku`) searches the graph and merges
texts through its own functions. In the place of its storages stand the files of the folder, in that of its embedding model
vectors of hashed words, which a small server on this machine gives our side too, and in that of a model's keywords the
question.
"""

import argparse
import asyncio
import json
import logging
import os
import random
import subprocess
import sys
import tempfile

import networkx
import numpy as np
from lightrag import operate
from lightrag.base import QueryParam

from words import hashed, serve, unit

MODES = ("local", "global", "hybrid", "mix")
SEP = "<SEP>"
DIMS = 128
# As many texts as it hands on (`chunk_top_k`).
TEXTS = 20
# Cosines nearer than this are equal: ours are kept in 8 bits.
EQUAL = 0.004


def vector(text):
    return unit(hashed(text, DIMS))


class Graph:
    """Its graph storage, read only."""

    def __init__(self, graph):
        self.graph = graph

    async def get_nodes_batch(self, names):
        return {name: dict(self.graph.nodes[name]) for name in names if name in self.graph}

    async def node_degrees_batch(self, names):
        return {name: self.graph.degree(name) for name in names if name in self.graph}

    async def get_nodes_edges_batch(self, names):
        return {name: list(self.graph.edges(name)) for name in names if name in self.graph}

    async def get_edges_batch(self, pairs):
        ends = [(pair["src"], pair["tgt"]) for pair in pairs]
        return {pair: dict(self.graph.edges[pair]) for pair in ends if self.graph.has_edge(*pair)}

    async def edge_degrees_batch(self, pairs):
        return {pair: sum(self.graph.degree(end) for end in pair) for pair in pairs}


class Vectors:
    """Its vector storage: rows with vectors, nearest first, without its least cosine."""

    cosine_better_than_threshold = 0

    def __init__(self, rows, texts):
        self.rows = rows
        self.matrix = np.array([vector(text) for text in texts])

    async def query(self, _query, top_k, query_embedding=None):
        cosines = self.matrix @ np.asarray(query_embedding)
        order = [at for at in np.argsort(-cosines, kind="stable")[:top_k] if cosines[at] > 0]
        return [{**self.rows[at], "distance": float(cosines[at])} for at in order]

    async def get_vectors_by_ids(self, ids):
        places = {row["id"]: at for at, row in enumerate(self.rows)}
        return {one: self.matrix[places[one]].tolist() for one in ids if one in places}


class Texts:
    """Its storage of texts."""

    def __init__(self, chunks, embed):
        self.chunks, self.embedding_func = chunks, embed
        self.global_config = {"kg_chunk_pick_method": "VECTOR", "related_chunk_number": 5}

    async def get_by_ids(self, ids):
        return [self.chunks.get(one) for one in ids]


class Published:
    def __init__(self, folder):
        graph = networkx.read_graphml(os.path.join(folder, "graph_chunk_entity_relation.graphml"))
        with open(os.path.join(folder, "kv_store_text_chunks.json"), encoding="utf-8") as file:
            chunks = json.load(file)
        # What no file has is left out of the lists of sources, as ours leaves it out.
        for _, attributes in [*graph.nodes(data=True), *((0, edge) for *_, edge in graph.edges(data=True))]:
            sources = [one for one in attributes.get("source_id", "").split(SEP) if one in chunks]
            attributes["source_id"] = SEP.join(dict.fromkeys(sources))

        async def embed(texts, **_):
            return [vector(text) for text in texts]

        names = list(graph.nodes)
        about = [f"{name} {graph.nodes[name].get('description', '')}" for name in names]
        self.entities = Vectors([{"entity_name": name} for name in names], about)
        edges = list(graph.edges(data=True))
        said = [f"{e.get('keywords', '')} {a} {b} {e.get('description', '')}" for a, b, e in edges]
        self.relations = Vectors([{"src_id": a, "tgt_id": b} for a, b, _ in edges], said)
        rows = [{"id": one, "content": chunk["content"]} for one, chunk in chunks.items()]
        self.chunks = Vectors(rows, [row["content"] for row in rows])
        self.texts, self.graph = Texts(chunks, embed), Graph(graph)
        self.cosines = lambda question: dict(zip(chunks, self.chunks.matrix @ vector(question)))
        self.edges = edges

    def ask(self, question, mode):
        """The first texts, as they go on to its model."""
        param = QueryParam(mode=mode, top_k=40, chunk_top_k=TEXTS)
        return asyncio.run(self.find(question, param))[:TEXTS]

    async def find(self, question, param):
        storages = self.graph, self.entities, self.relations, self.texts
        found = await operate._perform_kg_search(question, question, question, *storages, param, self.chunks)
        merged = await operate._merge_all_chunks(
            found["final_entities"], found["final_relations"], found["vector_chunks"], question, self.graph, self.texts,
            param, self.chunks, found["chunk_tracking"], found["query_embedding"])
        return [chunk["chunk_id"] for chunk in merged]


def same(ours, theirs, cosines):
    """Whether two lists are one, where texts of equal closeness may stand in either order."""
    pairs = zip(ours, theirs)
    near = all(a == b or abs(cosines[a] - cosines[b]) < EQUAL for a, b in pairs)
    return len(ours) == len(theirs) and near


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="a folder of LightRAG")
    parser.add_argument("--program", default="target/release/hopscope")
    parser.add_argument("--questions", type=int, default=50)
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    encoder = serve(vector)
    published = Published(args.folder)
    # Of relations drawn by a seed, the first words of what is said of them.
    drawn = random.Random(1).sample(published.edges, min(args.questions, len(published.edges)))
    questions = [" ".join((edge.get("description") or f"{a} {b}").split(SEP)[0].split()[:12]) for a, b, edge in drawn]
    rows = []
    with tempfile.TemporaryDirectory() as home:
        index = os.path.join(home, "index")
        run = lambda *words: subprocess.run([args.program, *words, "--encoder", encoder], check=True, capture_output=True, text=True,
                                            env={**os.environ, "HOPSCOPE_HOME": home}).stdout
        run("import", args.folder, "--out", index)
        for mode in MODES:
            equal, shared, differs = 0, 0, []
            for question in questions:
                told = run("ask", index, question, "--method", f"lightrag-{mode}", "--top", str(TEXTS), "--json")
                ours = [hit["id"] for hit in json.loads(told)["passages"]]
                theirs = published.ask(question, mode)
                shared += len({*ours[:10]} & {*theirs[:10]}) / max(1, len(theirs[:10]))
                if same(ours, theirs, published.cosines(question)):
                    equal += 1
                else:
                    differs.append((question, ours, theirs))
            rows.append(f"| lightrag-{mode} | {equal} of {len(questions)} | {shared / len(questions):.3f} |")
            for question, ours, theirs in differs[:2]:
                print(f"{mode}: {question}\n  ours   {ours}\n  theirs {theirs}", file=sys.stderr)
    print(f"| method | the same {TEXTS} texts in order | of the first ten in common |\n|---|---|---|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
