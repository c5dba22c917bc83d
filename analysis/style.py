"""How figures look: one colour and marker per compressor, sizes of a paper's columns, and files
whose bytes depend on nothing but what is drawn."""

import textwrap

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure  # noqa: E402  (the back end is chosen first)

COLUMN, PAGE = 3.5, 7.1  # inches: one column and the whole width of a two-column page
DPI = 170

# Okabe and Ito's colours, which colour-blind readers tell apart; markers tell in grey print.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, RED, PURPLE, OLIVE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#8A7A00", "#777777"

# By the first word that fits; what no line fits is grey.
COMPRESSORS = [
    ("best searched", BLACK, "*"),
    ("pipelines", "#4A4A4A", "o"),
    ("MPC", RED, "D"),
    ("GFC", ORANGE, "^"),
    ("pFPC", BLUE, "s"),
    ("FPC", SKY, "<"),
    ("Holt", PURPLE, "v"),
    ("bzip2", GREEN, "o"),
    ("gzip", "#44C199", "P"),
    ("lzop", OLIVE, "X"),
    ("zstd -3", "#5E4FA2", "p"),
    ("zstd -19", "#8C7FCB", "h"),
    ("zstd", "#5E4FA2", "p"),
    ("lz4 -1", "#A65628", "8"),
    ("lz4", "#CF8A5C", "d"),
    ("fpzip", "#3B3B3B", ">"),
    ("blosc shuffle+lz4", "#9A9A9A", "1"),
    ("blosc bitshuffle+lz4", "#9A9A9A", "2"),
    ("blosc shuffle+zstd", "#9A9A9A", "3"),
    ("blosc bitshuffle+zstd", "#9A9A9A", "4"),
    ("blosc", "#9A9A9A", "1"),
    ("memcpy", "#B0B0B0", "H"),
]
# For what is told apart by number: threads, table sizes, stages.
SEQUENCE = [BLACK, BLUE, RED, "#44AA88", PURPLE, ORANGE]
LINES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1))]
MARKERS = "osD^vP"
SHADES = "cividis"  # light and dark as well as yellow and blue
PUBLISHED_HATCH = "////"

matplotlib.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 7, "axes.titlesize": 7.5, "axes.labelsize": 7,
    "xtick.labelsize": 6.5, "ytick.labelsize": 6.5, "legend.fontsize": 6, "legend.frameon": False,
    "legend.handlelength": 1.6, "legend.borderaxespad": 0.2,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.6,
    "axes.axisbelow": True, "grid.color": "#DDDDDD", "grid.linewidth": 0.5,
    "lines.linewidth": 1.1, "lines.markersize": 4, "hatch.linewidth": 0.5,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "pdf.fonttype": 42, "svg.hashsalt": "fpsynth",
})


def look(compressor):
    """Colour and marker of a compressor, the same in every figure."""
    for name, colour, marker in COMPRESSORS:
        if compressor.startswith(name):
            return colour, marker
    return GREY, "."


def new(width=COLUMN, height=2.4, **axes):
    """A figure and its axes (an array of them where `axes` asks for several)."""
    figure = Figure(figsize=(width, height), dpi=DPI, constrained_layout=True)
    return figure, figure.subplots(**axes)


def point(axes, x, y, compressor, published=False, **more):
    """One compressor as a marker; hollow where it is published."""
    colour, marker = look(compressor)
    size = more.pop("size", 5 if marker != "*" else 8)
    axes.plot([x], [y], marker=marker, color=colour, markersize=size, linestyle="none",
              markerfacecolor="none" if published else colour, markeredgewidth=0.9,
              clip_on=False, zorder=3, **more)


def below(figure, lines):
    """Small print under a figure."""
    width = int(figure.get_figwidth() * 25)
    text = "\n".join("\n".join(textwrap.wrap(line, width)) for line in lines if line)
    if text:
        figure.text(0.01, -0.02, text, va="top", ha="left", fontsize=5.5, color="#444444")


def save(figure, stem):
    """PNG and PDF, without the time and the version of what wrote them."""
    figure.savefig(stem + ".png", dpi=DPI, bbox_inches="tight", pad_inches=0.04,
                   metadata={"Software": None}, pil_kwargs={"compress_level": 9})
    figure.savefig(stem + ".pdf", bbox_inches="tight", pad_inches=0.04,
                   metadata={"CreationDate": None, "Producer": None, "Creator": None})
