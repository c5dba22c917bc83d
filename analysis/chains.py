"""MPC paper, Figure 1: the chained components of a pipeline and their inverses."""

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from analysis import style
from analysis.documents import MARK
from analysis.items import Item
from analysis.pipelines import parse
from analysis.published import BEST

WORDS, BYTES = "#DCE9F5", "#FBE3CF"  # what a stage works on


def item(context):
    """The paper's pipeline, the best of each study, and those of --pipeline."""
    item = Item("mpc-fig-1", "mpc", "Figure 1: chained components and their inverses",
                "How a pipeline compresses and decompresses. Each component has an inverse; "
                "decompression runs the inverses backwards. Stages before the cut work on words "
                "(doubles or singles), those after it on bytes.")
    chains = [(text, "from --pipeline") for text in context.pipelines]
    chains.append((context.published.best("double", BEST)[1], "the paper's Best"))
    for study in context.studies:
        for row in study.rows("best", data_set=BEST):
            for precision in ("double", "single"):
                mark = study.mark(BEST, precision)
                chains.append((row[f"{precision}_pipeline"],
                               f"best of {study.name}, {precision}{mark}"))
    drawn = {}
    for text, why in chains:
        if text:
            drawn.setdefault(text, []).append(why)
    for number, (text, reasons) in enumerate(drawn.items(), 1):
        item.figure(str(number), draw(text), [f"{text}: {'; '.join(reasons)}."]
                    + (context.samples() if MARK in "".join(reasons) else []))
    return item


def draw(text):
    stages, cut = parse(text)
    width = max(style.COLUMN, 0.62 * (len(stages) + 2) + 1.1)
    figure, axes = style.new(width, 1.55)
    axes.set_axis_off()
    last = len(stages) + 1
    axes.set_xlim(-1.3, last + 0.5)
    axes.set_ylim(-0.62, 1.72)
    for row, title, names in ((1, "compress", stages),
                              (0, "decom-\npress", [f"{name}$^{{-1}}$" for name in stages])):
        axes.text(-1.28, row, title, ha="left", va="center", fontsize=6, style="italic")
        box(axes, 0, row, "data", "white")
        box(axes, last, row, "file", "white")
        for place, name in enumerate(names, 1):
            box(axes, place, row, name, WORDS if place <= cut else BYTES)
        for place in range(last):
            ends = (place + 0.4, place + 0.6)
            axes.add_patch(FancyArrowPatch((ends[0] if row else ends[1], row),
                                           (ends[1] if row else ends[0], row),
                                           arrowstyle="-|>", mutation_scale=6, linewidth=0.7,
                                           shrinkA=0, shrinkB=0, color="black"))
    if 0 < cut < len(stages):
        axes.plot([cut + 0.5] * 2, [-0.42, 1.42], color="black", linewidth=0.8, linestyle=":")
    for begin, end, what in ((1, cut, "on words"), (cut + 1, len(stages), "on bytes")):
        if begin <= end:
            axes.text((begin + end) / 2, 1.48, what, ha="center", va="bottom", fontsize=6)
    return figure


def box(axes, x, y, text, colour):
    axes.add_patch(FancyBboxPatch((x - 0.36, y - 0.27), 0.72, 0.54, facecolor=colour,
                                  edgecolor="black", linewidth=0.7,
                                  boxstyle="round,pad=0.03,rounding_size=0.08"))
    axes.text(x, y, text, ha="center", va="center", fontsize=6)
