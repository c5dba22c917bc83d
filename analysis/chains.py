"""MPC paper, Figure 1: the chained components of pipelines and their inverses."""

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from analysis import style, svg
from analysis.axes import bar_legend
from analysis.items import Item
from analysis.pipelines import parse
from analysis.published import BEST

WORDS, BYTES = "#DCE9F5", "#FBE3CF"  # what a stage works on
TEXT = "#010101"  # on these, in every style of the page
PITCH = 2.5  # between two chains, in rows


def item(context):
    """The pipelines of --pipeline; the paper's if there are none."""
    item = Item("mpc-fig-1", "mpc", "Figure 1: chained components and their inverses",
                "How pipelines compress and decompress. Each component has an inverse; "
                "decompression runs the inverses backwards. Stages before the cut work on words "
                "(doubles or singles), those after it on bytes.")
    found = chains(context)
    if found:
        item.figure("", draw(found), [context.published.inferences()])
    return item


def chains(context):
    """(pipeline, whose it is) of every pipeline to draw, each once."""
    text = context.published.best("double", BEST)[1]
    return [(text, "from --pipeline") for text in dict.fromkeys(context.pipelines)] or \
        ([(text, f"the paper's Best{context.published.inferred('double', BEST)}")] if text else [])


def draw(found):
    """All pipelines in one picture, below each other."""
    longest = max(len(parse(text)[0]) for text, _ in found)
    figure, axes = style.new(max(style.PAGE * 0.75, 0.75 * (longest + 2) + 0.8),
                             0.36 * PITCH * len(found) + 0.25)
    axes.set_axis_off()
    axes.set_xlim(-1.8, longest + 1.5)
    axes.set_ylim(-PITCH * len(found) + 0.2, 0.55)
    for number, (text, reason) in enumerate(found):
        draw_chain(axes, -PITCH * number, text, reason)
    bar_legend(axes, [("on words", {"facecolor": WORDS, "edgecolor": "black"}),
                      ("on bytes, after the cut", {"facecolor": BYTES, "edgecolor": "black"})])
    return figure


def draw_chain(axes, top, text, reason):
    stages, cut = parse(text)
    last = len(stages) + 1
    axes.text(-1.75, top, f"{reason}: {text}", ha="left", va="center", fontsize=7)
    for row, title, names in ((0.75, "compress", stages),
                              (1.55, "decompress", [f"{name}\u207b\u00b9" for name in stages])):
        y = top - row
        axes.text(-1.75, y, title, ha="left", va="center", fontsize=6, style="italic")
        box(axes, 0, y, "data", "white", style.BLACK)
        box(axes, last, y, "file", "white", style.BLACK)
        for place, name in enumerate(names, 1):
            box(axes, place, y, name, WORDS if place <= cut else BYTES, TEXT,
                f"stage {place}, on {'words' if place <= cut else 'bytes'}: {name}")
        for place in range(last):
            ends = (place + 0.4, place + 0.6)
            axes.add_patch(FancyArrowPatch((ends[row > 1], y), (ends[row < 1], y),
                                           arrowstyle="-|>", mutation_scale=6, linewidth=0.7,
                                           shrinkA=0, shrinkB=0, color="black"))
    if 0 < cut < len(stages):
        axes.plot([cut + 0.5] * 2, [top - 0.4, top - 1.9], color="black", linewidth=0.8,
                  linestyle=":")


def box(axes, x, y, text, colour, ink, tip=""):
    shape = FancyBboxPatch((x - 0.36, y - 0.22), 0.72, 0.44, facecolor=colour, edgecolor="black",
                           linewidth=0.7, boxstyle="round,pad=0.03,rounding_size=0.08")
    axes.add_patch(svg.tip(shape, tip) if tip else shape)
    axes.text(x, y, text, ha="center", va="center", fontsize=6, color=ink)
