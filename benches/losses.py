#!/usr/bin/env python3
"""Why gold is lost and what brings it back, as Markdown: `python3 benches/losses.py --program target/release/hopscope`.

Needs ../shared/data (or --shared FOLDER). Standard library only. Every set is indexed once, with the layers of NodeRAG and
KET-RAG, in a temporary folder; then `hopscope eval --losses --repairs --json` says for every lost gold passage what the
verdict is and whether a change that was tried brings it in; of the settings that do, those that do so most often are priced:
what each does to R@5 of the whole set, by `hopscope sweep`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

SETS = ["hotpotqa-dev500", "musique-train100", "2wiki-dev284"]
METHODS = ["hop", "graph-rrf", "noderag", "ket-rag-u"]
# Verdicts of a set and method that are listed, and settings that are priced.
SHOWN = 6
PRICED = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/hopscope")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--no-repairs", action="store_true", help="verdicts alone, in seconds")
    args = parser.parse_args()
    data = os.path.join(args.shared, "data")
    if not os.path.isdir(data):
        sys.exit(f"{data}: no such folder; name the one that has data/ with --shared")
    rows, verdicts, prices = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets.split(","):
            index = os.path.join(folder, name)
            corpus = os.path.join(data, name)
            run(args.program, "index", corpus, "--out", index, "--with", "noderag", "--with", "ket")
            for method in args.methods.split(","):
                repairs = [] if args.no_repairs else ["--repairs"]
                told = run(args.program, "eval", index, "--method", method, "--losses", "--json", *repairs)
                lost = json.loads(told)["losses"][0]
                rows.append(row(name, method, lost))
                codes = Counter(lost["codes"]).most_common(SHOWN)
                verdicts.append(f"| {name} | {method} | " + ", ".join(f"{code} {count}" for code, count in codes) + " |")
                often = Counter(lost.get("settings", {})).most_common(PRICED)
                prices += [price(args.program, index, name, method, *one) for one in often]
                print(f"{name} {method} done", file=sys.stderr)
    print("| set | method | lost of gold | specific | by class | a setting | a seed | the graph | two changes | any |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))
    print()
    print("| set | method | verdicts, the most frequent |")
    print("|---|---|---|")
    print("\n".join(verdicts))
    print()
    print("| set | method | setting | brings in | R@5 of the set | won | lost |")
    print("|---|---|---|---|---|---|---|")
    print("\n".join(prices))


def row(name, method, lost):
    count = lost["lost"]
    share = lambda part: f"{part} ({100 * part / max(count, 1):.0f} %)"
    classes = " ".join(f"{key} {value}" for key, value in sorted(lost["classes"].items()))
    cells = [name, method, f"{count} of {lost['gold']}", share(lost["specific"]), classes]
    repaired = lost.get("repaired")
    if repaired is None:
        cells += ["-"] * 5
    else:
        by = [repaired.get(key, 0) for key in ("by_setting", "by_seed", "by_graph", "by_two")]
        cells += [share(part) for part in by] + [share(sum(by))]
    return "| " + " | ".join(cells) + " |"


def price(program, index, name, method, setting, count):
    told = json.loads(run(program, "sweep", index, "--method", method, "--over", setting, "--json"))
    difference = told["points"][0]["difference"]
    low, high = difference["interval"]
    mean = f"{difference['difference']:+.4f} [{low:+.4f}, {high:+.4f}]"
    return f"| {name} | {method} | `{setting}` | {count} | {mean} | {difference['wins']} | {difference['losses']} |"


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    main()
