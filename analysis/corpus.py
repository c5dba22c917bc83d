"""Draws what was found on the corpus, as one picture: ratio against compression speed, from the
documents compare_corpus_{paper,preludes,wide,longer,peers,pco}-*.json of a folder."""

import argparse
import glob
import os
import sys

if not __package__:  # called as `python3 .../analysis/corpus.py`
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from analysis.comparisons import timed_parts
from analysis.documents import PRELUDES, WIDE, read_document
from analysis.files import make, put
from analysis.problems import Problem, exit_with, need_matplotlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = ("peers", "pco")  # documents whose rows are compressors of others
LEFT_OUT = ("memcpy", "xz -6")  # no compressor; hidden by xz -9, to three digits of the ratio
WIDTH, HEIGHT = 8.1, 4.6  # inches: 800 pixels in a README, with text of 13


def methods_in(folder):
    """Method -> input -> row, of the newest document of each kind; and a line on what was timed."""
    from analysis.axes import size_name
    from analysis.overview import PLAIN, RACED
    ours = {"paper": PLAIN, "preludes": PRELUDES, "wide": WIDE, "longer": RACED}
    methods, machines, timed = {}, set(), []
    for kind in (*ours, *PEERS):
        document = newest(folder, kind)
        machines.add(document["machine"]["cpu"])
        timed += [f"{size_name(size)} ({kind})" for size in sorted(timed_parts(document))]
        for one in document["data_sets"]:
            for row in one["rows"]:
                name = ours.get(kind, row["compressor"])
                if row["compressor"] not in LEFT_OUT and "ratio" in row:
                    methods.setdefault(name, {})[one["name"], one["precision"], one["bytes"]] = row
    if len(machines) > 1:
        raise Problem(f"{folder}: the documents are of several processors, {', '.join(machines)}; "
                      "their speeds cannot stand in one picture")
    return methods, "Ratios are of whole inputs, and so are our speeds" + \
        (f"; other speeds are of their first {', '.join(timed)}" if timed else "")


def newest(folder, kind):
    pattern = os.path.join(folder, f"compare_corpus_{kind}-*.json")
    found = sorted(glob.glob(pattern), key=lambda path: path[-len("YYYY-MM-DD.json"):])
    if not found:
        raise Problem(f"{pattern}: no such document; name the folder of the measurements with "
                      "--measured")
    return read_document(found[-1])


def picture(methods, line):
    from analysis import overview, style
    figure, axes = style.new(WIDTH, HEIGHT)
    marks = overview.marks_of(methods)
    if not marks:
        raise Problem("no input was measured with all compressors: nothing can be compared")
    inputs = overview.equal_inputs(methods)
    sets = {name for name, *_ in inputs}
    axes.set_title(f"{len(inputs)} inputs, {len(sets)} real data sets: ratio against speed "
                   "(upper right is better)", fontsize=11, loc="left", fontweight="bold", pad=10)
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
    drawn = svg.standalone(picture(*methods_in(arguments.measured)))
    make(os.path.dirname(os.path.abspath(arguments.out)))
    put(arguments.out, drawn)
    print(arguments.out)
    return 0


if __name__ == "__main__":
    exit_with(main, "analysis.corpus")
