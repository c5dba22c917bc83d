"""A picture of a method: the bits of one chunk before and after each of its steps.

    fpsynth explain METHOD FILE --out track.json
    python3 -m analysis.explain track.json track.svg
    fpsynth compare FILE --runs DIR --only "best searched" --threads 1 --out speed.json
    python3 -m analysis.explain track.json track.svg --compared speed.json   # DIR's best is METHOD

Each step is a strip whose area is proportional to the bytes of the chunk after it. Rows are bit
positions, the most significant on top, columns are consecutive words; a cell is as dark as its share
of ones, so that noise is grey and what repeats is a pattern."""

import argparse
import json

from analysis.documents import read_document
from analysis.files import put
from analysis.items import counted
from analysis.problems import Problem, exit_with, need_matplotlib

STRIP = 0.62  # inches, the height of a strip
SCHEMA = "fpsynth-explanation"


def read(path):
    """The document at a path. Raises Problem if it is not one of `fpsynth explain`."""
    try:
        with open(path, encoding="utf-8") as stream:
            document = json.load(stream)
    except (OSError, ValueError) as error:
        raise Problem(f"{path}: {error}; write it with fpsynth explain --out") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise Problem(f"{path} is no document of fpsynth explain; write it with --out")
    return document


def bits(step):
    """The shares of ones as an array, 0 to 1."""
    import numpy

    rows = [list(bytes.fromhex(row)) for row in step["ones"]]
    return numpy.array(rows, dtype=float).reshape(len(rows), -1) / 255


def speed_in(path, document):
    """A line on the method's speed in a comparison. Raises Problem if it did not time that."""
    try:
        compared = read_document(path)
        row = next(row for one in compared["data_sets"] for row in one["rows"]
                   if one["name"] == document["data_set"]
                   and row.get("pipeline") == document["method"])
        return " and ".join(f"{way}es {row[way]['gb_per_s']:.1f} GB/s"
                            for way in ("compress", "decompress")) + \
            f" on {counted(row['threads'], 'thread')} of {compared['machine']['cpu']}"
    except (KeyError, StopIteration) as error:
        raise Problem(f"{path}: has no speed of {document['method']} on {document['data_set']}; "
                      "write it with fpsynth compare --out") from error


def draw(document, line=""):
    """The figure: a strip for each step, and a line below them."""
    from analysis import style, svg

    steps = document["steps"]
    figure, all_axes = style.new(style.PAGE, STRIP * len(steps) + 0.1, nrows=len(steps), ncols=1,
                                 squeeze=False)
    most = max(step["shown_words"] * step["word_bytes"] for step in steps)
    for axes, step in zip(all_axes[:, 0], steps):
        shown = bits(step)
        width = step["shown_words"] * step["word_bytes"] / most
        if shown.size:
            picture = axes.imshow(shown, cmap="Greys", vmin=0, vmax=1, aspect="auto",
                                  interpolation="nearest", extent=(0, width, 0, 1))
            svg.tip(picture, f"{step['name'] or 'data'}: {8 * step['word_bytes']} bit positions")
        axes.set_xlim(0, 1.28)
        axes.set_ylim(0, 1)
        axes.set_axis_off()
        axes.text(1.02, 0.62, step["name"] or document["data_set"], fontweight="bold", va="center")
        left = f"{step['bytes'] + step['beside_bytes']:,} bytes, ratio {step['ratio']:.2f}"
        axes.text(1.02, 0.25, left, va="center", fontsize=style.SMALL)
    if line:
        figure.supxlabel(line, x=0.01, ha="left")
    return figure


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m analysis.explain", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", metavar="DOCUMENT", help="that fpsynth explain --out wrote")
    parser.add_argument("out", metavar="OUT", help="the picture, an SVG")
    parser.add_argument("--compared", metavar="DOCUMENT",
                        help="that fpsynth compare --out wrote: adds the method's speed in it")
    arguments = parser.parse_args(argv)
    need_matplotlib()
    from analysis import svg
    document = read(arguments.document)
    line = speed_in(arguments.compared, document) if arguments.compared else ""
    put(arguments.out, svg.standalone(draw(document, line)))
    return 0


if __name__ == "__main__":
    exit_with(main, "analysis.explain")
