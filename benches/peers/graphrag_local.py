#!/usr/bin/env python3
"""Local search of the published GraphRAG beside ours: the same tables, the same vectors, its own code for the rest. See README.md.

Nothing of the published code is changed or copied: its package (`pip install graphrag`) reads the tables, keeps the vectors of the
entities in its own store, maps a question to entities and puts their texts in order. In the place of its embedding model stand
vectors of hashed words, which a small server on this machine gives our side too.
"""

import argparse
import json
import logging
import os
import random
import subprocess
import tempfile
from types import SimpleNamespace

import numpy as np
import pandas
from graphrag.query.indexer_adapters import read_indexer_entities
from graphrag.query.input.loaders.dfs import read_entities, read_relationships, read_text_units
from graphrag.query.structured_search.local_search.mixed_context import LocalSearchMixedContext
from graphrag_llm.tokenizer import Tokenizer
from graphrag_vectors.lancedb import LanceDBVectorStore
from graphrag_vectors.vector_store import VectorStoreDocument

from words import hashed, serve, unit

DIMS = 128
# It takes twice as many as it is asked for (`top_k_mapped_entities`); ours takes 20 (`seed_k`).
ENTITIES = 10
# Above what any sample has.
NO_LIMIT = 10**9
# Of entities nearer than this, neither side has to put one first.
EQUAL = 1e-4
# Of communities, as its command line has it.
LEVEL = 2


def vector(text):
    """In whole numbers up to 127: so the 8 bits that ours keeps lose nothing."""
    total = hashed(text, DIMS)
    return unit(np.round(total * 127 / max(np.abs(total).max(), 1e-9)))


class Embedder:
    """Its embedding model."""

    def embedding(self, input):
        return SimpleNamespace(first_embedding=vector(input[0]).tolist())


class Words(Tokenizer):
    """Its tokenizer, which only limits would ask for more."""

    def __init__(self):
        pass

    def encode(self, text):
        return [0] * len(text.split())

    def decode(self, tokens):
        raise NotImplementedError


class Tables:
    """What the package reads of a folder, of 0.5 or of 2.x and 3.x."""

    def __init__(self, folder):
        def table(name):
            paths = [os.path.join(folder, f"{before}{name}.parquet") for before in ("", "create_final_")]
            return pandas.read_parquet(next(path for path in paths if os.path.exists(path)))

        entities, relations, texts = (table(name) for name in ("entities", "relationships", "text_units"))
        title = "title" if "title" in entities else "name"
        rank = "combined_degree" if "combined_degree" in relations else "rank"
        if "document_id" not in texts:
            texts["document_id"] = [ids[0] for ids in texts.document_ids]
        self.entities = read_entities(entities, title_col=title, community_col=None, rank_col=None)
        self.relations = read_relationships(relations, rank_col=rank)
        self.texts = read_text_units(texts, covariates_col=None)
        # Its command line leaves out what is in no community of the first levels.
        self.leave_out = lambda: read_indexer_entities(entities, table("communities"), LEVEL)


class Published:
    """Its local search over these tables."""

    def __init__(self, folder, by_level=False):
        tables = Tables(folder)
        self.entities, self.relations, self.texts = tables.entities, tables.relations, tables.texts
        every = self.entities
        if by_level:
            self.entities = tables.leave_out()
        store = LanceDBVectorStore(db_uri="memory://", index_name="entities", vector_size=DIMS)
        store.connect()
        store.create_index()
        # As its indexing puts them, in communities or not.
        about = [vector(f"{entity.title}:{entity.description or ''}") for entity in every]
        store.load_documents([VectorStoreDocument(id=one.id, vector=own.tolist()) for one, own in zip(every, about)])
        self.matrix = np.array(about, dtype=np.float64)
        self.context = LocalSearchMixedContext(
            entities=self.entities, entity_text_embeddings=store, text_embedder=Embedder(), text_units=self.texts,
            relationships=self.relations, tokenizer=Words())

    def ask(self, question):
        """The texts in the order of its context."""
        found = self.context.build_context(question, top_k_mapped_entities=ENTITIES, max_context_tokens=NO_LIMIT)
        sources = found.context_records.get("sources")
        return [self.texts[int(short)].id for short in sources["id"]] if sources is not None and len(sources) else []

    def is_clear(self, question):
        """Whether the vectors say which entities come in which order."""
        cosines = np.sort(-(self.matrix @ vector(question).astype(np.float64)))[:2 * ENTITIES + 1]
        return np.diff(cosines).min() > EQUAL

    def brings(self, question, texts):
        """Of a text, the entity that brings it and how many of its relations the text has."""
        nearest = np.argsort(-(self.matrix @ vector(question).astype(np.float64)), kind="stable")[:2 * ENTITIES]
        for text in texts:
            for entity in (self.entities[at] for at in nearest if text in self.entities[at].text_unit_ids):
                own = [one for one in self.relations if entity.title in (one.source, one.target) and text in one.text_unit_ids]
                return f"{text[:8]} ({len(own)} relations of {entity.title})"
            return f"{text[:8]} (of no near entity)"
        return "none"


def questions_of(published, count):
    """Of relations drawn by a seed, in turn the first words of what is said of them, and the names of their ends."""
    drawn = random.Random(1).sample(published.relations, len(published.relations))
    texts = [" ".join(one.description.split()[:12]) if at % 2 else f"How are {one.source} and {one.target} related?"
             for at, one in enumerate(drawn)]
    return [text for text in dict.fromkeys(texts) if published.is_clear(text)][:count]


class Case:
    """A few tables. Texts are t1, t2 ...; an entity has a title and texts, a relation two ends and texts."""

    def __init__(self, what, entities, relations=(), question="alpha alpha alpha beta", said=None, outside=()):
        self.what, self.question = what, question
        self.entities = [(f"e{at}", title, units.split()) for at, (title, units) in enumerate(entities)]
        self.relations = [(f"r{at}", one, other, units.split()) for at, (one, other, units) in enumerate(relations)]
        self.texts = [f"t{at}" for at in range(1, 6)]
        # What texts say of their relations, where it is not what the relations say of their texts.
        self.said = said
        # Titles of entities in no community.
        self.outside = outside

    def write(self, folder):
        def table(name, columns, rows):
            pandas.DataFrame(rows, columns=columns.split()).to_parquet(os.path.join(folder, f"{name}.parquet"))

        table("entities", "id human_readable_id title type description text_unit_ids frequency degree",
              [(one, at, title, "", "", units, len(units), 1) for at, (one, title, units) in enumerate(self.entities)])
        table("relationships", "id human_readable_id source target description weight combined_degree text_unit_ids",
              [(one, at, *ends, "", 1.0, 2, units) for at, (one, *ends, units) in enumerate(self.relations)])
        has = self.said or {text: [one for one, *_, units in self.relations if text in units] for text in self.texts}
        table("text_units", "id human_readable_id text n_tokens document_id entity_ids relationship_ids covariate_ids",
              [(text, at, f"Text number {at}.", 3, "d", [], has.get(text, []), []) for at, text in enumerate(self.texts)])
        members = [one for one, title, _ in self.entities if title not in self.outside]
        table("communities", "id human_readable_id community level title entity_ids", [("c0", 0, 0, 0, "Community 0", members)])


AB = ("ALPHA", "BETA")
CASES = (
    Case("the nearer entity's texts first, a text that both have with the nearer", [("BETA", "t1 t2"), ("ALPHA", "t2 t3")]),
    Case("of one entity, the text with most of its relations first", [("ALPHA", "t1 t2 t3"), ("BETA", "t4")],
         [(*AB, "t2 t3"), (*AB, "t3")]),
    Case("relations in both directions, each counted", [("ALPHA", "t1 t2"), ("BETA", "t4")],
         [(*AB, "t2"), (*AB[::-1], "t2"), (*AB, "t1")]),
    Case("a text that no table has", [("ALPHA", "t9 t1 t2"), ("BETA", "t3")], [(*AB, "t2")]),
    Case("equal counts, the entity's list in the order of the table", [("ALPHA", "t1 t3 t5"), ("BETA", "t2 t4")]),
    Case("equal counts, the entity's list in another order", [("ALPHA", "t5 t3 t1"), ("BETA", "t4 t2")]),
    Case("a relation of an entity that no table has", [("ALPHA", "t1 t2")], [("ALPHA", "NOBODY", "t2")]),
    Case("a relation of an entity to itself", [("ALPHA", "t1 t2")], [("ALPHA", "ALPHA", "t2")]),
    Case("texts that name other relations than name them", [("ALPHA", "t1 t2"), ("BETA", "t3")], [(*AB, "t2")],
         said={"t1": ["r0"], "t2": ["r9"]}),
    Case("texts that name no relations", [("ALPHA", "t1 t2"), ("BETA", "t3")], [(*AB, "t2")], said={"t0": []}),
    Case("two entities of one title", [("ALPHA", "t2"), ("BETA", "t4"), ("ALPHA", "t1")]),
    Case("a title in two cases", [("ALPHA", "t2"), ("BETA", "t4"), ("Alpha", "t1")], [("Alpha", "BETA", "t1")]),
    Case("an entity that points away from the question", [("ALPHA", "t1"), ("GAMMA", "t2")]),
    Case("an entity in no community", [("ALPHA", "t1"), ("BETA", "t2")], outside=("ALPHA",)),
)


def cases(ask):
    """Small tables that hold one rule each. Of one without its community, as the command line reads them."""
    print("| case | theirs | ours | |\n|---|---|---|---|")
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            case.write(folder)
            theirs = Published(folder, by_level=bool(case.outside)).ask(case.question)
            ours, = ask(folder, [case.question])
        print(f"| {case.what} | {' '.join(theirs)} | {' '.join(ours)} | {'same' if ours == theirs else 'not'} |")


def samples(folder, count, ask):
    """Whole samples: whether both hand on the same texts, and in the same order."""
    name = os.path.basename(os.path.normpath(folder))
    published = Published(folder)
    questions = questions_of(published, count)
    pairs = list(zip(ask(folder, questions), map(published.ask, questions)))
    sets, equal = sum({*a} == {*b} for a, b in pairs), sum(a == b for a, b in pairs)
    shared = sum(len({*a[:10]} & {*b[:10]}) / max(1, len(b[:10])) for a, b in pairs) / len(pairs)
    first = next((parting(published, question, *pair) for question, pair in zip(questions, pairs) if pair[0] != pair[1]), "")
    print(f"| {name} | {sets} of {len(pairs)} | {equal} of {len(pairs)} | {shared:.3f} | {first} |")


def parting(published, question, ours, theirs):
    """Where two lists part."""
    at = next(at for at, (a, b) in enumerate(zip([*ours, ""], [*theirs, ""])) if a != b)
    one, other = (published.brings(question, text) for text in (ours[at:at + 1], theirs[at:at + 1]))
    return f"place {at + 1}: ours {one}, theirs {other}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", help="folders of GraphRAG's tables")
    parser.add_argument("--cases", action="store_true", help="small tables that hold one rule each instead")
    parser.add_argument("--program", default="target/release/hopscope")
    parser.add_argument("--questions", type=int, default=50)
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    encoder = serve(vector)

    def ask(folder, questions):
        with tempfile.TemporaryDirectory() as home:
            index = os.path.join(home, "index")
            run = lambda *words: subprocess.run([args.program, *words, "--encoder", encoder], check=True, capture_output=True,
                                                text=True, env={**os.environ, "HOPSCOPE_HOME": home}).stdout
            run("import", folder, "--out", index)
            answers = (run("ask", index, question, "--method", "graphrag-local", "--top", "100", "--json") for question in questions)
            return [[hit["id"] for hit in json.loads(answer)["passages"]] for answer in answers]

    if args.cases:
        return cases(ask)
    head = ("sample", "the same texts", "in order", "of the first ten in common", "first difference")
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for folder in args.folders:
        samples(folder, args.questions, ask)


if __name__ == "__main__":
    main()
