"""Draws the example of results/example again, from documents that are committed: those of the searches, in
its folder runs, and those of results/measured."""

import glob
import hashlib
import os
import sys

if not __package__:  # called as `python3 .../analysis/example.py`
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from analysis.problems import exit_with

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXAMPLE = os.path.join(ROOT, "results", "example")
STUDIES = ("mini", "fpc", "corpus")
PATTERNS = ("analysis/*.py", "analysis/page.*", "results/example/runs/**/*.json", "results/measured/*.json",
            "results/reference/*.json", *(f"configs/studies/{study}.json" for study in STUDIES))


def digest():
    """A line for all that the example is drawn from."""
    found = sorted({os.path.relpath(path, ROOT) for pattern in PATTERNS
                    for path in glob.glob(os.path.join(ROOT, pattern), recursive=True)})
    whole = hashlib.sha256()
    for path in found:
        with open(os.path.join(ROOT, path), "rb") as stream:
            whole.update(f"{path}\0{hashlib.sha256(stream.read()).hexdigest()}\n".encode())
    return f"{whole.hexdigest()}  {len(found)} files\n"


def main(_):
    from analysis import __main__ as drawing
    from analysis.files import put
    drawing.main([word for option, folder, end in (
        ("--study", os.path.join(ROOT, "configs", "studies"), ".json"),
        ("--runs", os.path.join(EXAMPLE, "runs"), "")) for word in (
            option, *(os.path.join(folder, study + end) for study in STUDIES))]
        + ["--out", EXAMPLE, "--measured", os.path.join(ROOT, "results", "measured")])
    for path in glob.glob(os.path.join(EXAMPLE, "figures", "*")):
        if path.endswith((".svg", ".pdf")):  # which are large
            os.remove(path)
    put(os.path.join(EXAMPLE, "digest"), digest())
    return 0


if __name__ == "__main__":
    exit_with(main, "analysis.example")
