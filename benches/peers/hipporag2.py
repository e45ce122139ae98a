#!/usr/bin/env python3
"""The published HippoRAG 2 beside ours: the same facts, phrases and vectors, one difference at a time. See README.md.

Nothing of the published code is changed or copied: it runs from a checkout (github.com/OSU-NLP-Group/HippoRAG) through its
own `index` and `retrieve`, with stand-ins for what it would ask a language model (facts are read from its own file of
facts, its filter keeps all) and an embedding model (texts are looked up), and an exact search for neighbours without
torch. Each row of a table turns one thing back into what the published code does, or into what ours did before.
"""

import argparse
import contextlib
import importlib.machinery
import io
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import time
import types
from dataclasses import dataclass

import numpy as np

from linearrag import compared, told
from peers import bench_binary

# What its files import for models that are not asked here.
ABSENT = ("torch", "transformers", "openai", "tenacity", "litellm", "vllm", "gritlm", "tiktoken", "boto3", "botocore", "httpx",
          "filelock", "nest_asyncio", "einops", "sentence_transformers", "outlines", "requests", "packaging")


@dataclass(frozen=True)
class Rules:
    """Where the published code is made to do as ours does (the default) or left as it is; and what ours did before."""

    phrases: str = "form"  # or "letters": what is no ASCII letter or digit is a space, of the facts as they were read
    vectors: str = "ours"  # or "texts": of lower-case phrases, and of facts as printed tuples
    alike: str = "found"  # or "all": the small-world graph misses few
    ties: str = "number"  # or "set": facts in the order of a sort that is not stable, phrases in that of a Python set
    facts: str = "twice"  # or "once": from one side only; its sum with the cosine is "added"


CAUSES = {
    "everything as ours": Rules(),
    "ties as they come": Rules(ties="set"),
    "all phrases alike": Rules(alike="all"),
    "phrases by its letters": Rules(phrases="letters"),
    "and vectors of its texts": Rules(phrases="letters", vectors="texts"),
    "all of these": Rules("letters", "texts", "all", "set"),
    "before: edges from one side": Rules(facts="once"),
    "before: cosine added, not instead": Rules(facts="added"),
    "before: both": Rules(facts="added once"),
}


class Absent(types.ModuleType):
    """A module with a class for whatever is asked of it."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda self, *_, **__: None, "__class_getitem__": classmethod(lambda c, _: c)})


class Absents:
    """Finds those modules, and what lies in them."""

    def find_spec(self, name, _path=None, _target=None):
        if name.split(".")[0] in ABSENT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = Absent(spec.name)
        if spec.name == "tenacity":
            module.retry = lambda *_, **__: lambda function: function
        return module

    def exec_module(self, _module):
        pass


def load(checkout):
    """Its module and its settings."""
    sys.path.insert(0, os.path.join(checkout, "src"))
    sys.meta_path.append(Absents())
    from hipporag import HippoRAG as _
    from hipporag.utils.config_utils import BaseConfig

    module = sys.modules["hipporag.HippoRAG"]
    module.tqdm = lambda all, **_: all
    logging.disable(logging.WARNING)
    return module, BaseConfig


def form(text):
    """Two phrases are one where this is the same: as `Norm::Simple`."""
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


class Data:
    """What our side wrote, and the vectors of more texts on request."""

    def __init__(self, folder, beside, ask):
        load = lambda name: np.load(f"{folder}/{name}.npy")
        lines = lambda path: [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]
        self.folder, self.ask = folder, ask
        self.passages, self.phrases, self.facts, self.alike, self.questions = (
            lines(f"{folder}/{name}.jsonl") for name in ("passages", "phrases", "facts", "alike", "questions"))
        self.vectors = {name: load(name) for name in ("passage", "phrase", "fact", "question")}
        self.raw = {}
        if beside:
            self.raw = {line["_id"]: line["triples"] for line in lines(f"{beside}/openie.jsonl")}

    def embed(self, texts):
        """The vectors of texts, as ours keeps them."""
        with open(f"{self.folder}/texts.jsonl", "w", encoding="utf-8") as out:
            out.writelines(json.dumps(text) + "\n" for text in texts)
        self.ask(f"embed {self.folder}/texts.jsonl {self.folder}/texts.npy")
        return np.load(f"{self.folder}/texts.npy")

    def given(self, rules, text_processing):
        """Of every passage its facts, as the published code reads them; the vectors and our numbers of phrases and facts."""
        if rules.phrases == "form":
            return self.tokens()
        phrases = {form(label): number for number, label in enumerate(self.phrases)}
        facts = {(*fact["ends"], form(fact["text"])): number for number, fact in enumerate(self.facts)}
        of_passage, known, own = [], {}, {}
        for passage in self.passages:
            triples = [t for t in self.raw.get(passage["id"], []) if len(t) == 3]
            of_passage.append(triples)
            for triple in triples:
                made = tuple(text_processing(triple))
                ends = [phrases.get(form(triple[at])) for at in (0, 2)]
                fact = facts.get((*ends, form(" ".join(triple))))
                for text, number in zip((made[0], made[2]), ends):
                    own.setdefault(text, ("phrase", number))
                own.setdefault(str(made), ("fact", fact))
        if rules.vectors == "texts":
            known = dict(zip(own, self.embed(list(own))))
        else:
            none = np.zeros(self.vectors["phrase"].shape[1], np.float32)
            print("ours has none of:", [text for text, (_, n) in own.items() if n is None], file=sys.stderr)
            known = {text: none if n is None else self.vectors[kind][n] for text, (kind, n) in own.items()}
        return of_passage, known, {text: n for text, (_, n) in own.items() if n is not None}

    def tokens(self):
        """Our phrases as they are, each once, with as many letters for the published code to count."""
        numbers = {}
        for number, label in enumerate(self.phrases):
            text = re.sub("[^a-z0-9 ]", "x", form(label))
            while numbers.setdefault(text, number) != number:
                text += "'"
        token = list(numbers)
        known = {text: self.vectors["phrase"][number] for text, number in numbers.items()}
        of_passage = [[] for _ in self.passages]
        for number, fact in enumerate(self.facts):
            one, other = fact["ends"]
            triple = [token[one], f"{fact['text']} #{number}", token[other]]
            numbers[str(tuple(triple))] = number
            known[str(tuple(triple))] = self.vectors["fact"][number]
            for passage in fact["passages"]:
                of_passage[passage].append(triple)
        return of_passage, known, numbers


class Encoder:
    """Texts have their vectors already."""

    def __init__(self, known):
        self.known = known

    def batch_encode(self, texts, **_):
        return np.array([self.known[text] for text in texts], dtype=np.float32)


class Numbered(set):
    """A set that gives phrases in the order of our numbers."""

    numbers = {}

    def __iter__(self):
        own = list(super().__iter__())
        if own and all(isinstance(one, tuple) and len(one) == 2 for one in own):
            own.sort(key=lambda one: self.numbers.get(one[0], len(self.numbers)))
        return iter(own)


def neighbours(data, rules, numbers, least):
    """In the place of its search: every phrase with those at least so close, best first. It stops at the first that is farther."""
    found = {}
    if rules.alike == "found":
        for one, other, cosine in data.alike:
            if cosine >= least:
                found.setdefault(one, []).append((other, cosine))
                found.setdefault(other, []).append((one, cosine))

    def search(query_ids, key_ids, query_vecs, key_vecs, k, **_):
        keys = np.asarray(key_vecs, np.float32)
        lengths = np.linalg.norm(keys, axis=1, keepdims=True)
        keys = keys / np.maximum(lengths, 1e-12)
        out = {}
        if rules.alike == "found":
            key = {numbers[text]: id for id, text in search.texts.items() if text in numbers}
            for id in query_ids:
                near = sorted(found.get(numbers.get(search.texts[id]), []), key=lambda hit: -hit[1])
                near = [hit for hit in near if hit[0] in key]
                out[id] = ([key[other] for other, _ in near], [cosine for _, cosine in near])
            return out
        for start in range(0, len(query_ids), 1000):
            cosines = keys[start:start + 1000] @ keys.T
            for id, row in zip(query_ids[start:], cosines):
                near = np.flatnonzero(row >= least)
                near = near[np.argsort(-row[near], kind="stable")][:k]
                out[id] = ([key_ids[at] for at in near], row[near].tolist())
        return out

    return search


class Published:
    """The published class over our data."""

    def __init__(self, loaded, data, rules):
        self.module, config = loaded
        module = self.module
        plain = sys.modules["hipporag.utils.misc_utils"].text_processing
        facts, known, numbers = data.given(rules, plain)
        # Equal texts are two passages.
        texts = [f"{passage['text']} #{at}" for at, passage in enumerate(data.passages)]
        self.number = {text: at for at, text in enumerate(texts)}
        known.update(zip(texts, data.vectors["passage"]))
        known.update((q["text"], vector) for q, vector in zip(data.questions, data.vectors["question"]))
        self.questions = [q["text"] for q in data.questions]
        self.folder = tempfile.TemporaryDirectory()
        settings = config(save_dir=self.folder.name, llm_name="none", embedding_model_name="ours",
                          retrieval_top_k=len(texts))
        module.text_processing = plain if rules.phrases == "letters" else lambda text: text
        Numbered.numbers = numbers
        module.set = Numbered if rules.ties == "number" else set
        nobody = types.SimpleNamespace(infer=None)
        self.rag = module.HippoRAG(global_config=settings, extraction_llm=nobody, embedding_model=Encoder(known))
        self.rag.rerank_filter = lambda _question, facts, places, **_: (places, facts, {})
        docs = [{"idx": at, "passage": text, "extracted_entities": [], "extracted_triples": own}
                for at, (text, own) in enumerate(zip(texts, facts))]
        with open(self.rag.openie_results_path, "w", encoding="utf-8") as out:
            json.dump({"docs": docs}, out)
        search = neighbours(data, rules, numbers, settings.synonymy_edge_sim_threshold)
        module.retrieve_knn = search
        self.as_before(rules.facts)
        store = self.rag.entity_embedding_store
        insert = store.insert_strings

        def inserted(texts):
            insert(texts)
            search.texts = dict(store.hash_id_to_text)

        store.insert_strings = inserted
        with contextlib.redirect_stdout(io.StringIO()):
            self.rag.index(texts)
        self.rag.prepare_retrieval_objects()
        if rules.ties == "number":
            self.facts_by_number(numbers)

    def as_before(self, facts):
        """Edges between phrases as ours had them before it was held to the published code."""
        if facts == "twice":
            return
        rag, alike, edges = self.rag, self.rag.add_synonymy_edges, self.rag.add_new_edges

        def synonyms():
            counted, rag.node_to_node_stats = rag.node_to_node_stats, {}
            alike()
            for ends, cosine in rag.node_to_node_stats.items():
                counted[ends] = cosine + (counted.get(ends, 0.0) if "added" in facts else 0.0)
            rag.node_to_node_stats = counted

        def once():
            if "once" in facts:
                for ends in rag.node_to_node_stats:
                    if all(end.startswith("entity-") for end in ends):
                        rag.node_to_node_stats[ends] /= 2
            edges()

        rag.add_synonymy_edges, rag.add_new_edges = synonyms, once

    def facts_by_number(self, numbers):
        """Of facts that are equally close the one with the lower number comes first, and they stay equally close."""
        rag, scores, rerank = self.rag, self.rag.get_fact_scores, self.rag.rerank_facts
        text = rag.fact_embedding_store.hash_id_to_text
        order = np.array([numbers.get(text[key], len(text)) for key in rag.fact_node_keys])
        rag.get_fact_scores = lambda question: np.round(scores(question).astype(float), 6)
        rag.rerank_facts = lambda question, near: rerank(question, near - order * 1e-12)

    def scores(self):
        """Of every question, of every passage; and the seconds of each question."""
        rows, self.seconds = [], []
        for question in self.questions:
            start = time.perf_counter()
            [found] = self.rag.retrieve([question])
            self.seconds.append(time.perf_counter() - start)
            row = np.zeros(len(self.number))
            row[[self.number[text] for text in found.docs]] = found.doc_scores
            rows.append(row)
        return rows


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", help="a checkout of OSU-NLP-Group/HippoRAG")
    parser.add_argument("corpus", nargs="?", default=f"{os.path.dirname(root)}/shared/data/musique-train100")
    parser.add_argument("--rules", action="store_true", help="facts by our rules, not out of openie.jsonl")
    parser.add_argument("--work", default="/tmp/hopscope-hipporag2", help="a folder for what the published code reads")
    parser.add_argument("--binary", help="the built bench, to spare the build")
    parser.add_argument("--causes", default="", help="only rows with this in their name")
    parser.add_argument("--ours", default="", help="settings of ours, as name=value ...")
    args = parser.parse_args()

    binary = args.binary or bench_binary(root)
    beside = None if args.rules or not os.path.exists(f"{args.corpus}/openie.jsonl") else args.corpus
    work = os.path.join(args.work, os.path.basename(os.path.normpath(args.corpus)))
    command = [binary, "--facts", work, "--corpus", args.corpus] + (["--beside", beside] if beside else [])
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    about = json.loads(process.stdout.readline())

    def ask(line):
        process.stdin.write(line + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise SystemExit(f"our side ended with {process.wait()}")
        return json.loads(answer)

    file = f"{work}/ours.jsonl"
    seconds = ask(f"rank {file} fact_filter=off {args.ours}")["seconds"]
    ours = [json.loads(line) for line in open(file)]
    data = Data(work, beside, ask)
    loaded = load(args.checkout)
    print(f"### {os.path.basename(work)}: {about}\n")
    print("| published, with | same top 5 | same top 10 | top 10 shared | Kendall | largest difference | R@5 / R@10 "
          "| a question |\n|" + "---|" * 8)
    for cause, rules in CAUSES.items():
        if args.causes not in cause or (rules.phrases == "letters" and not data.raw):
            continue
        peer = Published(loaded, data, rules)
        c = compared(ours, peer.scores(), data.questions)
        print(f"| {cause} | {c['same5']:.3f} | {c['same10']:.3f} | {c['shared']:.3f} | {c['tau']:.3f} | {c['far']:.1e} "
              f"| {c['r5']:.3f} / {c['r10']:.3f} | {told(peer.seconds)} |", flush=True)
        print(f"{cause}: differ {c['differ'][:12]}", file=sys.stderr)
    print(f"\nours R@5 / R@10 {c['own5']:.3f} / {c['own10']:.3f}, a question {told(seconds)}")
    process.stdin.close()
    process.wait()


if __name__ == "__main__":
    main()
