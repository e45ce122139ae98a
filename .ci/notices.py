#!/usr/bin/env python3
"""Prints the notices of the packages that a build for a target is made of: .ci/notices.py [TARGET]"""

import json
import pathlib
import subprocess
import sys

FILES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")


def metadata(target):
    words = ["cargo", "metadata", "--format-version", "1", "--locked"]
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
    print("hopscope is made of these packages, under their licences.\n")
    bare = []
    for package in sorted(told["packages"], key=lambda package: (package["name"], package["version"])):
        if package["id"] not in wanted:
            continue
        print("=" * 80)
        print(f"{package['name']} {package['version']} · {package['license'] or 'see its file'} · {package['repository'] or ''}\n")
        folder = pathlib.Path(package["manifest_path"]).parent
        files = [file for file in sorted(folder.iterdir()) if file.is_file() and file.name.upper().startswith(FILES)]
        for file in files:
            print(file.read_text(encoding="utf-8", errors="replace"))
        if not files:
            bare.append(package["name"])
    print("=" * 80)
    print("Without a licence file of their own, under the licence named above: " + (", ".join(bare) or "none"))


main()
