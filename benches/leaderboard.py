#!/usr/bin/env python3
"""Every method on every set, beside published figures, as Markdown: `python3 benches/leaderboard.py --out docs/leaderboard.md`.

Standard library only. Needs a release build (--program) and the sets: folders under --data, files of --full, and whatever
--set NAME=PATH names. A set that is not there gets a line that says which file would bring it in. Every set is indexed with
every layer, in --indexes or in a temporary folder; every method then answers in a process of its own, so that memory is its
own too. FILE.json beside the page has what a row leaves out: all settings, fingerprints, measures, and times.

A learned order must not be judged on questions that it was trained on. The shipped rankers were trained on the released sets, so
for each of these the families of the others train rankers that have not seen its questions, as `hopscope tune` does.
"""

import argparse
import csv
import datetime
import json
import os
import subprocess
import sys
import tempfile

from hop import interval

HERE = os.path.dirname(os.path.abspath(__file__))
# Released set: its family, as the shipped rankers were trained.
RELEASED = {
    "musique-train100": "M",
    "hotpotqa-train100": "H",
    "hotpotqa-dev500": "H",
    "2wiki-dev284": "W",
    "ottqa-300": "O",
    "scifact": "S",
}
# The whole development sets, by the names that their authors gave the files.
FULL = {
    "hotpotqa-dev": "hotpot_dev_distractor_v1.json",
    "musique-dev": "musique_ans_v1.0_dev.jsonl",
    "2wiki-dev": "dev.json",
}
LAYERS = "facts,e2graphrag,ket,noderag,sage"
# Learned orders, and what their rankers are called in the folder of --rankers.
LEARNED = {"hop": "hop", "graph-rrf > ranked": "graph-rrf-ranked"}
MEASURES = ["R@2", "R@5", "R@10", "All@5", "RR", "nDCG@10"]
AGAINST = "rrf"
PUBLISHED = ["R@5", "R@10"]
# A small process starts the run: what is started has the memory of whoever started it for its peak.
WATCHED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""
# Systems whose papers measure something else.
ELSEWHERE = [
    ("E2GraphRAG", "accuracy and ROUGE-L of answers on whole books"),
    ("KET-RAG", "how often the context holds the answer, exact match and F1 of a model's answers"),
    ("NodeRAG", "accuracy of answers as a model judges them"),
    ("SAGE, SPARK", "R@20 on STaRK's graphs of products, papers and diseases"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/hopscope")
    parser.add_argument("--data", default=os.path.join(HERE, "..", "..", "shared", "data"), help="folder of the released sets")
    parser.add_argument("--full", metavar="FOLDER", help="folder with " + ", ".join(FULL.values()))
    parser.add_argument("--set", action="append", default=[], metavar="NAME=PATH", help="another corpus with questions, or an index")
    parser.add_argument("--methods", help="comma-separated; default: all, and the learned orders")
    parser.add_argument("--indexes", metavar="FOLDER", help="keeps the indexes, and takes those that are there")
    parser.add_argument("--rankers", metavar="FOLDER", help="keeps the rankers, and takes those that are there")
    parser.add_argument("--remark", default="", help="a sentence for the head of the page, on the machine or the build")
    parser.add_argument("--out", metavar="FILE.md", help="default: standard output, without the JSON")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        board = Board(args.program, args.indexes or folder, args.rankers or folder)
        places = sets(args)
        chosen = args.methods.split(",") if args.methods else [m["name"] for m in json.loads(board.call("methods", "--json"))]
        for name, (path, needed) in places.items():
            if path and os.path.exists(path):
                board.index(name, path)
            else:
                board.missing.append((name, needed))
        for name in board.sets:
            for method in chosen + [m for m in LEARNED if not args.methods and m not in chosen]:
                board.ask(name, method)
    page = markdown(board, args.remark)
    if not args.out:
        print(page, end="")
        return
    with open(args.out, "w") as file:
        file.write(page)
    with open(os.path.splitext(args.out)[0] + ".json", "w") as file:
        json.dump(board.record(), file, indent=1)
        file.write("\n")


def sets(args):
    """Name: its path, where there may be one, and what a person would have to supply."""
    all_sets = {name: (os.path.join(args.data, name), f"a folder {name} in --data") for name in RELEASED}
    for name, file in FULL.items():
        all_sets[name] = (os.path.join(args.full, file) if args.full else None, f"{file} in the folder of --full")
    for named in args.set:
        name, _, path = named.partition("=")
        if not path:
            sys.exit(f"--set {named}: write NAME=PATH")
        if not os.path.exists(path):
            sys.exit(f"--set {named}: {path} does not exist")
        all_sets[name] = (path, "")
    return all_sets


class Board:
    def __init__(self, program, indexes, rankers):
        self.program, self.indexes, self.rankers = program, indexes, rankers
        self.sets, self.rows, self.refused, self.missing = {}, {}, {}, []
        self.version = self.call("--version").strip()

    def call(self, *words):
        done = subprocess.run([self.program, *words], capture_output=True, text=True)
        if done.returncode:
            raise Refused(done.returncode, done.stderr)
        return done.stdout

    def index(self, name, path):
        index = path if os.path.exists(os.path.join(path, "manifest.json")) else os.path.join(self.indexes, name)
        if not os.path.exists(os.path.join(index, "manifest.json")):
            say(f"{name}: indexing")
            self.call("index", path, "--out", index, "--with", LAYERS)
        with open(os.path.join(index, "manifest.json")) as file:
            manifest = json.load(file)
        kept = ("passages", "entities", "edges", "fingerprint", "program", "dense")
        self.sets[name] = {"index": index, "size": {key: manifest[key] for key in kept}}

    def facts(self, name):
        """Who made the facts of an index: a model, where its triples lay beside the corpus; else rules."""
        told = self.call("trace", self.sets[name]["index"], "what", "--method", "hipporag2", "--json")
        _, found, rest = told.partition('"made_by": "')
        return rest.partition('"')[0] if found else "rules"

    def ranker(self, method, family):
        """A ranker of the other families of released sets, for a method that ends in one."""
        others = [(own, name) for name, own in RELEASED.items() if own != family and name in self.sets]
        if not others:
            return None
        out = os.path.join(self.rankers, f"{LEARNED[method]}-without-{family}.json")
        if not os.path.exists(out):
            say(f"{method}: learning without {family}")
            named = [f"{own}={self.sets[name]['index']}" for own, name in others]
            self.call("tune", *named, "--method", method, "--out", out)
        return out

    def ask(self, name, method):
        said, label = method, method
        family = RELEASED.get(name)
        if method in LEARNED and family:
            ranker = self.ranker(method, family)
            if ranker is None:
                self.refused[name, method] = "there is no other family to learn from"
                return
            said, label = f"{method}@ranker={ranker}", f"{method}, family unseen"
        words = ["eval", self.sets[name]["index"], "--method", said, "--json"]
        try:
            told, peak = self.measured(words)
        except Refused as why:
            self.refused[name, method] = str(why)
            return
        run = json.loads(told)["methods"][0]
        run["settings"] = {key: value for key, value in run["settings"].items() if key != "ranker" or label == method}
        self.rows.setdefault(name, []).append({"method": label, "peak_memory_bytes": peak, "run": run})
        say(f"{name} {label}: R@5 {run['measures']['R@5']:.3f}")

    def measured(self, words):
        """What a run prints, and the largest memory it had."""
        with tempfile.NamedTemporaryFile("r") as peak:
            done = subprocess.run([sys.executable, "-c", WATCHED, peak.name, self.program, *words], capture_output=True, text=True)
            if done.returncode:
                raise Refused(done.returncode, done.stderr)
            return done.stdout, int(peak.read()) * 1024

    def record(self):
        rows = [
            {"set": name, "method": row["method"], "peak_memory_bytes": row["peak_memory_bytes"]}
            | {key: row["run"][key] for key in ("settings", "measures", "latency_ms")}
            for name, rows in self.rows.items()
            for row in rows
        ]
        sizes = {name: own["size"] for name, own in self.sets.items()}
        return {"program": self.version, "machine": machine(), "seed": 1, "sets": sizes, "runs": rows}


class Refused(Exception):
    def __init__(self, status, said):
        """The program's last line, without its name and the advice that follows."""
        last = (said.strip().splitlines() or [f"exit {status}"])[-1]
        super().__init__(last.removeprefix("hopscope: ").partition(" (")[0].partition("; ")[0])


def say(line):
    print(line, file=sys.stderr, flush=True)


def machine():
    with open("/proc/cpuinfo") as file:
        models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return f"{len(models)} cores of {models[0] if models else 'an unknown processor'}"


def figure(value):
    return f"{value:.3f}".replace("0.", ".", 1) if value < 1 else f"{value:.3f}"


def markdown(board, remark):
    lines = [
        "# Leaderboard",
        "",
        f"Made by `python3 benches/leaderboard.py --out docs/leaderboard.md` on {datetime.date.today()}: {board.version}, {machine()}.",
        "Every method has every default and the built-in encoder, asks no language model, and gives its best passages in order. Times are",
        "milliseconds a question; memory is the peak of the whole process with the index open. `leaderboard.json` has the settings, the",
        "fingerprints and all measures." + (f" {remark}" if remark else ""),
        "",
        "The shipped orders of `hop` and `METHOD > ranked` were trained on these sets. *Family unseen* is the same method with a ranker",
        "trained on the other families alone: what to expect of a set of one's own. Gains are R@5 less that of",
        f"`{AGAINST}`, paired over the questions, with a 95 % bootstrap interval (2,000 resamples, seed 1).",
    ]
    for name, rows in board.rows.items():
        size = board.sets[name]["size"]
        asked = len(rows[0]["run"]["per_question"])
        lines += ["", f"## {name}", "", f"{asked:,} questions, {size['passages']:,} passages.", ""]
        lines += [f"| method | {' | '.join(MEASURES)} | gain at R@5 | p50 / p95 ms | memory |", "|---" * (len(MEASURES) + 4) + "|"]
        other = next((row["run"] for row in rows if row["method"] == AGAINST), None)
        for row in sorted(rows, key=lambda row: -row["run"]["measures"]["R@5"]):
            run, gain = row["run"], ""
            if other and run is not other:
                pairs = zip(run["per_question"], other["per_question"])
                gain = interval([a["measures"]["R@5"] - b["measures"]["R@5"] for a, b in pairs]).replace("0.", ".")
            cells = [figure(run["measures"][measure]) for measure in MEASURES]
            times = run["latency_ms"]
            cells += [gain, f"{times['p50']:.1f} / {times['p95']:.1f}", f"{row['peak_memory_bytes'] / 1e6:.0f} MB"]
            lines.append(f"| {row['method']} | {' | '.join(cells)} |")
        if any(row["method"] == "hipporag2" for row in rows):
            lines += ["", f"Facts of `hipporag2`: {board.facts(name)}."]
        refused = [(method, why) for (own, method), why in board.refused.items() if own == name]
        if refused:
            lines += ["", "Not run: " + "; ".join(f"`{method}` ({why})" for method, why in refused) + "."]
    if board.missing:
        lines += ["", "## Not here", "", "| set | what brings it in |", "|---|---|"]
        lines += [f"| {name} | {needed} |" for name, needed in board.missing]
    lines += ["", "## Published figures", ""]
    lines += [
        "These are the authors' own figures, on other questions and usually on more passages. Compare one with ours only where the last",
        "column names a set.",
        "",
    ]
    lines += published(board)
    lines += ["", "Not comparable at all, since their papers measure something else:", ""]
    lines += [f"- {system}: {what}" for system, what in ELSEWHERE]
    return "\n".join(lines) + "\n"


def published(board):
    lines = ["| set | system | R@5 | R@10 | passages | questions | encoder | language model | source | our best R@5 |", "|---" * 10 + "|"]
    with open(os.path.join(HERE, "published.tsv"), newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            count = lambda text: f"{int(text):,}" if text else "not known here"
            cells = [row["set"], row["system"], *(row[m] or "-" for m in PUBLISHED), count(row["passages"]), count(row["questions"])]
            cells += [row["encoder"], row["language model"], row["source"], beside(board, row)]
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def beside(board, row):
    """Our best figure where a published row has the passages of one of our sets."""
    for name, own in board.sets.items():
        if not name.startswith(row["set"] + "-") or name not in board.rows:
            continue
        passages = own["size"]["passages"]
        asked = len(board.rows[name][0]["run"]["per_question"])
        if str(passages) != row["passages"]:
            continue
        best = max(board.rows[name], key=lambda own: own["run"]["measures"]["R@5"])
        same = "as many questions" if str(asked) == row["questions"] else f"{asked:,} questions"
        return f"{figure(best['run']['measures']['R@5'])} by {best['method']} on {name}: the same passages, {same}"
    return "-"


if __name__ == "__main__":
    main()
