"""Ask, explain and evaluate graph retrieval.

>>> import hopscope
>>> index = hopscope.open()                 # the bundled sample; or the path of an index or a corpus
>>> answer = index.ask("Who discovered the moon Titan?", k=2)
>>> answer["passages"][0]["title"]
'Titan'

Answers are plain data: dictionaries, lists, texts and numbers. `frame` makes a data frame of one. A `method` is a RUN, as
the command line writes it: ``hop``, ``graph-rrf@alpha=0.3``, ``hop@ranker=my-ranker.json``. Each answer's fields are listed
by `schema`.
"""

from __future__ import annotations

import builtins
import json
import math
import os
import subprocess
import sys
from typing import Any, Iterable, Mapping, Sequence, Union

from hopscope import _native

__all__ = ["Index", "Refused", "command", "frame", "open", "schema", "write_run"]

Path = Union[str, "os.PathLike[str]"]


class Refused(ValueError):
    """A call that could not be answered: what failed, the remedy, and values to choose from."""

    def __init__(self, error: str, hint: str = "", options: Sequence[str] = ()) -> None:
        self.error = error
        self.hint = hint
        self.options = list(options)
        super().__init__(": ".join(filter(None, [error, hint])))


def open(path: Path | None = None, *, partial: bool = False) -> Index:
    """Opens an index folder, another system's index, or a corpus; without a path the bundled sample.

    A corpus is indexed in memory, as the command line does it. Nothing is written.

    `partial=True`: where several databases hold the index, `ask` answers without those that cannot be reached, and
    `lost` in its answer says what it lacks. Other calls raise `Refused` then.
    """
    return Index(path, partial=partial)


class Index:
    """An open index. Its calls read nothing else and may be made from several threads at once."""

    def __init__(self, path: Path | None = None, *, partial: bool = False) -> None:
        self.path = None if path is None else os.fspath(path)
        try:
            self._open = _native.Open(self.path, partial)
        except ValueError as error:
            raise Refused(str(error)) from None

    @property
    def report(self) -> list[str]:
        """What to know of how it was read: records left out or repaired, a server that is not contacted. Empty if nothing."""
        return self._open.report()

    def __repr__(self) -> str:
        status = self.status()
        return f"<hopscope.Index {status['name']}: {status['passages']} passages, {status['questions']} questions>"

    def _call(self, name: str, max_tokens: int | None = None, **arguments: Any) -> dict[str, Any]:
        given = {key: value for key, value in arguments.items() if value is not None}
        if max_tokens is not None:
            given["max_tokens"] = max_tokens
        try:
            return json.loads(self._open.call(name, json.dumps(given), max_tokens is not None))
        except ValueError as error:
            raise _refused(error) from None

    def status(self) -> dict[str, Any]:
        """Sizes, layers, vectors, questions, the methods that run here, and why the others do not."""
        return self._call("open_status")

    def ask(
        self,
        question: str,
        method: str | None = None,
        k: int | None = None,
        changes: Sequence[Mapping[str, str]] | None = None,
        max_tokens: int | None = None,
    ) -> dict[str, Any]:
        """Retrieves passages for a question, or for one of the set by its identifier.

        `changes` apply to this call alone: ``{"edit": "join Kepler | Johannes Kepler"}``, ``{"set": "alpha=0.3"}``,
        ``{"seed": "Titan=mute"}``. With `max_tokens` the answer keeps within so many tokens, and its field ``left_out``
        names what did not fit.
        """
        return self._call("ask", max_tokens, question=question, method=method, k=k, changes=changes)

    def why(
        self,
        question: str,
        passage: str,
        method: str | None = None,
        k: int | None = None,
        than: str | None = None,
        changes: Sequence[Mapping[str, str]] | None = None,
        max_tokens: int | None = None,
    ) -> dict[str, Any]:
        """Explains a passage's score by its parts and paths; with `than`, compared with another passage."""
        return self._call(
            "why", max_tokens, question=question, passage=passage, method=method, k=k, than=than, changes=changes
        )

    def why_not(
        self,
        question: str,
        passage: str,
        method: str | None = None,
        k: int | None = None,
        repairs: bool = False,
        changes: Sequence[Mapping[str, str]] | None = None,
        max_tokens: int | None = None,
    ) -> dict[str, Any]:
        """Explains why a passage is missing; with `repairs`, lists single changes that bring it in (seconds)."""
        return self._call(
            "why_not", max_tokens, question=question, passage=passage, method=method, k=k, repairs=repairs, changes=changes
        )

    def explain(self, question: str, passage: str, **arguments: Any) -> dict[str, Any]:
        """`why` where the run returns the passage, else `why_not`."""
        found = self.why_not(question, passage, **arguments)
        return self.why(question, passage, **arguments) if found.get("returned") else found

    def compare(
        self,
        first: str,
        second: str,
        question: str | None = None,
        k: int | None = None,
        max_tokens: int | None = None,
    ) -> dict[str, Any]:
        """Compares two runs on a question, or on the question set with intervals and corrected p.

        A run may also be a file: a TREC run, or another system's results as JSON (see `write_run`).
        """
        return self._call("compare", max_tokens, first=first, second=second, question=question, k=k)

    def evaluate(
        self,
        method: str | None = None,
        k: int | None = None,
        per_question: bool = False,
        changes: Sequence[Mapping[str, str]] | None = None,
        max_tokens: int | None = None,
    ) -> dict[str, Any]:
        """Measures a method on the question set: means with 95 % intervals, causes of missed gold, and the list of it."""
        return self._call("evaluate", max_tokens, method=method, k=k, per_question=per_question, changes=changes)

    def questions(self) -> list[dict[str, Any]]:
        """The question set: id, text, type, answers, gold (passage to grade), missing (gold the corpus does not have)."""
        return json.loads(self._open.questions())

    def rankings(
        self, texts: Iterable[str], method: str | None = None, k: int | None = None
    ) -> list[list[tuple[str, float]]]:
        """Passages with their scores for many questions, best first. Runs on all cores."""
        try:
            return self._open.rankings(list(texts), method, k)
        except ValueError as error:
            raise _refused(error) from None

    def run(self, method: str | None = None, k: int | None = None) -> dict[str, dict[str, float]]:
        """The run over the question set: question to passage to score, as `ranx.Run` and ir_measures take it.

        Ties are broken as the program breaks them, by scores that differ in the last digit.
        """
        questions = self.questions()
        ranked = self.rankings([question["text"] for question in questions], method, k)
        return {question["id"]: _untied(hits) for question, hits in zip(questions, ranked)}

    def qrels(self) -> dict[str, dict[str, int]]:
        """The gold of the question set: question to passage to grade, as `ranx.Qrels` and ir_measures take it.

        Gold that the corpus does not have counts with grade 1. Grades are whole numbers there: a fraction is rounded up.
        """
        wanted = {}
        for question in self.questions():
            gold = {passage: -int(-grade // 1) for passage, grade in question["gold"].items()}
            gold.update({passage: 1 for passage in question["missing"]})
            if gold:
                wanted[question["id"]] = gold
        return wanted

    def tune(self, out: Path, **options: Any) -> dict[str, Any]:
        """Learns the order of hop from the gold or from labels, and writes it to `out` as a ranker.

        Options are those of ``hopscope tune``: ``labels="FILE"``, ``questions="FILE"``, ``qrels="FILE"``. The report says
        what it gains on questions that it did not learn from. Use it as ``method=f"hop@ranker={out}"``.
        """
        if self.path is None:
            raise Refused("the bundled sample cannot be tuned", "open an index or a corpus")
        return command("tune", self.path, out=out, **options)


def command(*arguments: Any, **options: Any) -> Any:
    """Runs any command of the program with ``--json`` in a process of its own, and returns what it prints.

    >>> command("methods")[0]["name"]
    'hop'

    An option ``by_type=True`` is ``--by-type``, ``method="hop,bm25"`` is ``--method hop,bm25``, and a list repeats it.
    """
    words = [sys.executable, "-m", "hopscope", *map(str, arguments), "--json"]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(flag)
            elif one is not None and one is not False:
                words.extend([flag, os.fspath(one) if isinstance(one, os.PathLike) else str(one)])
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise Refused(done.stderr.strip() or f"exit code {done.returncode}")
    return json.loads(done.stdout)


def frame(answer: Any, field: str | None = None) -> Any:
    """A data frame of an answer's main list, or of the named field. Needs pandas.

    The main list is the first of these that it has: per_question, passages, measures, parts, verdicts.
    """
    import pandas

    if isinstance(answer, Mapping):
        if field is None:
            field = next((name for name in _MAIN if name in answer), None)
        if field is None or field not in answer:
            raise Refused(f"the answer has no field '{field or ', '.join(_MAIN)}'", options=list(answer))
        answer = answer[field]
    if isinstance(answer, Mapping):
        return pandas.DataFrame.from_dict(answer, orient="index")
    return pandas.DataFrame(answer)


_MAIN = ("per_question", "passages", "measures", "parts", "verdicts")


def write_run(run: Any, path: Path, name: str = "run") -> None:
    """Writes another program's run as a TREC file, which can stand wherever a method is named.

    Takes a `ranx.Run`, a dictionary as `Index.run` returns it, a PyTerrier data frame (qid, docno, score), or what
    ir_measures reads: things with query_id, doc_id and score.
    """
    run = getattr(run, "run", run) if not isinstance(run, Mapping) else run
    if isinstance(run, Mapping):
        rows = [(str(q), str(d), float(s)) for q, hits in run.items() for d, s in hits.items()]
    elif hasattr(run, "columns"):
        rows = [(str(q), str(d), float(s)) for q, d, s in zip(run["qid"], run["docno"], run["score"])]
    else:
        rows = [(str(row.query_id), str(row.doc_id), float(row.score)) for row in run]
    rows.sort(key=lambda row: (row[0], -row[2]))
    ranks: dict[str, int] = {}
    with builtins.open(path, "w", encoding="utf-8") as file:
        for query, document, score in rows:
            ranks[query] = ranks.get(query, 0) + 1
            file.write(f"{query} Q0 {document} {ranks[query]} {score!r} {name}\n")


def schema() -> dict[str, Any]:
    """The JSON schemas of all calls, with a version that changes when a field goes or means something else."""
    return json.loads(_native.schema())


def _refused(error: ValueError) -> Refused:
    try:
        said = json.loads(str(error))
        return Refused(said["error"], said["hint"], said.get("options", ()))
    except (ValueError, TypeError, KeyError):
        return Refused(str(error))


def _untied(hits: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Scores that strictly descend, so that whoever sorts by score alone has the same order."""
    scores: dict[str, float] = {}
    last = float("inf")
    for passage, score in hits:
        last = min(score, math.nextafter(last, -math.inf))
        scores[passage] = last
    return scores
