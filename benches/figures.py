#!/usr/bin/env python3
"""Our figures beside the reference's and the paper's order, as Markdown: `python3 benches/figures.py > figures.md`.

Needs ../shared/data and ../shared/golden (or --shared FOLDER). Standard library only.

Two tables. The first runs every method with every default and the built-in encoder. The second runs the methods with the
reference's own settings, and prints the reference's metrics beside them; the four that need its MiniLM vectors are held
against it by `cargo test --test golden`, because only a library call takes vectors from a file. Both then say which
relations of the published tables hold (SPRIG, main tables).

`--systems` prints SAGE and NodeRAG instead, with paired 95 % bootstrap intervals: SAGE beside flat retrieval at equal budget,
as it is, as published and with the corpus shuffled; NodeRAG as published, one change after the other, and without its parts.

It goes on with E2GraphRAG, its options one after the other, and HippoRAG 2 with facts by rules and by a file where there is
one, beside dense retrieval. `--low-cost` prints KET-RAG's published low-cost setting (chunks of 1,200 tokens over the whole
collection as one text, slices for graphs alone) over shuffled corpora: answers in 12,000 tokens of context.

`--untitled` prints methods over corpora whose titles were taken away: with what texts say that they are about (`subjects=on`) in
their place and without, with paired intervals of the difference.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from hop import interval

# data folder: name of the golden set, and the corpus whose passages are in the reference's order.
SETS = {
    "hotpotqa-train100": ("hotpot100", "hotpotqa-train100"),
    "musique-train100": ("musique100", "musique-train100"),
    "hotpotqa-dev500": ("hotpotqa-dev500", "hotpotqa-dev500"),
}
# golden run: method, and what the reference sets otherwise. As in tests/golden/golden.rs.
RUNS = {
    "bm25": ("bm25", []),
    "bm25_stem": ("bm25", ["tokens=stem", "bm25_k1=0.9", "bm25_b=0.4"]),
    "bm25_rm3": ("bm25-rm3", ["rm3_pool=all"]),
    "bm25_2step": ("bm25-2step", ["step2_rule=rank", "step2_docs=5", "step2_entities=10", "step2_weight=0.3"]),
    "tfidf_graph": ("tfidf-graph", []),
    "graph_uniform": ("graph", []),
    "graph_bm25fallback": ("graph", ["fallback=bm25_top1"]),
    "graph_hybrid_k5": ("graph-hybrid", ["seed_k=5"]),
    "graph_hybrid_k10": ("graph-hybrid", ["seed_k=10"]),
    "graph_hybrid_k5_mix": ("graph-hybrid", ["seed_k=5", "mix=adaptive"]),
    "graph_hybrid_k5_prune": ("graph-hybrid", ["seed_k=5", "prune_top_pct=1", "edge_cap=100"]),
    "graph_hybrid_k5_el": ("graph-hybrid", ["seed_k=5", "alias_linking=on"]),
    "graph_hybrid_k5_stop": ("graph-hybrid", ["seed_k=5", "ner=regex_stop"]),
    "graph_hybrid_k5_push1e-4": ("graph-hybrid", ["seed_k=5", "walk=push", "epsilon=1e-4"]),
}
# With MiniLM vectors: printed beside our default encoder's figures.
DENSE = {"dense_minilm": "dense", "rrf_minilm": "rrf", "graph_dense_minilm_k5": "graph-dense", "graph_rrf_minilm_k5": "graph-rrf"}
FUSED = {"fused_static": "hop"}
# The published order (SPRIG, main tables): measure, what is higher, what is lower.
ORDER = [
    ("R@10", "graph-rrf", "rrf"),
    ("R@10", "rrf", "bm25"),
    ("R@10", "graph-hybrid", "bm25"),
    ("R@10", "bm25", "graph"),
    ("R@10", "graph-dense", "dense"),
    ("R@10", "bm25", "bm25-rm3"),
    ("R@10", "rrf", "rrf-ppr"),
    ("RR", "graph", "tfidf-graph"),
    ("RR", "rrf", "graph-rrf"),
]
# The reference's names of our measures.
MEASURES = {"R@5": "recall@5", "R@10": "recall@10", "Success@10": "hit@10", "RR": "mrr@100"}


def call(program, *args):
    out = subprocess.run([*program, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if out.returncode:
        sys.exit(f"{' '.join([*program, *args])}: {out.stderr.strip()}")
    return out.stdout


def evaluate(program, index, methods, settings, resamples=100):
    """Measures by method."""
    sets = [part for setting in settings for part in ("--set", setting)]
    out = json.loads(call(program, "eval", index, "--method", ",".join(methods), "--json", "--resamples", str(resamples), *sets))
    return {m["method"]: m["measures"] for m in out["methods"]}


def number(value):
    return "-" if value is None else f"{value:.3f}".removeprefix("0")


def pair(row, names=("R@5", "R@10")):
    return " / ".join(number(row.get(name)) for name in names)


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


# The sets of the systems, and which of them are shuffled, too: their order holds contexts of a question together.
SYSTEMS = ["hotpotqa-train100", "musique-train100", "hotpotqa-dev500", "2wiki-dev284", "ottqa-300"]
SHUFFLED = ["musique-train100", "hotpotqa-dev500", "ottqa-300"]
# Seeds and neighbours.
BUDGETS = [(1, 1), (2, 3), (5, 5), (10, 10), (25, 25)]
SAGE = {
    "paper": ["entity_edges=percentile", "edge_percentile=95", "structural_edges=on"],
    "code": ["entity_edges=shared", "edge_logic=and", "edge_percentile=99", "structural_edges=on"],
    "default": [],
}
# Each adds to those before.
NODERAG = [
    ("as the code has it, vector hits first", ["term_match=contains", "entry_share=nodes", "hub_balance=on", "node_order=output"]),
    ("passages by what landed on them", ["term_match=contains", "entry_share=nodes", "hub_balance=on"]),
    ("a name that is called so hides those that contain it", ["entry_share=nodes", "hub_balance=on"]),
    ("names and vector hits a part each, every term alike", ["hub_balance=on"]),
    ("edges weigh as often as they were made: the default", []),
]
# The default without a part, and other values.
PARTS = [
    ("names alone (`weight_vector=0`)", ["weight_vector=0"]),
    ("vector hits alone (`weight_exact=0`)", ["weight_exact=0"]),
    ("without similarity edges (`hnsw_edges=off`)", ["hnsw_edges=off"]),
    ("units joined with the relations they state (`s_r_edges=on`)", ["s_r_edges=on"]),
    ("the code's walk (`walk_rule=lazy`)", ["walk_rule=lazy"]),
]


def runs(program, index, named):
    """Rows per question by name, of `NAME=METHOD@PARAMETER=VALUE...`."""
    out = json.loads(call(program, "eval", index, "--json", "--resamples", "100", "--method", ",".join(named)))
    return [m["per_question"] for m in out["methods"]]


def recall(rows):
    """Of everything that is returned, question by question."""
    return [sum(g["rank"] is not None for g in row["gold"]) / len(row["gold"]) for row in rows if row["gold"]]


def of(rows, measure):
    """A measure, question by question."""
    return [row["measures"][measure] for row in rows]


def mean(values):
    return number(sum(values) / len(values))


def gains(rows, base):
    return interval([a - b for a, b in zip(rows, base)])


def changed(folder, corpus, name, change):
    """A copy of a corpus whose lines are what `change` makes of them."""
    copy = os.path.join(folder, f"{os.path.basename(corpus)}-{name}-corpus")
    shutil.copytree(corpus, copy)
    path = os.path.join(copy, "corpus.jsonl")
    os.chmod(path, 0o644)
    lines = change(open(path).readlines())
    open(path, "w").writelines(lines)
    return copy


def shuffle(lines):
    random.Random(7).shuffle(lines)
    return lines


def untitle(lines):
    return [json.dumps(json.loads(line) | {"title": ""}) + "\n" for line in lines]


def indexed(program, folder, corpus, layers, shuffled=False):
    """An index with some layers, of a corpus as it is or with its lines shuffled."""
    out = os.path.join(folder, os.path.basename(corpus) + ("-shuffled" if shuffled else ""))
    if shuffled:
        corpus = changed(folder, corpus, "shuffled", shuffle)
    call(program, "index", corpus, "--out", out, "--with", layers)
    return out


# Compared without titles; ottqa-300's tables have heads and no sentences that say what they are.
UNTITLED = ["hotpotqa-dev500", "hotpotqa-train100", "musique-train100", "2wiki-dev284"]
METHODS = ["hop", "bm25", "dense", "rrf", "graph-rrf", "linearrag", "noderag", "ket-rag-p", "ms-graph-rag", "sage"]


def untitled(program, data):
    print("### Without titles: R@5 / R@10 with titles, without, and with what texts say they are about; what the latter gains\n")
    cells = {method: [] for method in METHODS}
    with tempfile.TemporaryDirectory() as folder:
        for name in UNTITLED:
            corpus = os.path.join(data, name)
            bare = changed(folder, corpus, "untitled", untitle)
            found = []
            for at, (path, subjects) in enumerate([(corpus, "on"), (bare, "off"), (bare, "on")]):
                index = os.path.join(folder, f"{name}-{at}")
                call(program, "index", path, "--out", index, "--set", f"subjects={subjects}", "--with", "noderag,ket,sage")
                found.append(runs(program, index, METHODS))
            for method, (titled, without, said) in zip(METHODS, zip(*found)):
                both = " \\| ".join(" / ".join(mean(of(rows, m)) for m in ["R@5", "R@10"]) for rows in [titled, without, said])
                gained = ", ".join(gains(of(said, m), of(without, m)) for m in ["R@5", "R@10"])
                cells[method].append(f"{both} ({gained})")
            print(f"{name} done", file=sys.stderr)
    table(["", *UNTITLED], ([method, *row] for method, row in cells.items()))


# KET-RAG, table of the low-cost setting: text and keywords are of whole chunks, graphs of slices.
LOW_COST = ["text-rag@halvings=0", "keyword-rag@halvings=0", "skeleton-rag", "ms-graph-rag", "hybrid-rag", "ket-rag-u", "ket-rag-p"]
PUBLISHED = {"hotpotqa-dev500": [37.2, 60.2, 57.8, 63.0, 64.8, 81.4, 81.6], "musique-train100": [26.4, 50.8, 43.4, 47.6, 49.2, 76.2, 77.0]}


def low_cost(program, data):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ["hotpotqa-dev500", "hotpotqa-train100", "musique-train100", "2wiki-dev284"]:
            corpus = changed(folder, os.path.join(data, name), "shuffled", shuffle)
            out = os.path.join(folder, name)
            call(program, "index", corpus, "--out", out, "--with", "ket", "--set", "chunk_tokens=1200", "--set", "joined=on")
            named = ",".join(f"r{at}={method}" for at, method in enumerate(LOW_COST))
            told = json.loads(call(program, "eval", out, "--json", "--resamples", "100", "--method", named))["methods"]
            rows.append([name, *(f"{100 * m['answer_coverage']['share']:.1f}" for m in told)])
            if name in PUBLISHED:
                rows.append(["published, other questions of the set", *(f"{share}" for share in PUBLISHED[name])])
    print("### KET-RAG's low-cost setting, shuffled: share of answers in 12,000 tokens of context\n")
    table(["", *(method.split("@")[0] for method in LOW_COST)], rows)


# E2GraphRAG as published, with what each option adds; the last is the method's own default.
E2 = [
    ("e2graphrag, as published", "e2graphrag"),
    ("short documents share a tree", "e2graphrag", "tree_over=neighbours"),
    ("chunks by coverage, then closeness", "e2graphrag@chunk_order=coverage"),
    ("chunks by rarity and closeness", "e2graphrag@chunk_order=rarity"),
    ("and filled up from dense", "e2graphrag-rrf@fusion=after@max_df_ratio=1"),
    ("fused with dense by rank", "e2graphrag-rrf@max_df_ratio=1"),
    ("and without names of more than 2 % of the chunks (e2graphrag-rrf)", "e2graphrag-rrf"),
]
HIPPO = ["linearrag", "hipporag2", "hipporag2@fact_filter=off", "hipporag2@synonym_threshold=1"]


def beside_dense(program, data):
    cells = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEMS:
            corpus = changed(folder, os.path.join(data, name), "shuffled", shuffle)
            facts = os.path.join(corpus, "openie.jsonl")
            told = os.path.exists(facts) and os.path.join(folder, name + "-facts")
            indexes = {}
            for tree in ["", "tree_over=neighbours"]:
                indexes[tree] = os.path.join(folder, name + tree[:4])
                call(program, "index", corpus, "--out", indexes[tree], "--with", "e2graphrag", *(["--set", tree] if tree else []))
            if told:
                shutil.copytree(indexes[""], told)
                call(program, "index", "--add", "facts", "--beside", corpus, told)
            call(program, "index", "--add", "facts", indexes[""])
            asked = [(label, method, indexes[(tree or [""])[0]]) for label, method, *tree in E2]
            asked += [(method, method, indexes[""]) for method in HIPPO]
            asked.append(("hipporag2, facts that a model told", "hipporag2", told))
            cell = lambda rows: " / ".join(mean(of(rows, m)) for m in ["R@5", "R@10"])
            for index in filter(None, dict.fromkeys(index for *_, index in asked)):
                here = [(label, method) for label, method, at in asked if at == index]
                base, *found = runs(program, index, ["base=dense", *(f"r{at}={method}" for at, (_, method) in enumerate(here))])
                cells.setdefault("dense", {})[name] = cell(base)
                for (label, _), rows in zip(here, found):
                    cells.setdefault(label, {})[name] = f"{cell(rows)}, {gains(of(rows, 'R@10'), of(base, 'R@10'))}"
    print("### E2GraphRAG and HippoRAG 2 beside dense, shuffled: R@5 / R@10, and the difference at R@10 to dense\n")
    labels = ["dense", *(label for label, *_ in E2), *HIPPO, "hipporag2, facts that a model told"]
    table(["", *SYSTEMS], [[label, *(cells[label].get(name, "-") for name in SYSTEMS)] for label in labels])


def systems(program, data):
    with tempfile.TemporaryDirectory() as folder:
        corpora = [(name, indexed(program, folder, os.path.join(data, name), "sage,noderag")) for name in SYSTEMS]
        mixed = [(name + ", shuffled", indexed(program, folder, os.path.join(data, name), "sage", True)) for name in SHUFFLED]

        print("### SAGE beside flat retrieval at equal budget: recall of everything returned, and the difference to `sage-flat`\n")
        rows = []
        for name, index in corpora + mixed:
            rules = dict(SAGE, **({"default, `link_edges=on`": ["link_edges=on"]} if name.startswith("ottqa") else {}))
            cells = {rule: [] for rule in rules}
            flat = []
            for seeds, near in BUDGETS:
                budget = "".join(f"@{p}={v}" for p, v in [("sage_seeds", seeds), ("sage_neighbours", near), ("result_k", seeds + near)])
                methods = ["flat=sage-flat" + budget]
                methods += [f"r{at}=sage{budget}" + "".join(f"@{s}" for s in sets) for at, sets in enumerate(rules.values())]
                base, *others = map(recall, runs(program, index, methods))
                flat.append(mean(base))
                for rule, other in zip(rules, others):
                    cells[rule].append(f"{mean(other)}, {gains(other, base)}")
            rows.append([name, "flat", *flat])
            rows.extend(["", rule, *row] for rule, row in cells.items())
        table(["", "", *(f"{k}, {n}" for k, n in BUDGETS)], rows)

        for title, first, changes in [
            ("NodeRAG, one change after the other: R@5 / R@10 / R@20, and the difference at R@10 to the first", NODERAG[0][1], NODERAG),
            ("NodeRAG without a part: R@5 / R@10 / R@20, and the difference at R@10 to the default", [], [("default", []), *PARTS]),
        ]:
            print(f"### {title}\n")
            cells = {label: [] for label, _ in changes}
            for _, index in corpora:
                named = [f"r{at}=noderag" + "".join(f"@{s}" for s in sets) for at, (_, sets) in enumerate(changes)]
                found = runs(program, index, named)
                for (label, sets), rows in zip(changes, found):
                    cell = " / ".join(mean(of(rows, m)) for m in ["R@5", "R@10", "R@20"])
                    if sets != first:
                        cell += f", {gains(of(rows, 'R@10'), of(found[0], 'R@10'))}"
                    cells[label].append(cell)
            compared = ["dense", "bm25", "graph-rrf"]
            rows = [[label, *row] for label, row in cells.items()]
            if changes is NODERAG:
                beside = [evaluate(program, index, compared, []) for _, index in corpora]
                rows += [[m, *(pair(b[m], ("R@5", "R@10", "R@20")) for b in beside)] for m in compared]
            table(["", *SYSTEMS], rows)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(here)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", default=os.path.join(os.path.dirname(root), "shared"))
    parser.add_argument("--program", help="a built hopscope; else cargo builds it")
    parser.add_argument("--untitled", action="store_true", help="corpora without titles, with intervals")
    parser.add_argument("--systems", action="store_true", help="SAGE, NodeRAG, E2GraphRAG and HippoRAG 2, with intervals")
    parser.add_argument("--low-cost", action="store_true", help="KET-RAG's published low-cost table, shuffled")
    args = parser.parse_args()
    if args.program:
        program = [args.program]
    else:
        program = ["cargo", "run", "--release", "--quiet", "--manifest-path", os.path.join(root, "Cargo.toml"), "--"]
    if args.untitled:
        return untitled(program, os.path.join(args.shared, "data"))
    if args.low_cost:
        return low_cost(program, os.path.join(args.shared, "data"))
    if args.systems:
        systems(program, os.path.join(args.shared, "data"))
        return beside_dense(program, os.path.join(args.shared, "data"))
    methods = [m["name"] for m in json.loads(call(program, "methods", "--json"))]

    ours, again, golden = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (known, data) in SETS.items():
            index = os.path.join(folder, name)
            corpus = os.path.join(args.shared, "data", data)
            call(program, "index", corpus, "--out", index)
            plain = os.path.join(folder, name + ".regex")
            # The reference's mentions are the literal pattern's.
            call(program, "index", corpus, "--out", plain, "--set", "ner=regex")
            ours[name] = {}
            for method in methods:
                # A method may need a layer that this index has not: it says so, and has no figure.
                try:
                    ours[name].update(evaluate(program, index, [method], []))
                except SystemExit as said:
                    print(str(said).splitlines()[-1], file=sys.stderr)
            again[name], golden[name] = {}, {}
            for run in [*RUNS, *DENSE, *FUSED]:
                path = os.path.join(args.shared, "golden", f"{known}.{run}.json")
                if os.path.exists(path):
                    golden[name][run] = json.load(open(path))["metrics"]
            for run, (method, settings) in RUNS.items():
                again[name][run] = evaluate(program, plain, [method], ["ner=regex", *settings])[method]
            print(f"{name} done", file=sys.stderr)

    print("### Every default, built-in encoder: R@5 / R@10, then reciprocal rank (RR)\n")
    shown = [m for m in methods if any(m in ours[name] for name in SETS)]
    table(["", *SETS], ([m, *(f"{pair(ours[s].get(m, {}))}, {number(ours[s].get(m, {}).get('RR'))}" for s in SETS)] for m in shown))

    print("### The published order\n\nDifference in the measure; **no** where the order does not hold. First our defaults, in brackets the reference's own figures.\n")
    of_golden = {"bm25": "bm25", "bm25-rm3": "bm25_rm3", "tfidf-graph": "tfidf_graph", "graph": "graph_uniform",
                 "graph-hybrid": "graph_hybrid_k5", **{m: run for run, m in DENSE.items()}}
    rows = []
    for measure, high, low in ORDER:
        row = [f"{measure}: {high} > {low}"]
        for s in SETS:
            difference = ours[s][high][measure] - ours[s][low][measure]
            cell = f"{difference:+.3f}" + ("" if difference > 0 else " **no**")
            there = [golden[s].get(of_golden.get(m), {}).get(MEASURES[measure]) for m in (high, low)]
            cell += f" ({there[0] - there[1]:+.3f})" if None not in there else ""
            row.append(cell)
        rows.append(row)
    table(["", *SETS], rows)

    print("### The reference's own settings: ours | the reference's, R@5 / R@10 / Success@10 / RR\n")
    names = list(MEASURES)
    different = 0
    rows = []
    for run in RUNS:
        row = [run]
        for s in SETS:
            a, b = again[s][run], golden[s].get(run)
            if b is None:
                row.append(pair(a, names))
                continue
            theirs = {n: b[MEASURES[n]] for n in names}
            equal = all(abs(a[n] - theirs[n]) < 5e-4 for n in names)
            different += not equal
            row.append(pair(a, names) + (" \\| =" if equal else f" \\| **{pair(theirs, names)}**"))
        rows.append(row)
    table(["", *SETS], rows)
    print(f"{different} of {len(RUNS) * len(SETS)} differ by .0005 or more.\n")

    print("### Encoders: our default's figure | the reference's with MiniLM, R@5 / R@10\n")
    rows = []
    for run, method in [*DENSE.items(), *FUSED.items()]:
        if not any(method in ours[s] for s in SETS):
            continue
        theirs = lambda s: pair({n: golden[s].get(run, {}).get(MEASURES[n]) for n in names})
        rows.append([f"{method} \\| {run}", *(f"{pair(ours[s].get(method, {}))} \\| {theirs(s)}" for s in SETS)])
    table(["", *SETS], rows)


if __name__ == "__main__":
    main()
