"""Makes reference.json: what numpy, scipy and ir_measures say about small made-up evaluations.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy scipy ir_measures
    /tmp/venv/bin/python tests/statistics/make.py > tests/statistics/reference.json

Nothing here shares code or random numbers with hopscope. scipy's permutation test of n paired values goes through all
2^n swaps when that is asked for; its bootstrap and hopscope's differ by the noise of their draws.
"""

import json
import sys
import warnings

import ir_measures
import numpy as np
import scipy
from ir_measures import RR, R, Success, nDCG
from scipy import stats

warnings.filterwarnings("ignore")
rng = np.random.default_rng(20240607)


def mean(x, axis=-1):
    return np.mean(x, axis=axis)


def paired(a, b, exact):
    d = np.asarray(b) - np.asarray(a)
    boot = stats.bootstrap((d,), mean, n_resamples=200_000, method="percentile", vectorized=True,
                           batch=2_000, rng=np.random.default_rng(1)).confidence_interval
    # permutation_type="samples" on one sample flips signs: every one of 2^n when n_resamples is infinite.
    test = stats.permutation_test((d,), mean, permutation_type="samples", vectorized=True, batch=2_000,
                                  n_resamples=np.inf if exact else 200_000,
                                  rng=np.random.default_rng(2))
    return {"a": list(a), "b": list(b), "difference": float(d.mean()),
            "interval": [float(boot.low), float(boot.high)], "p": float(test.pvalue), "exact": exact,
            "deviation": float(d.std() / np.sqrt(len(d)))}


def made(n, gain, spread):
    a = rng.choice([0, .5, 1], n, p=[.3, .4, .3])
    b = np.clip(a + rng.choice([-spread, 0, spread], n, p=[.2, .5 - gain, .3 + gain]), 0, 1)
    return a.round(6).tolist(), b.round(6).tolist()


def fine(n, gain):
    a = rng.random(n)
    b = np.clip(a + gain + .2 * rng.standard_normal(n), 0, 1)
    return a.round(6).tolist(), b.round(6).tolist()


comparisons = [paired(*fine(12, .05), True), paired(*fine(16, .1), True), paired(*made(18, .1, .5), True),
               paired(*fine(120, .03), False), paired(*made(300, .1, .5), False), paired(*fine(200, .0), False)]

# Rankings of 40 passages with graded gold, some of it missing from the corpus, some questions without a hit.
NAMES = ["R@2", "R@5", "R@10", "R@20", "Success@10", "RR", "nDCG@10"]
MEASURES = [R @ 2, R @ 5, R @ 10, R @ 20, Success @ 10, RR, nDCG @ 10]
rankings, qrels, run = [], [], []
for q in range(24):
    depth = int(rng.choice([0, 1, 3, 8, 15, 30, 40], p=[.05, .05, .1, .1, .2, .25, .25]))
    ranking = rng.permutation(40)[:depth].tolist()
    gold = [[int(p), float(rng.choice([1, 1, 1, 2, 3]))] for p in rng.permutation(40)[:int(rng.integers(1, 15))]]
    missing = int(rng.choice([0, 0, 1, 2]))
    rankings.append({"ranking": ranking, "gold": gold, "missing": missing})
    qrels += [ir_measures.Qrel(f"q{q}", f"d{p}", int(g)) for p, g in gold]
    qrels += [ir_measures.Qrel(f"q{q}", f"gone{i}", 1) for i in range(missing)]
    run += [ir_measures.ScoredDoc(f"q{q}", f"d{p}", 100.0 - at) for at, p in enumerate(ranking)]
for value in ir_measures.iter_calc(MEASURES, qrels, run):
    at = MEASURES.index(value.measure)
    rankings[int(value.query_id[1:])].setdefault("measures", {})[NAMES[at]] = value.value
for r in rankings:  # ir_measures is silent on a question without results: all measures are 0
    r.setdefault("measures", {})
    r["measures"] = {name: r["measures"].get(name, 0.0) for name in NAMES}
total = ir_measures.calc_aggregate(MEASURES, qrels, run)
p = sorted(float(x) for x in rng.random(7).round(4) ** 3)
rng.shuffle(p)

versions = {"numpy": np.__version__, "scipy": scipy.__version__, "ir_measures": "0.4.3"}
json.dump({"made_by": "tests/statistics/make.py", "versions": versions, "comparisons": comparisons,
           "rankings": rankings, "mean": {n: total[m] for n, m in zip(NAMES, MEASURES)},
           "quantile": {"values": p, "low": float(np.quantile(p, .025)), "high": float(np.quantile(p, .975))}},
          sys.stdout, indent=None, separators=(",", ":"))
print()
