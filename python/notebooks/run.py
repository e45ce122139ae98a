"""Runs the notebooks as scripts: python notebooks/run.py [NAME...]"""

import json
import pathlib
import sys
import time

FOLDER = pathlib.Path(__file__).parent


def run(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names = {"__name__": "__main__", "__file__": str(path.resolve())}
    for at, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, cell {at}", "exec"), names)


for path in sorted(FOLDER.glob("*.ipynb")):
    if len(sys.argv) < 2 or path.stem in sys.argv[1:]:
        start = time.monotonic()
        run(path)
        print(f"{path.name}: {time.monotonic() - start:.1f} s")
