#!/usr/bin/env python3
"""Writes the small indexes of NodeRAG, KET-RAG and SAGE beside this file: four sentences of our own, in the files and columns
of each system.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pyarrow
    /tmp/venv/bin/python tests/data/given/make.py
"""

import hashlib
import json
import pathlib

import pyarrow
import pyarrow.parquet

HERE = pathlib.Path(__file__).resolve().parent
STOP = {"the", "in", "of", "from", "."}

# Two documents, cut into pieces.
PIECES = [
    ("titan.txt", "Christiaan Huygens found Titan in 1655."),
    ("titan.txt", " It circles Saturn."),
    ("ring.txt", "Giovanni Cassini saw the gap in the ring of Saturn."),
    ("ring.txt", " William Herschel discovered Uranus."),
]
ENTITIES = {
    "CHRISTIAAN HUYGENS": ("PERSON", "An astronomer.", [0]),
    "TITAN": ("MOON", "A moon.", [0]),
    "SATURN": ("PLANET", "", [0, 1]),
    "GIOVANNI CASSINI": ("PERSON", "", [1]),
}
RELATIONS = [
    ("CHRISTIAAN HUYGENS", "found", "TITAN", 0),
    ("TITAN", "circles", "SATURN", 0),
    ("GIOVANNI CASSINI", "observed", "SATURN", 1),
]


def digest(text):
    return hashlib.md5(text.encode()).hexdigest()


def parquet(folder, name, rows):
    path = HERE / folder / f"{name}.parquet"
    path.parent.mkdir(exist_ok=True)
    table = pyarrow.Table.from_pylist(rows)
    pyarrow.parquet.write_table(table, path, write_statistics=False, store_schema=False)


def write(folder, name, value):
    path = HERE / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")


def noderag():
    """Texts, what its model found in each, and one element over all."""
    texts = [PIECES[0][1] + PIECES[1][1], PIECES[2][1]]
    text = [digest(one) for one in texts]
    names = {name: digest(name) for name in ENTITIES}
    parquet(
        "noderag",
        "documents",
        [
            {"doc_id": f"D{at}", "doc_hash_id": digest(path), "text_hash_id": [text[at]], "path": f"input/{path}"}
            for at, path in enumerate(["titan.txt", "ring.txt"])
        ],
    )
    parquet(
        "noderag",
        "text",
        [
            {"text_id": f"T{at}", "hash_id": text[at], "type": "text", "context": context, "doc_hash_id": digest(path)}
            for at, (path, context) in enumerate(zip(["titan.txt", "ring.txt"], texts))
        ],
    )
    parquet(
        "noderag",
        "semantic_units",
        [{"hash_id": digest(f"S{at}"), "context": one, "text_hash_id": text[at], "weight": 1} for at, one in enumerate(texts)],
    )
    parquet(
        "noderag",
        "entities",
        [
            {"hash_id": names[name], "human_readable_id": at, "context": name, "text_hash_id": text[units[0]], "weight": len(units)}
            for at, (name, (_, _, units)) in enumerate(ENTITIES.items())
        ],
    )
    parquet(
        "noderag",
        "relationship",
        [
            {
                "hash_id": digest(source + label + target),
                "unique_relationship": sorted([names[source], names[target]]),
                "context": f"{source} {label} {target}",
                "text_hash_id": text[unit],
                "weight": 1,
            }
            for source, label, target, unit in RELATIONS
        ],
    )
    parquet(
        "noderag",
        "attributes",
        [{"node": names["TITAN"], "context": "The largest moon of its planet.", "hash_id": digest("A0"), "weight": 1}],
    )
    parquet(
        "noderag",
        "high_level_elements",
        [{"title_hash_id": digest("H0"), "context": "Who saw what.", "hash_id": digest("O0"), "related_nodes": [digest("S0"), digest("A0"), digest("H0")]}],
    )
    parquet("noderag", "high_level_elements_titles", [{"hash_id": digest("H0"), "context": "Observers"}])
    found = []
    for at, one in enumerate(texts):
        entities = [name for name, (_, _, units) in ENTITIES.items() if at in units]
        relations = [f"{source}, {label}, {target}" for source, label, target, unit in RELATIONS if unit == at]
        output = [{"semantic_unit": one, "entities": entities, "relationships": relations}]
        found.append({"text_hash_id": text[at], "text_id": f"T{at}", "response": {"Output": output}, "processed": True})
    lines = "".join(json.dumps(one) + "\n" for one in found)
    (HERE / "noderag" / "text_decomposition.jsonl").write_text(lines)


def ketrag():
    """The tables of GraphRAG 0.4 of the first three pieces, put together again, and the keywords of all four."""
    texts = [PIECES[0][1] + PIECES[1][1], PIECES[2][1]]
    ids = [digest(text) for text in texts]
    documents = {path: digest(path) for path, _ in PIECES}
    parquet(
        "ketrag",
        "create_final_text_units",
        [
            {"id": ids[at], "text": text, "document_ids": [document]}
            for at, (text, document) in enumerate(zip(texts, documents.values()))
        ],
    )
    parquet("ketrag", "create_final_documents", [{"id": own, "title": path} for path, own in documents.items()])
    parquet(
        "ketrag",
        "create_final_entities",
        [
            {"id": digest(name), "name": name, "type": kind, "description": description, "text_unit_ids": [ids[at] for at in units]}
            for name, (kind, description, units) in ENTITIES.items()
        ],
    )
    parquet(
        "ketrag",
        "create_final_relationships",
        [
            {"source": source, "target": target, "description": f"{source} {label} {target}", "weight": 1.0, "text_unit_ids": [ids[unit]]}
            for source, label, target, unit in RELATIONS
        ],
    )
    parquet(
        "ketrag",
        "split_text_units",
        [
            {"id": str(at), "chunk": text, "chunk_id": str(at), "document_ids": [documents[path]], "text_embedding": [0.5, 0.25]}
            for at, (path, text) in enumerate(PIECES)
        ],
    )
    words = {}
    for at, (_, text) in enumerate(PIECES):
        for word in text.replace(".", " .").split():
            if word not in STOP:
                words.setdefault(word, {})[str(at)] = None
    # The identifiers come from a set: in no order.
    parquet(
        "ketrag",
        "keyword_index",
        [{"word": word, "embedding": [0.5, 0.25], "chunk_ids": list(reversed(own))} for word, own in words.items()],
    )


def sage():
    """A chunk of each document, one of a table with an empty cell, and two edges."""
    chunks = []
    for path, pieces in [("titan.txt", PIECES[:2]), ("ring.txt", PIECES[2:])]:
        text = "".join(piece for _, piece in pieces)
        source = path.removesuffix(".txt")
        chunks.append(f"{source}_chunk_0_{digest(text)[:12]}")
        words = [word.strip(".").lower() for word in text.split() if word not in STOP]
        entities = {name.title(): {"type": kind.lower()} for name, (kind, _, _) in ENTITIES.items() if name.title() in text}
        write(
            "sage/full_pipeline/docs_chunks_1",
            f"{chunks[-1]}.json",
            {
                "chunk_id": chunks[-1],
                "content": text,
                "source_info": {"source_id": source, "source_name": path, "source_type": "document", "structural_link": []},
                "sentences": [piece.strip() for _, piece in pieces],
                "keywords": sorted(set(words))[:3],
                "summary": "",
                "embedding": [0.5, 0.25],
                "metadata": {"topic": "Observers", "title": "", "entities": entities, "events": {}},
            },
        )
    rows = [{"Moon": "Titan", "Found": 1655.0}, {"Moon": "Rhea", "Found": float("nan")}]
    chunks.append(f"moons_chunk_0_{digest('moons')[:12]}")
    write(
        "sage/full_pipeline",
        "table_chunks_with_metadata.json",
        [
            {
                "chunk_id": chunks[-1],
                "source_name": "moons.csv",
                "content": "",
                "rows_with_headers": rows,
                "column_headers": ["Moon", "Found"],
                "keywords": ["titan", "rhea"],
                "metadata": {"table_title": "Moons of Saturn", "entities": {"Titan": {"type": "moon"}, "Saturn": {}}},
            }
        ],
    )
    write(
        "sage/analysis_cache/knowledge_graph",
        "unique_edges_20250731_173102.json",
        [
            {"edge_id": f"e{at}", "source_chunk_id": source, "target_chunk_id": target, "edge_type": kind, "entity_count": 1}
            for at, (source, target, kind) in enumerate([(chunks[0], chunks[1], "doc-doc"), (chunks[0], chunks[2], "doc-table")])
        ],
    )


noderag()
ketrag()
sage()
