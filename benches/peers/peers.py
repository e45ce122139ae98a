#!/usr/bin/env python3
"""hopscope's walks and BM25 beside Python libraries: one graph, the same seeds and questions, one run.

Every library runs in a process of its own (so that its peak memory is its own) and waits while another is timed. A round
gives each, in an order that turns from round to round, the same block of questions; ratios are taken within a round, so
that what else the machine does weighs on all alike. See README.md.
"""

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import time

import numpy as np

TOP = 10


def peak():
    """The largest resident size of this process so far, in bytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


# --- what the peers read -----------------------------------------------------------------------------------------------


class Graph:
    """P by rows (from, to, probability), and the seeds of each question."""

    def __init__(self, folder):
        load = lambda name: np.load(f"{folder}/{name}.npy")
        self.about = json.load(open(f"{folder}/about.json"))
        self.alpha, self.steps = self.about["alpha"], self.about["steps"]
        self.n = self.about["nodes"]
        self.offsets = load("offsets").astype(np.int32)
        self.targets = load("targets").astype(np.int32)
        self.data = load("data")
        ends = np.concatenate([[0], load("seed_ends")]).astype(np.int64)
        nodes, mass = load("seed_nodes").astype(np.int64), load("seed_mass")
        self.seeds = [(nodes[a:b], mass[a:b]) for a, b in zip(ends[:-1], ends[1:])]

    def matrix(self):
        from scipy import sparse

        return sparse.csr_array((self.data, self.targets, self.offsets), shape=(self.n, self.n))

    def start(self, q):
        s = np.zeros(self.n)
        nodes, mass = self.seeds[q]
        s[nodes] = mass
        return s


class Words:
    """The words of every passage and question, as our index cuts them."""

    def __init__(self, folder):
        read = lambda name: [line.split() for line in open(f"{folder}/{name}.txt", encoding="utf-8")]
        self.about = json.load(open(f"{folder}/about.json"))
        self.passages, self.questions = read("passages"), read("questions")


class Vectors:
    """A vector of every passage and of every question, each of length 1 or 0."""

    def __init__(self, folder):
        self.about = json.load(open(f"{folder}/about.json"))
        self.passages = np.load(f"{folder}/vectors.npy")
        self.questions = np.load(f"{folder}/question_vectors.npy")

    def by(self, search):
        """Runs a search that says scores and passages of one row, and can be checked."""

        def dense(q):
            scores, found = search(q)
            row = np.zeros(len(self.passages))
            row[found[found >= 0]] = scores[found >= 0]
            return row

        run = lambda q: search(q)
        run.check = dense
        return run


# --- the peers: each makes `run(question) -> scores or hits`, and says what it built first -------------------------------


def scipy_power(folder):
    g = Graph(folder)
    start = time.perf_counter()
    transposed = g.matrix().T.tocsr()
    built = time.perf_counter() - start

    def run(q):
        s = g.start(q)
        restart = g.alpha * s
        r = s
        for _ in range(g.steps):
            r = transposed @ r
            r *= 1 - g.alpha
            r += restart
        return r

    return run, built


def scipy_limit(folder):
    """The exact limit, for the check alone: mass that dead ends drop is given back to the seeds by normalising."""
    g = Graph(folder)
    transposed = g.matrix().T.tocsr()

    def run(q):
        s = g.start(q)
        r = s
        for _ in range(120):
            r = g.alpha * s + (1 - g.alpha) * (transposed @ r)
        return r

    return run, 0.0


def numba_power(folder):
    import numba

    @numba.njit(fastmath=False)
    def power(offsets, sources, data, s, alpha, steps):
        n = s.size
        r, new = s.copy(), np.empty(n)
        for _ in range(steps):
            for v in range(n):
                total = 0.0
                for at in range(offsets[v], offsets[v + 1]):
                    total += data[at] * r[sources[at]]
                new[v] = alpha * s[v] + (1 - alpha) * total
            r, new = new, r
        return r

    g = Graph(folder)
    t = g.matrix().T.tocsr()
    run = lambda q: power(t.indptr, t.indices, t.data, g.start(q), g.alpha, g.steps)
    run(0)
    return run, 0.0


def numba_push(folder):
    import numba

    @numba.njit
    def push(offsets, targets, data, nodes, mass, n, alpha, epsilon):
        p, r = np.zeros(n), np.zeros(n)
        queued = np.zeros(n, dtype=np.bool_)
        queue = np.empty(n + 1, dtype=np.int32)
        head, tail = 0, 0
        for i in range(nodes.size):
            r[nodes[i]] = mass[i]
            if mass[i] > epsilon:
                queue[tail] = nodes[i]
                tail += 1
                queued[nodes[i]] = True
        while head != tail:
            u = queue[head]
            head = 0 if head == n else head + 1
            queued[u] = False
            m = r[u]
            r[u] = 0.0
            p[u] += alpha * m
            m *= 1 - alpha
            for at in range(offsets[u], offsets[u + 1]):
                v = targets[at]
                r[v] += m * data[at]
                if r[v] > epsilon and not queued[v]:
                    queue[tail] = v
                    tail = 0 if tail == n else tail + 1
                    queued[v] = True
        return p

    g = Graph(folder)

    def run(q):
        nodes, mass = g.seeds[q]
        return push(g.offsets, g.targets, g.data, nodes, mass, g.n, g.alpha, 1e-4)

    run(0)
    return run, 0.0


def sknetwork_power(folder):
    from sknetwork.ranking import PageRank

    g = Graph(folder)
    from scipy import sparse

    matrix = sparse.csr_matrix((g.data, g.targets, g.offsets), shape=(g.n, g.n))
    pagerank = PageRank(damping_factor=1 - g.alpha, solver="piteration", n_iter=g.steps, tol=0)
    return lambda q: pagerank.fit_predict(matrix, g.start(q)), 0.0


def igraph_prpack(folder):
    import igraph

    g = Graph(folder)
    start = time.perf_counter()
    # Each edge once: igraph's solver is about twice as fast on the undirected graph with the same walk as on P itself.
    sources = np.repeat(np.arange(g.n), np.diff(g.offsets))
    once = sources < g.targets
    graph = igraph.Graph(n=g.n, edges=np.column_stack([sources[once], g.targets[once]]))
    graph.es["weight"] = np.load(f"{folder}/symmetric.npy")[once].tolist()
    built = time.perf_counter() - start
    run = lambda q: np.array(
        graph.personalized_pagerank(
            directed=False, damping=1 - g.alpha, reset=g.start(q).tolist(), weights="weight", implementation="prpack"
        )
    )
    # What the call costs before it solves: the same attribute read for one node's strength.
    run.overhead = lambda q: graph.strength([0], weights="weight")
    return run, built


def networkx_pagerank(folder):
    import networkx

    g = Graph(folder)
    start = time.perf_counter()
    graph = networkx.from_scipy_sparse_array(g.matrix(), create_using=networkx.DiGraph)
    built = time.perf_counter() - start

    def run(q):
        nodes, mass = g.seeds[q]
        scores = networkx.pagerank(
            graph, alpha=1 - g.alpha, personalization=dict(zip(nodes.tolist(), mass.tolist())), max_iter=1000, tol=1e-12
        )
        return np.fromiter((scores[u] for u in range(g.n)), float, g.n)

    return run, built


def fast_pagerank_power(folder):
    from fast_pagerank import pagerank_power

    g = Graph(folder)
    from scipy import sparse

    matrix = sparse.csr_matrix((g.data, g.targets, g.offsets), shape=(g.n, g.n))
    return lambda q: pagerank_power(matrix, p=1 - g.alpha, personalize=g.start(q), tol=1e-6), 0.0


def bm25s_(backend):
    def make(folder):
        import bm25s

        w = Words(folder)
        start = time.perf_counter()
        engine = bm25s.BM25(method="lucene", k1=w.about["k1"], b=w.about["b"], backend=backend)
        engine.index(w.passages, show_progress=False)
        if backend == "numba":
            engine.activate_numba_scorer()
        built = time.perf_counter() - start

        def retrieve(questions):
            hits, scores = engine.retrieve(questions, k=TOP, show_progress=False, n_threads=1)
            return hits, scores

        def dense(q):
            hits, scores = retrieve([w.questions[q]])
            row = np.zeros(len(w.passages))
            row[hits[0]] = scores[0]
            return row

        run = lambda q: retrieve([w.questions[q]])
        run.check = dense
        run.batch = lambda qs: retrieve([w.questions[q] for q in qs])
        run(0)
        return run, built

    return make


def rank_bm25_okapi(folder):
    from rank_bm25 import BM25Okapi

    w = Words(folder)
    start = time.perf_counter()
    engine = BM25Okapi(w.passages, k1=w.about["k1"], b=w.about["b"])
    built = time.perf_counter() - start

    def run(q):
        scores = engine.get_scores(w.questions[q])
        best = np.argpartition(scores, -TOP)[-TOP:]
        return scores, best[np.argsort(-scores[best], kind="stable")]

    run.check = lambda q: run(q)[0]
    return run, built


def tantivy_py(folder):
    import tantivy

    w = Words(folder)
    start = time.perf_counter()
    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="whitespace").add_integer_field("at", stored=True, fast=True)
    index = tantivy.Index(schema.build())
    writer = index.writer(num_threads=1)
    for at, words in enumerate(w.passages):
        writer.add_document(tantivy.Document(text=" ".join(words), at=at))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    built = time.perf_counter() - start

    def query(q):
        words = [tantivy.Query.term_query(index.schema, "text", word) for word in w.questions[q]]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, word) for word in words])

    run = lambda q: searcher.search(query(q), limit=TOP, count=False).hits

    def dense(q):
        row = np.zeros(len(w.passages))
        for score, address in run(q):
            row[searcher.doc(address)["at"][0]] = score
        return row

    run.check = dense
    return run, built


def faiss_exact(folder):
    import faiss

    faiss.omp_set_num_threads(1)
    v = Vectors(folder)
    start = time.perf_counter()
    index = faiss.IndexFlatIP(v.passages.shape[1])
    index.add(v.passages)
    built = time.perf_counter() - start
    return v.by(lambda q: [found[0] for found in index.search(v.questions[q : q + 1], TOP)]), built


def faiss_hnsw(beam):
    def make(folder):
        import faiss

        v = Vectors(folder)
        faiss.omp_set_num_threads(os.cpu_count())
        start = time.perf_counter()
        index = faiss.IndexHNSWFlat(v.passages.shape[1], v.about["links"], faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = v.about["beam_when_built"]
        index.add(v.passages)
        built = time.perf_counter() - start
        faiss.omp_set_num_threads(1)
        index.hnsw.efSearch = beam
        return v.by(lambda q: [found[0] for found in index.search(v.questions[q : q + 1], TOP)]), built

    return make


def hnswlib_(beam):
    def make(folder):
        import hnswlib

        v = Vectors(folder)
        start = time.perf_counter()
        index = hnswlib.Index(space="ip", dim=v.passages.shape[1])
        index.init_index(len(v.passages), M=v.about["links"], ef_construction=v.about["beam_when_built"], random_seed=0)
        index.add_items(v.passages, num_threads=os.cpu_count())
        built = time.perf_counter() - start
        index.set_ef(beam)

        def search(q):
            found, far = index.knn_query(v.questions[q], k=TOP, num_threads=1)
            return 1 - far[0], found[0].astype(np.int64)

        return v.by(search), built

    return make


# name: (what is compared, maker, package, questions a round, questions checked)
PEERS = {
    "scipy": ("power", scipy_power, "scipy", 50, 100),
    "numba, written by hand": ("power", numba_power, "numba", 50, 100),
    "scikit-network": ("power", sknetwork_power, "scikit-network", 20, 100),
    "numba push 1e-4, written by hand": ("limit", numba_push, "numba", 50, 100),
    "igraph (prpack)": ("limit", igraph_prpack, "igraph", 8, 50),
    "fast-pagerank": ("limit", fast_pagerank_power, "fast-pagerank", 8, 20),
    "networkx": ("limit", networkx_pagerank, "networkx", 2, 6),
    "bm25s numba": ("bm25", bm25s_("numba"), "bm25s", 50, 100),
    "bm25s numba, a block at once": ("bm25", bm25s_("numba"), "bm25s", 50, 100),
    "bm25s numpy": ("bm25", bm25s_("numpy"), "bm25s", 50, 100),
    "tantivy-py": ("bm25", tantivy_py, "tantivy", 50, 100),
    "rank_bm25": ("bm25", rank_bm25_okapi, "rank-bm25", 8, 50),
    "faiss, exact": ("vectors", faiss_exact, "faiss-cpu", 50, 100),
    "faiss, HNSW, beam 64": ("vectors", faiss_hnsw(64), "faiss-cpu", 50, 100),
    "faiss, HNSW, beam 256": ("vectors", faiss_hnsw(256), "faiss-cpu", 50, 100),
    "hnswlib, beam 64": ("vectors", hnswlib_(64), "hnswlib", 50, 100),
    "hnswlib, beam 256": ("vectors", hnswlib_(256), "hnswlib", 50, 100),
    "exact limit": (None, scipy_limit, "scipy", 0, 100),
}
# name: (what is compared, engine of the bench, threads)
OURS = {
    "hopscope power": ("power", "power", 0),
    "hopscope power, 1 thread": ("power", "power", 1),
    "hopscope push 1e-4": ("limit", "push-1e-4", 0),
    "hopscope push 1e-5": ("limit", "push-1e-5", 0),
    "hopscope push 1e-6": ("limit", "push-1e-6", 0),
    "hopscope bm25": ("bm25", "bm25", 0),
    "hopscope nearest, exact": ("vectors", "nearest", 1),
    "hopscope nearest, HNSW, beam 64": ("vectors", "near-64", 1),
    "hopscope nearest, HNSW, beam 256": ("vectors", "near-256", 1),
}
WHOLE = {"question-bm25": "BM25", "question-graph-hybrid": "GraphHybrid"}


# --- one peer's process ------------------------------------------------------------------------------------------------


def serve(name, folder):
    """Obeys the same lines as `cargo bench --bench peers -- --serve DIR`."""
    run, built = PEERS[name][1](folder)
    say = lambda value: print(json.dumps(value), flush=True)
    say({"built": built})
    batch = name.endswith("at once")
    for line in sys.stdin:
        verb, *rest = line.split()
        if verb == "memory":
            say({"peak_bytes": peak()})
        elif verb == "overhead":
            start = time.perf_counter()
            run.overhead(0)
            say({"ms": [(time.perf_counter() - start) * 1e3]})
        elif verb == "time":
            questions = range(int(rest[0]), int(rest[1]))
            if batch:
                start = time.perf_counter()
                run.batch(questions)
                say({"ms": [(time.perf_counter() - start) * 1e3 / len(questions)] * len(questions)})
                continue
            ms = []
            for q in questions:
                start = time.perf_counter()
                run(q)
                ms.append((time.perf_counter() - start) * 1e3)
            say({"ms": ms})
        elif verb == "check":
            scores = getattr(run, "check", run)
            np.save(rest[2], np.array([scores(q) for q in range(int(rest[0]), int(rest[1]))]))
            say({})


class Process:
    def __init__(self, command, threads=0):
        # Threads that wait for each other on a shared machine slow the peers down many times over.
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        if threads:
            environment["RAYON_NUM_THREADS"] = str(threads)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, bufsize=1
        )

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args}: ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.hear()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


# --- the run ---------------------------------------------------------------------------------------------------------


def bench_binary(root):
    """Builds our side and says where it is."""
    out = subprocess.run(
        ["cargo", "bench", "--bench", "peers", "--no-run", "--message-format=json"],
        cwd=root, stdout=subprocess.PIPE, text=True, check=True,
    ).stdout
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return next(l["executable"] for l in lines if l.get("executable") and l["target"]["name"] == "peers")


def top(row, passages):
    row = row[:passages]
    return [int(p) for p in np.argsort(-row, kind="stable")[:TOP] if row[p] > 0]


def middle(values):
    values = sorted(values)
    return values[len(values) // 2]


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def ms(x):
    return f"{x:.3f}" if x < 1 else f"{x:.2f}" if x < 10 else f"{x:.0f}"


def ratio(x):
    return f"{x:.2f}" if x < 10 else f"{x:.0f}"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    data = os.path.join(os.path.dirname(root), "shared/data")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", default=f"{data}/hotpotqa-dev500", help="a corpus hopscope reads")
    parser.add_argument("--questions", default=f"{data}/hotpotqa-dev500", help="a corpus that has questions")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--check", type=int, default=40, help="questions whose scores are compared, at most")
    parser.add_argument("--work", default="/tmp/hopscope-peers", help="a folder for the index and what peers read")
    parser.add_argument("--binary", help="the built bench, to spare the build")
    parser.add_argument("--leave-out", default="", help="peers to leave out, by parts of names, separated by commas")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        return serve(args.serve, args.work)

    binary = args.binary or bench_binary(root)
    work = os.path.join(args.work, os.path.basename(os.path.normpath(args.corpus)))
    prepared = Process([binary, "--prepare", work, "--corpus", args.corpus, "--questions", args.questions])
    about = prepared.hear()
    prepared.end()
    n, questions = about["passages"], about["questions"]

    out = [part for part in args.leave_out.split(",") if part]
    ours = {threads: Process([binary, "--serve", work], threads) for threads in (0, 1)}
    peers, built = {}, {}
    for name in PEERS:
        if any(part in name for part in out):
            continue
        peers[name] = Process([sys.executable, __file__, "--serve", name, "--work", work])
        built[name] = peers[name].hear()["built"]

    def time_of(name, a, b):
        if name in OURS:
            _, engine, threads = OURS[name]
            return ours[threads].ask(f"time {engine} {a} {b}")["ms"]
        if name in WHOLE:
            return ours[0].ask(f"time {name} {a} {b}")["ms"]
        return peers[name].ask(f"time {a} {b}")["ms"]

    names = [*OURS, *WHOLE, *(p for p in peers if PEERS[p][0])]
    # times[name][round] = milliseconds by question
    times = {name: [] for name in names}
    block = 50
    overhead = []
    for turn in range(-1, args.rounds):
        first = max(turn, 0) * block % max(questions - block + 1, 1)
        order = names[turn % len(names):] + names[: turn % len(names)]
        for name in order:
            count = min(PEERS[name][3] if name in PEERS else block, questions)
            got = time_of(name, first, first + count)
            if turn >= 0:  # The first round warms caches.
                times[name].append(got)
        if "igraph (prpack)" in peers:
            overhead += peers["igraph (prpack)"].ask("overhead")["ms"]
        print(f"round {turn + 1} of {args.rounds}", file=sys.stderr)

    # What they found.
    found = {}
    for name in [*OURS, *peers]:
        count = min(PEERS[name][4] if name in PEERS else args.check, args.check, questions)
        print(f"check {name}", file=sys.stderr)
        path = f"{work}/found.npy"
        if name in OURS:
            if name.endswith("1 thread"):
                continue
            ours[0].ask(f"check {OURS[name][1]} 0 {count} {path}")
        else:
            peers[name].ask(f"check 0 {count} {path}")
        found[name] = np.load(path)
        os.remove(path)
    memory = {name: p.ask("memory")["peak_bytes"] for name, p in peers.items()}
    memory["hopscope"] = ours[0].ask("memory")["peak_bytes"]
    for process in [*peers.values(), *ours.values()]:
        process.end()

    print(f"### {os.path.basename(work)}: {n:,} passages, {about['nodes']:,} nodes, {about['arcs']:,} arcs, "
          f"{questions} questions, {args.rounds} rounds, {os.cpu_count()} cores\n")

    def agreement(name, reference):
        a, b = found[name], found[reference]
        rows = min(len(a), len(b))
        kind = PEERS[name][0] if name in PEERS else OURS[name][0]
        if kind in ("power", "limit"):  # A walk's mass is compared up to what dead ends drop or give back.
            a = a[:rows] / a[:rows].sum(axis=1, keepdims=True)
            b = b[:rows] / b[:rows].sum(axis=1, keepdims=True)
        tops = [(top(x, n), top(y, n)) for x, y in zip(a[:rows], b[:rows])]
        shared = np.mean([len(set(x) & set(y)) / max(len(y), 1) for x, y in tops])
        same = np.mean([set(x) == set(y) for x, y in tops])
        return [f"{shared:.3f}", f"{same:.2f}", f"{np.abs(a[:rows] - b[:rows]).max():.1e}", str(rows)]

    def rows_of(kind, base, reference):
        for name in names:
            if (PEERS[name][0] if name in PEERS else OURS.get(name, (None,))[0]) != kind:
                continue
            flat = sorted(x for row in times[name] for x in row)
            # Medians, because a question that another program interrupts takes ten times as long.
            ratios = [middle(row) / middle(times[base][i][: len(row)]) for i, row in enumerate(times[name])]
            alike = agreement(name, reference) if name in found else ["=", "=", "=", ""]
            yield [name, ms(middle(flat)), ms(flat[int(len(flat) * 0.95)]), ms(sum(flat) / len(flat)),
                   ratio(middle(ratios)), f"{ratio(min(ratios))}-{ratio(max(ratios))}", *alike]

    head = ["", "p50 ms", "p95 ms", "mean ms", "ratio", "over rounds", "top 10 shared", "same set", "max difference", "checked"]
    print(f"**The same T = {about['steps']} iteration.** Ratio: median time of a round beside that of `hopscope power`, both on all cores they use; "
          "agreement with `hopscope power`.\n")
    table(head, rows_of("power", "hopscope power", "hopscope power"))
    print("**To the limit.** Ratio: median time of a round beside that of `hopscope push 1e-4`; agreement with the exact limit.\n")
    table(head, rows_of("limit", "hopscope push 1e-4", "exact limit"))
    if overhead:
        print(f"Of igraph's time, {ms(middle(overhead))} ms is reading the weights of its arcs from Python, which every call does.\n")
    print("**BM25, top 10.** Ours cuts the question into words within its time, the others are given words. "
          "Ratio of medians beside `hopscope bm25`; agreement with it.\n")
    table(head, rows_of("bm25", "hopscope bm25", "hopscope bm25"))
    print("**Vectors, top 10**, one thread, the same vectors; small-world graphs of the same links and beam. "
          "Ratio of medians beside `hopscope nearest, exact`; agreement with `faiss, exact`.\n")
    table(head, rows_of("vectors", "hopscope nearest, exact", "faiss, exact"))
    print("**Whole questions** (words, names, rankings, seeds, walk, top 10):\n")
    table(["", "p50 ms", "p95 ms", "mean ms"],
          ([label, *(ms(f(sorted(x for row in times[name] for x in row))) for f in
            (middle, lambda v: v[int(len(v) * 0.95)], lambda v: sum(v) / len(v)))] for name, label in WHOLE.items()))
    i = about["index"]
    print("**Index and memory.** Peak is the resident size of the process, Python itself included.\n")
    table(["", "seconds", "peak MB while it answers"], [
        ["hopscope: everything, on disk", f"{i['seconds']:.2f}", f"{memory['hopscope'] / 1e6:.0f} (while it indexed: {i['peak_bytes'] / 1e6:.0f})"],
        ["- words alone, two cuts, in memory", f"{i['words']:.2f}", ""],
        ["- names and graph alone", f"{i['names'] + i['graph']:.2f}", ""],
        ["- small-world graph alone, on all cores, as the others make theirs", f"{i['near']:.2f}", ""],
        *([name, f"{built[name]:.2f}" if built[name] else "", f"{memory[name] / 1e6:.0f}"] for name in peers if PEERS[name][0]),
    ])
    print("A peer's seconds begin with words cut, or with arcs counted, by hopscope.\n")
    packages = sorted({PEERS[p][2] for p in peers} | {"numpy"})
    print("Versions: " + ", ".join(f"{p} {importlib.metadata.version(p)}" for p in packages) + ".")


if __name__ == "__main__":
    main()
