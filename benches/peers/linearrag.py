#!/usr/bin/env python3
"""The published LinearRAG beside ours: the same names, sentences and vectors, one difference at a time. See README.md.

Nothing of the published code is changed or copied: it runs from a checkout (github.com/DEEP-PolyU/LinearRAG), with stand-ins
for what it would ask spaCy and an embedding model. Its texts are given as strings that carry their vector, and passages
that can count a name by our mentions; each row of a table turns one of these back into what the published code does.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import types
from dataclasses import dataclass, replace

import numpy as np

from peers import bench_binary

# As its files have them.
SETTINGS = {
    "config.py": dict(max_iterations=3, top_k_sentence=1, iteration_threshold=0.5, passage_ratio=1.5),
    "run.py": dict(max_iterations=3, top_k_sentence=3, iteration_threshold=0.4, passage_ratio=2.0),
    "run.sh, musique": dict(max_iterations=5, top_k_sentence=4, iteration_threshold=0.1, passage_ratio=2.0),
    "run.sh, hotpotqa": dict(max_iterations=3, top_k_sentence=1, iteration_threshold=0.4, passage_ratio=0.05),
}
# The same said to ours, which does not count the seeds as a round.
OURS = {
    "max_iterations": lambda x: f"linear_rounds={x - 1}",
    "top_k_sentence": lambda x: f"linear_sentences={x}",
    "iteration_threshold": lambda x: f"linear_threshold={x}",
    "passage_ratio": lambda x: f"linear_passage_ratio={x}",
}


@dataclass(frozen=True)
class Rules:
    """Where the published code is made to do as ours does (the default) or left as it is."""

    edges: str = "mentions"  # or "text": occurrences of the name's letters in the passage
    bonus: str = "mentions"  # or "text", in lower case
    names: str = "form"  # or "surface": every spelling is a name of its own
    sentences: str = "place"  # or "text": equal sentences are one
    order: str = "number"  # or "set": names of a sentence in the order of a Python set
    seeds: str = "form"  # or "unknown": those of no known form the nearest; or "nearest": all the nearest
    adjacent: bool = False


CAUSES = {
    "everything as ours": Rules(),
    "names of a sentence in the order of a set": Rules(order="set"),
    "equal sentences are one": Rules(sentences="text"),
    "edges by occurrences in the text": Rules(edges="text"),
    "bonus by occurrences in the text": Rules(bonus="text"),
    "every spelling a name": Rules(names="surface"),
    "unknown names: the nearest": Rules(seeds="unknown"),
    "all names: the nearest, by its cosine": Rules(seeds="nearest"),
    "passage joined to the next": Rules(adjacent=True),
    "all of these": Rules("text", "text", "surface", "text", "set", "nearest", True),
}


class Text(str):
    """A string with its vector and number."""

    def __new__(cls, text, vector=None, number=None):
        self = super().__new__(cls, text)
        self.vector, self.number = vector, number
        return self

    def __deepcopy__(self, memo):
        return self


class Passage(Text):
    """A passage that counts names by mentions, where it is told to."""

    def told(self, mentions, rules):
        self.mentions, self.rules = mentions, rules
        return self

    def count(self, name):
        written = str.count(self, name)
        # Of a name that is written otherwise here the published code would count nothing, and divide by it.
        return written if self.rules.edges == "text" and written else self.mentions.get(name, 0)

    def lower(self):
        return Lower(str.lower(self)).of(self)


class Lower(str):
    def of(self, passage):
        self.passage = passage
        return self

    def count(self, name):
        if self.passage.rules.bonus == "text":
            return str.count(self, name)
        return self.passage.mentions.get(getattr(name, "whole", name), 0)


class Name(Text):
    """A name that knows itself in lower case."""

    def lower(self):
        low = Text(str.lower(self))
        low.whole = self
        return low


class Encoder:
    """Texts bring their vectors."""

    def encode(self, texts, **_):
        if isinstance(texts, Text):
            return texts.vector
        return np.array([text.vector for text in texts], dtype=np.float32)


class Data:
    """What our side wrote, in the form the rules ask for."""

    def __init__(self, folder):
        load = lambda name: np.load(f"{folder}/{name}.npy")
        lines = lambda name: [json.loads(line) for line in open(f"{folder}/{name}.jsonl", encoding="utf-8")]
        self.labels = json.load(open(f"{folder}/names.json", encoding="utf-8"))["labels"]
        self.passages, self.questions = lines("passages"), lines("questions")
        self.vectors = {name: load(name) for name in ("passage", "name", "sentence", "question", "surface")}

    def given(self, rules):
        """Passages, names of each, names by sentence, and questions with their names."""
        dims = self.vectors["name"].shape[1]
        chance = np.random.default_rng(1)
        names, by_surface = {}, {}

        def name(entity, surface):
            """One node: the entity, or one of its spellings."""
            key = surface if rules.names == "surface" else entity
            if key not in names:
                own = chance.normal(size=dims)
                # Two halves: by form a name is found by the second, which is like no other; by closeness by the first.
                vector = np.concatenate([self.vectors["name"][entity], own / np.linalg.norm(own)])
                text = surface if rules.names == "surface" else self.labels[entity]
                while by_surface.setdefault(text, key) != key:
                    text += "'"  # Another name that is written the same.
                names[key] = Name(text, vector, entity)
            return names[key]

        passages, of_passage, of_sentence = [], [], {}
        number = 0
        for p, passage in enumerate(self.passages):
            mentions = {}
            for entity, surface in passage["mentions"]:
                own = name(entity, surface)
                mentions[own] = mentions.get(own, 0) + 1
            text = f"{p}:{passage['text']}" if rules.adjacent else f"{passage['text']} #{p}"
            passages.append(Passage(text, self.vectors["passage"][p], p).told(mentions, rules))
            of_passage.append(list(mentions))
            for text, inside in passage["sentences"]:
                key = text if rules.sentences == "text" else f"{text} #{number}"
                sentence = Text(key, self.vectors["sentence"][number])
                number += 1
                for entity, surface in inside:
                    known = of_sentence.setdefault(sentence, [])
                    own = name(entity, surface)
                    if own not in known:
                        known.append(own)
        # Every name has a sentence there; one that stands in a title alone gets one that is close to nothing.
        inside = {own for all in of_sentence.values() for own in all}
        for own in names.values():
            if own not in inside:
                of_sentence[Text(f"# {own} #", np.zeros(dims, np.float32))] = [own]
        # A form that is known by several spellings is asked for by the first.
        first = {}
        for own in names.values():
            first.setdefault(own.number, own)
        questions = []
        nothing = np.zeros(dims, np.float32)
        for q, question in enumerate(self.questions):
            near, unknown = [], []
            for surface, at, known in question["names"]:
                near.append(Text(surface, np.concatenate([self.vectors["surface"][at], nothing])))
                if not known:
                    unknown.append(near[-1])
            seeds = [first[entity] for entity in question["seeds"] if entity in first]
            exact = [Text(str(own), np.concatenate([nothing, own.vector[dims:]])) for own in seeds]
            asked = {"form": exact, "unknown": exact + unknown, "nearest": near}[rules.seeds]
            questions.append((Text(question["text"], self.vectors["question"][q], q), asked))
        return passages, of_passage, of_sentence, questions


class Extractor:
    """In the place of spaCy."""

    def __init__(self, given):
        self.passages, self.of_passage, self.of_sentence, questions = given
        self.questions = {str(text): asked for text, asked in questions}

    def batch_ner(self, passages, _workers):
        names = {str(text): own for text, own in zip(self.passages, self.of_passage)}
        return {key: names[str(text)] for key, text in passages.items()}, self.of_sentence

    def question_ner(self, question):
        return self.questions[str(question)]


class Published:
    """The published class over our data."""

    def __init__(self, checkout, data, rules):
        module, config = load(checkout)
        self.given = data.given(rules)
        module.SpacyNER = lambda _model: Extractor(self.given)
        self.folder = tempfile.TemporaryDirectory()
        self.rag = module.LinearRAG(config(
            dataset_name="peer", embedding_model=Encoder(), working_dir=self.folder.name,
            retrieval_top_k=len(self.given[0]),
        ))
        self.rag.index(self.given[0])
        if rules.order == "number":
            number = lambda key: self.rag.entity_embedding_store.hash_id_to_text[key].number
            for names in self.rag.sentence_hash_id_to_entity_hash_ids.values():
                names.sort(key=number)

    def scores(self, settings):
        """Of every question, of every passage; and the seconds of each question."""
        for name, value in settings.items():
            assert hasattr(self.rag.config, name)
            setattr(self.rag.config, name, value)
        asked = [{"question": text, "answer": ""} for text, _ in self.given[3]]
        rows, self.seconds = [], []
        for question in asked:
            start = time.perf_counter()
            [found] = self.rag.retrieve([question])
            self.seconds.append(time.perf_counter() - start)
            row = np.zeros(len(self.given[0]))
            for passage, score in zip(found["sorted_passage"], found["sorted_passage_scores"]):
                row[passage.number] = score
            rows.append(row)
        return rows


def load(checkout):
    """Its module and its settings, with nothing in the place of what it asks for names, vectors and answers."""
    sys.path.insert(0, checkout)
    for name in ("spacy", "torch", "openai", "httpx"):
        sys.modules.setdefault(name, types.ModuleType(name))
    torch = sys.modules["torch"]
    torch.device = str
    torch.cuda = types.SimpleNamespace(is_available=lambda: False)
    sys.modules["openai"].OpenAI = None
    from src import LinearRAG as module
    from src.config import LinearRAGConfig

    module.tqdm = lambda all, **_: all
    return module, LinearRAGConfig


def best(row, count):
    """Passages by score, those that differ by rounding alone by number."""
    row = np.float32(row)
    return [int(p) for p in np.argsort(-row, kind="stable")[:count]]


def compared(ours, theirs, questions):
    """How alike the two are, question by question and in all."""
    same5, same10, shared, far, swaps = [], [], [], [], []
    for hits, row in zip(ours, theirs):
        mine = [p for p, _ in hits]
        there = best(row, 10)
        same5.append(mine[:5] == there[:5])
        same10.append(mine[:10] == there)
        shared.append(len(set(mine[:10]) & set(there)) / 10)
        # Of the hundred that ours keeps, as shares of their sum: mass that dead ends drop is a factor.
        own = np.array([score for _, score in hits])
        other = row[mine]
        far.append(np.abs(own / own.sum() - other / other.sum()).max())
        pairs = [np.sign(other[i] - other[j]) for i in range(10) for j in range(i + 1, 10)]
        swaps.append(np.mean(pairs))
    recall = lambda found, k: np.mean([
        len(set(f[:k]) & set(q["gold"])) / max(q["wanted"], 1) for f, q in zip(found, questions) if q["wanted"]
    ])
    tops = [best(row, 10) for row in theirs]
    return dict(same5=np.mean(same5), same10=np.mean(same10), shared=np.mean(shared), tau=np.mean(swaps),
                far=np.max(far), r5=recall(tops, 5), r10=recall(tops, 10),
                own5=recall([[p for p, _ in h] for h in ours], 5), own10=recall([[p for p, _ in h] for h in ours], 10),
                differ=[q for q, same in enumerate(same10) if not same])


def told(seconds):
    """The median and the 95th percentile, in milliseconds."""
    of = lambda part: np.quantile(seconds, part) * 1e3
    return f"{of(0.5):.2f} / {of(0.95):.2f} ms"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", help="a checkout of DEEP-PolyU/LinearRAG")
    parser.add_argument("corpus", nargs="?", default=f"{os.path.dirname(root)}/shared/data/musique-train100")
    parser.add_argument("--work", default="/tmp/hopscope-linearrag", help="a folder for what the published code reads")
    parser.add_argument("--binary", help="the built bench, to spare the build")
    parser.add_argument("--settings", default="", help=f"only those with this in their name: {'; '.join(SETTINGS)}")
    parser.add_argument("--causes", default="", help="only rows with this in their name")
    parser.add_argument("--ours", default="", help="more settings of ours, as name=value ...")
    args = parser.parse_args()

    binary = args.binary or bench_binary(root)
    work = os.path.join(args.work, os.path.basename(os.path.normpath(args.corpus)))
    process = subprocess.Popen([binary, "--linear", work, "--corpus", args.corpus],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    about = json.loads(process.stdout.readline())
    chosen = {name: settings for name, settings in SETTINGS.items() if args.settings in name}
    ours, seconds = {}, {}
    for name, settings in chosen.items():
        file = f"{work}/ours.jsonl"
        changes = [OURS[key](value) for key, value in settings.items()] + args.ours.split()
        process.stdin.write(f"rank {file} {' '.join(changes)}\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise SystemExit(f"our side ended with {process.wait()}")
        seconds[name] = json.loads(answer)["seconds"]
        ours[name] = [json.loads(line) for line in open(file)]
    process.stdin.close()
    process.wait()

    data = Data(work)
    print(f"### {os.path.basename(work)}: {about}\n")
    rows = {name: [] for name in chosen}
    for cause, rules in CAUSES.items():
        if args.causes not in cause:
            continue
        peer = Published(args.checkout, data, rules)
        for name, settings in chosen.items():
            c = compared(ours[name], peer.scores(settings), data.questions)
            rows[name].append((cause, dict(c, seconds=peer.seconds)))
            print(f"{cause}, {name}: {c['shared']:.3f}, differ {c['differ'][:12]}", file=sys.stderr)
    for name in chosen:
        c = rows[name][0][1]
        print(f"**{name}**: {SETTINGS[name]}; ours R@5 / R@10 {c['own5']:.3f} / {c['own10']:.3f}, "
              f"a question {told(seconds[name])}\n")
        print("| published, with | same top 5 | same top 10 | top 10 shared | Kendall | largest difference | R@5 / R@10 "
              "| a question |\n|" + "---|" * 8)
        for cause, c in rows[name]:
            print(f"| {cause} | {c['same5']:.3f} | {c['same10']:.3f} | {c['shared']:.3f} | {c['tau']:.3f} | {c['far']:.1e} "
                  f"| {c['r5']:.3f} / {c['r10']:.3f} | {told(c['seconds'])} |")
        print(flush=True)


if __name__ == "__main__":
    main()
