#!/usr/bin/env python3
"""hop beside its rivals, with paired intervals, and its speed, as Markdown: `python3 benches/hop.py > hop.md`.

Needs ../shared/data and ../shared/golden (or --shared FOLDER) and a release build (or --program BIN). Standard library
only. Every set is indexed twice: with the built-in table, and with MiniLM, whose vectors are the reference's where it has
them and made by --bert FOLDER elsewhere (left out without it).
"""

import argparse
import json
import os
import random
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Set: corpus folder, golden name of its MiniLM vectors.
SETS = {
    "hotpotqa-train100": ("hotpotqa-train100/native", "hotpot100"),
    "hotpotqa-dev500": ("hotpotqa-dev500", "hotpotqa-dev500"),
    "musique-train100": ("musique-train100/native", "musique100"),
    "ottqa-300": ("ottqa-300", None),
    "scifact": ("scifact", None),
}
RIVALS = ["graph-rrf", "rrf", "bm25"]
MEASURES = ["R@2", "R@5", "R@10", "RR"]
# Questions of real people for passages without any: only the clock is read.
ASKED = "hotpotqa-dev500"


def interval(gains, resamples=2000):
    """The mean of paired differences and its 95 % bootstrap interval."""
    draw = random.Random(1)
    count = len(gains)
    means = sorted(sum(draw.choices(gains, k=count)) / count for _ in range(resamples))
    low, high = means[int(0.025 * resamples)], means[int(0.975 * resamples)]
    return f"{sum(gains) / count:+.3f} [{low:+.3f}, {high:+.3f}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", default=os.path.join(HERE, "..", "..", "shared"))
    parser.add_argument("--program", default="hopscope")
    parser.add_argument("--bert", metavar="FOLDER", help="MiniLM for the sets without stored vectors")
    parser.add_argument("--set", action="append", default=[], help="hop with another setting, NAME=VALUE")
    parser.add_argument("--repeats", type=int, default=3, help="runs of the clock")
    args = parser.parse_args()
    data = os.path.join(args.shared, "data")
    settings = [w for s in args.set for w in ("--set", s)]

    def run(*words, threads=None):
        env = dict(os.environ, RAYON_NUM_THREADS=str(threads)) if threads else None
        return subprocess.run([args.program, *words], check=True, capture_output=True, text=True, env=env).stdout

    def quality(folder):
        for encoder in ["built-in table", "MiniLM"]:
            print(f"\n### {encoder}\n")
            print("| set | method | " + " | ".join(MEASURES) + " | hop's gain at R@5 | at R@10 |")
            print("|---" * (len(MEASURES) + 4) + "|")
            for name, (corpus, golden) in SETS.items():
                vectors = []
                if encoder == "MiniLM" and golden:
                    file = os.path.join(args.shared, "golden", "vectors", f"{golden}.mini.")
                    vectors = ["--vectors", file + "d.npy", "--question-vectors", file + "q.npy"]
                elif encoder == "MiniLM":
                    if not args.bert:
                        continue
                    vectors = ["--encoder", f"bert:{args.bert}"]
                out = os.path.join(folder, f"{name}-{encoder[:4]}")
                run("index", os.path.join(data, corpus), "--out", out, *vectors)
                # The settings are hop's: rivals keep their own.
                hop = json.loads(run("eval", out, "--method", "hop", "--json", *settings))["methods"]
                rivals = json.loads(run("eval", out, "--method", ",".join(RIVALS), "--json"))["methods"]
                for method in hop + rivals:
                    cells = [f"{method['measures'][m]:.3f}" for m in MEASURES]
                    for measure in ["R@5", "R@10"]:
                        pairs = zip(hop[0]["per_question"], method["per_question"])
                        gains = [a["measures"][measure] - b["measures"][measure] for a, b in pairs]
                        cells.append(interval(gains) if method is not hop[0] else "")
                    print(f"| {name} | {method['method']} | " + " | ".join(cells) + " |", flush=True)

    def speed(folder):
        print("\n### Speed: ms a question, built-in table, one thread, one question after the other\n")
        print("| passages | run | hop p50 / p95 | graph-rrf p50 / p95 | load of the machine |\n|---|---|---|---|---|")
        questions = os.path.join(data, ASKED, "queries.jsonl")
        for name, corpus in [("5 k", ASKED), ("25 k", "scale")]:
            out = os.path.join(folder, f"speed-{corpus}")
            run("index", os.path.join(data, corpus), "--out", out)
            passages = os.path.join(data, corpus)
            if os.path.isdir(passages):
                files = sorted(f for f in os.listdir(passages) if f.endswith(".jsonl") and "quer" not in f)
                passages = os.path.join(passages, files[0])
            with open(passages) as file:
                first = json.loads(file.readline())["_id"]
            # Any gold will do.
            qrels = os.path.join(folder, "qrels.tsv")
            with open(questions) as asked, open(qrels, "w") as file:
                file.write("query-id\tcorpus-id\tscore\n")
                file.writelines(f"{json.loads(line)['_id']}\t{first}\t1\n" for line in asked)
            for turn in range(args.repeats):
                words = ["eval", out, "--questions", questions, "--qrels", qrels, "--json"]
                hop = json.loads(run(*words, "--method", "hop", *settings, threads=1))["methods"]
                rival = json.loads(run(*words, "--method", "graph-rrf", threads=1))["methods"]
                times = [m["latency_ms"] for m in hop + rival]
                cells = [f"{t['p50']:.1f} / {t['p95']:.1f}" for t in times]
                print(f"| {name} | {turn + 1} | " + " | ".join(cells) + f" | {os.getloadavg()[0]:.1f} |", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        quality(folder)
        speed(folder)


if __name__ == "__main__":
    main()
