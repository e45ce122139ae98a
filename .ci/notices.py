#!/usr/bin/env python3
"""Prints the notices of the packages that a build for a target is made of: .ci/notices.py [TARGET]"""

import json
import pathlib
import subprocess
import sys

FILES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")
# As .ci/release builds it.
FEATURES = "mcp,https"
LINE = "=" * 80


def metadata(target):
    words = ["cargo", "metadata", "--format-version", "1", "--locked", "--features", FEATURES]
    words += ["--filter-platform", target] if target else []
    return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)


def linked(told, root):
    """Packages that are in the program: not those that only build or test it."""
    nodes = {node["id"]: node for node in told["resolve"]["nodes"]}
    seen, todo = set(), [root]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += [dep["pkg"] for dep in nodes[one]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
    return seen - {root}


def main():
    told = metadata(sys.argv[1] if len(sys.argv) > 1 else None)
    root = next(package["id"] for package in told["packages"] if package["name"] == "hopscope")
    wanted = linked(told, root)
    print("hopscope is made of these packages, under their licences. The texts, each once, follow.\n")
    texts, bare = {}, []
    for package in sorted(told["packages"], key=lambda package: (package["name"], package["version"])):
        if package["id"] not in wanted:
            continue
        name = f"{package['name']} {package['version']}"
        print(f"{name} · {package['license'] or 'see its file'} · {package['repository'] or ''}")
        folder = pathlib.Path(package["manifest_path"]).parent
        files = [file for file in sorted(folder.iterdir()) if file.is_file() and file.name.upper().startswith(FILES)]
        for file in files:
            lines = file.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            # Two texts that differ in white space are one.
            texts.setdefault(" ".join(" ".join(lines).split()), ("\n".join(lines), []))[1].append(name)
        if not files:
            bare.append(name)
    for text, names in texts.values():
        print(f"\n{LINE}\n{', '.join(names)}\n\n{text}")
    print(f"\n{LINE}\nWithout a licence file of their own, under the licence named above: {', '.join(bare) or 'none'}")


main()
