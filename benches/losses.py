#!/usr/bin/env python3
"""Why gold is lost and what brings it back, as Markdown: `python3 benches/losses.py --program target/release/hopscope`.

Needs ../shared/data (or --shared FOLDER). Standard library only. Every set is indexed once, with the layers of the
methods, in a temporary folder, or taken from --indexes FOLDER; then `hopscope eval --losses --repairs=SAMPLE --json` says
for every lost gold passage what the verdict is, and for a sample of them whether a change that was tried brings it in; of
the settings that do, those that do so most often are priced: what each does to R@5 of the whole set, by `hopscope sweep`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter

SETS = ["hotpotqa-dev500", "musique-train100", "2wiki-dev284"]
METHODS = ["hop", "graph", "graph-rrf", "sage", "linearrag", "hipporag2", "noderag", "ket-rag-p"]
LAYERS = ["sage", "facts", "noderag", "ket"]
# Verdicts of a set and method that are listed, and settings that are priced.
SHOWN = 6
PRICED = 3
# Of more lost passages so many are drawn: one takes a second or two.
SAMPLE = 40


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/hopscope")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--indexes", help="a folder that has every set indexed with both layers, under its name")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="changes are tried for so many of the lost of a set and method")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--no-repairs", action="store_true", help="verdicts alone, in seconds")
    args = parser.parse_args()
    data = os.path.join(args.shared, "data")
    if not args.indexes and not os.path.isdir(data):
        sys.exit(f"{data}: no such folder; name the one that has data/ with --shared")
    rows, verdicts, prices = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets.split(","):
            index = os.path.join(args.indexes or folder, name)
            if not args.indexes:
                corpus = os.path.join(data, name)
                run(args.program, "index", corpus, "--out", index, "--with", ",".join(LAYERS))
            for method in args.methods.split(","):
                began = time.monotonic()
                repairs = [] if args.no_repairs else [f"--repairs={args.sample}", "--seed", str(args.seed)]
                told = run(args.program, "eval", index, "--method", method, "--losses", "--json", *repairs)
                lost = json.loads(told)["losses"][0]
                rows.append(row(name, method, lost))
                codes = Counter(lost["codes"]).most_common(SHOWN)
                verdicts.append(f"| {name} | {method} | " + ", ".join(f"{code} {count}" for code, count in codes) + " |")
                often = Counter(lost.get("settings", {})).most_common(PRICED)
                prices += [price(args.program, index, name, method, *one) for one in often]
                print(f"{name} {method}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    print("| set | method | lost of gold | a proven cause | by class | tried | a setting | a seed | the graph | two changes | any |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
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
    share = lambda part, of: f"{part} ({100 * part / max(of, 1):.0f} %)"
    classes = " ".join(f"{key} {value}" for key, value in sorted(lost["classes"].items()))
    cells = [name, method, f"{count} of {lost['gold']}", share(lost["causes"], count), classes]
    repaired = lost.get("repaired")
    if repaired is None:
        cells += ["-"] * 6
    else:
        by = [repaired.get(key, 0) for key in ("by_setting", "by_seed", "by_graph", "by_two")]
        tried = repaired["of"]
        cells += [str(tried)] + [share(part, tried) for part in by + [sum(by)]]
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
