#!/usr/bin/env python3
"""hop beside its rivals, with paired intervals, as Markdown: `python3 benches/hop.py > hop.md`.

Needs ../shared/data and ../shared/golden (or --shared FOLDER) and a release build (or --program BIN). Standard library
only. Every set is indexed twice: with the built-in table, and with the reference's MiniLM vectors where it has them.
"""

import argparse
import json
import os
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", default=os.path.join(HERE, "..", "..", "shared"))
    parser.add_argument("--program", default="hopscope")
    parser.add_argument("--set", action="append", default=[], help="hop with another setting, NAME=VALUE")
    args = parser.parse_args()

    def run(*words):
        return subprocess.run([args.program, *words], check=True, capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory() as folder:
        for encoder in ["built-in table", "MiniLM"]:
            print(f"\n### {encoder}\n")
            print("| set | method | " + " | ".join(MEASURES) + " | p50 / p95 ms | hop's gain at R@5 | at R@10 |")
            print("|---" * (len(MEASURES) + 5) + "|")
            for name, (data, golden) in SETS.items():
                vectors = []
                if encoder == "MiniLM":
                    if golden is None:
                        continue
                    file = os.path.join(args.shared, "golden", "vectors", f"{golden}.mini.")
                    vectors = ["--vectors", file + "d.npy", "--question-vectors", file + "q.npy"]
                out = os.path.join(folder, f"{name}-{encoder[:4]}")
                run("index", os.path.join(args.shared, "data", data), "--out", out, *vectors)
                words = [w for s in args.set for w in ("--set", s)]
                report = json.loads(run("eval", out, "--method", ",".join(["hop", *RIVALS]), "--json", *words))
                compared = {c["b"]: c["measures"] for c in report["comparisons"]}
                for method in report["methods"]:
                    cells = [f"{method['measures'][m]:.3f}" for m in MEASURES]
                    latency = method["latency_ms"]
                    cells.append(f"{latency['p50']:.1f} / {latency['p95']:.1f}")
                    for measure in ["R@5", "R@10"]:
                        found = compared.get(method["method"], {}).get(measure)
                        # The difference is rival minus hop.
                        cells.append(
                            f"{-found['difference']:+.3f} [{-found['interval'][1]:+.3f}, {-found['interval'][0]:+.3f}]"
                            if found
                            else ""
                        )
                    print(f"| {name} | {method['method']} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
