"""A picture of a method: the bits of one chunk before and after each of its steps.

    fpsynth explain METHOD FILE --out track.json
    python3 -m analysis.explain track.json track.svg

Each step is a strip whose area is proportional to the bytes of the chunk after it. Rows are bit
positions, the most significant on top, columns are consecutive words; a cell is as dark as its share
of ones, so that noise is grey and what repeats is a pattern."""

import argparse
import json

from analysis.files import put
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


def draw(document):
    """The figure: a strip for each step."""
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
    return figure


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m analysis.explain", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", metavar="DOCUMENT", help="that fpsynth explain --out wrote")
    parser.add_argument("out", metavar="OUT", help="the picture, an SVG")
    arguments = parser.parse_args(argv)
    need_matplotlib()
    from analysis import svg
    put(arguments.out, svg.standalone(draw(read(arguments.document))))
    return 0


if __name__ == "__main__":
    exit_with(main, "analysis.explain")
