#!/usr/bin/env python3
"""Writes a corpus of a million passages: variations of real ones, the same for the same seed.

Each variation has an identifier of its own, its sentences in another order, and some words and names changed, so that
words and names grow with the corpus as they do in real text (Heaps' law) and do not just repeat.
"""

import argparse
import json
import random
import re

NAME = re.compile(r"\b[A-Z][a-z]{3,}\b")
WORD = re.compile(r"\b[a-z]{6,}\b")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
# Endings that make new names of old ones: Morton, Mortonia, Mortonsen ...
ENDINGS = ["ia", "sen", "ville", "ford", "ova", "er", "ham", "ini", "esco", "berg", "ton", "wald"]


def vary(text, turn, changed, rng):
    """A variation of a text: sentences shuffled, a share of its names and long words renewed."""

    def name(found):
        if rng.random() >= changed:
            return found[0]
        # Half of the new names are met in other passages of this turn too, half are rare.
        stamp = turn if rng.random() < 0.5 else rng.randrange(400)
        return found[0] + ENDINGS[stamp % len(ENDINGS)] + ("" if stamp < len(ENDINGS) else ENDINGS[stamp // 12 % len(ENDINGS)])

    def word(found):
        if rng.random() >= changed / 8:
            return found[0]
        return found[0] + ENDINGS[rng.randrange(len(ENDINGS))]

    sentences = SENTENCE.split(text)
    rng.shuffle(sentences)
    return WORD.sub(word, NAME.sub(name, " ".join(sentences)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passages", help="real passages, JSON lines with _id, title, text")
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--changed", type=float, default=0.25, help="share of names that a variation renews")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    real = [json.loads(line) for line in open(args.passages, encoding="utf-8")]
    rng = random.Random(args.seed)
    with open(args.out, "w", encoding="utf-8") as out:
        for i in range(args.count):
            turn, passage = i // len(real), real[i % len(real)]
            row = dict(_id=f"{passage['_id']}-{turn}", title=passage["title"], text=passage["text"])
            if turn:
                row["title"] = vary(passage["title"], turn, args.changed, rng)
                row["text"] = vary(passage["text"], turn, args.changed, rng)
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
