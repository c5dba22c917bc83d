"""Draws what was found on the corpus, as one picture: ratio against compression speed, from the
document corpus_peers-*.json of a folder, which `query peers` made of compare_corpus_*.json there."""

import argparse
import glob
import os
import sys

if not __package__:  # called as `python3 .../analysis/corpus.py`
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from analysis.documents import read_document, timed_parts
from analysis.files import make, put
from analysis.problems import Problem, exit_with, need_matplotlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AUTO = "auto_quick_avx2"  # measured on a machine of its own, which is named
KINDS = ("paper", "preludes", "wide", "longer", "peers", "pco")  # of the comparisons
LEFT_OUT = ("xz -6",)  # hidden by xz -9, to three digits of the ratio
WIDTH, HEIGHT = 8.1, 4.6  # inches: 800 pixels in a README, with text of 13


def line_of(folder):
    """A line on what was timed, of the newest document of each kind."""
    from analysis.axes import size_name
    machines, timed = set(), []
    for kind in KINDS:
        document = newest(folder, f"compare_corpus_{kind}")
        machines.add(document["machine"]["cpu"])
        timed += [f"{size_name(size)} ({kind})" for size in sorted(timed_parts(document))]
    if len(machines) > 1:
        raise Problem(f"{folder}: the documents are of several processors, {', '.join(machines)}; "
                      "their speeds cannot stand in one picture")
    elsewhere = newest(folder, f"compare_corpus_{AUTO}")["machine"]["cpu"]
    return "Ratios are of whole inputs, and so are our speeds" + \
        (f"; other speeds are of their first {', '.join(timed)}" if timed else "") + \
        f"\ncompress auto (quick) on {elsewhere} with AVX2, all else on {machines.pop()} with AVX-512"


def newest(folder, name):
    pattern = os.path.join(folder, f"{name}-*.json")
    found = sorted(glob.glob(pattern), key=lambda path: path[-len("YYYY-MM-DD.json"):])
    if not found:
        raise Problem(f"{pattern}: no such document; name the folder of the measurements with "
                      "--measured")
    return read_document(found[-1])


def picture(rows, line):
    """`rows` are the means of `query peers`."""
    from analysis import overview, style
    figure, axes = style.new(WIDTH, HEIGHT)
    marks = overview.marks_of([row for row in rows if row["method"] not in LEFT_OUT])
    if not marks:
        raise Problem("no input was measured with all compressors: nothing can be compared")
    axes.set_title(f"{rows[0]['inputs']} inputs, {rows[0]['data_sets']} real data sets: ratio "
                   "against speed (upper right is better)", fontsize=11, loc="left",
                   fontweight="bold", pad=10)
    figure.supxlabel(line, fontsize=8, color="#555555")
    overview.draw(axes, marks, "compress")
    return figure


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m analysis.corpus", description=__doc__)
    parser.add_argument("--measured", metavar="DIR", help="default: results/measured",
                        default=os.path.join(ROOT, "results", "measured"))
    parser.add_argument("--out", metavar="FILE", required=True, help="the picture, an SVG")
    arguments = parser.parse_args(argv)
    need_matplotlib()
    from analysis import svg
    folder = arguments.measured
    rows = newest(folder, "corpus_peers")["tables"][1]["rows"]
    drawn = svg.standalone(picture(rows, line_of(folder)))
    make(os.path.dirname(os.path.abspath(arguments.out)))
    put(arguments.out, drawn)
    print(arguments.out)
    return 0


if __name__ == "__main__":
    exit_with(main, "analysis.corpus")
