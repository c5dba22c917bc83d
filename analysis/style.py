"""The style of figures: one colour and marker per compressor, the sizes of a paper's columns, and
files whose bytes depend only on the contents."""

import io
import textwrap

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure  # noqa: E402  (the back end must be chosen first)
import numpy  # noqa: E402  (a dependency of matplotlib, like PIL)
from PIL import Image  # noqa: E402

COLUMN, PAGE = 3.5, 7.1  # inches: one column and the whole width of a two-column page
DPI = 160
COLOURS = 256  # of a picture's palette

# Okabe and Ito's colours, which colour-blind readers can distinguish; markers serve grey print.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, RED, PURPLE, OLIVE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#8A7A00", "#777777"

# The first entry whose name is a prefix of the compressor's name applies; others are grey.
COMPRESSORS = [
    ("best searched", BLACK, "*"),
    ("Best", BLACK, "P"),
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
    ("blosc shuffle+lz4", "#F0A3B5", "s"),
    ("blosc bitshuffle+lz4", "#B5446E", "s"),
    ("blosc shuffle+zstd", "#9CC97B", "D"),
    ("blosc bitshuffle+zstd", "#4F7A28", "D"),
    ("blosc", "#F0A3B5", "s"),
    ("memcpy", "#B0B0B0", "H"),
]
# For series that are distinguished by a number: threads, table sizes, stages.
SEQUENCE = [BLACK, BLUE, RED, "#44AA88", PURPLE, ORANGE]
LINES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1))]
MARKERS = "osD^vP"
SHADES = "cividis"  # varies in lightness as well as in hue
PUBLISHED_HATCH = "////"

matplotlib.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 7, "axes.titlesize": 7.5, "axes.labelsize": 7,
    "xtick.labelsize": 6.5, "ytick.labelsize": 6.5, "legend.fontsize": 6.5, "legend.frameon": False,
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
    """A figure and its axes (an array if `axes` requests several)."""
    figure = Figure(figsize=(width, height), dpi=DPI, constrained_layout=True)
    return figure, figure.subplots(**axes)


def point(axes, x, y, compressor, published=False, **more):
    """Draws a compressor as a marker, which is hollow if the values are published."""
    colour, marker = look(compressor)
    size = more.pop("size", 5 if marker != "*" else 8)
    axes.plot([x], [y], marker=marker, color=colour, markersize=size, linestyle="none",
              markerfacecolor="none" if published else colour, markeredgewidth=0.9,
              clip_on=False, zorder=3, **more)


SMALL = 6.5  # font size of captions, in points
BEYOND = (1.035, 0.085)  # position and distance of values beyond an axis, relative to its width


def beyond(axes, y, ratios):
    """Draws values beyond the axis to its right, after an arrow: each compressor's marker with its
    ratio, ascending. `ratios` has (compressor, ratio, whether it is published)."""
    where = axes.get_yaxis_transform()
    for number, (compressor, ratio, published) in enumerate(sorted(ratios,
                                                                   key=lambda one: one[1])):
        x = BEYOND[0] + BEYOND[1] * number
        if not number:
            axes.annotate("", (BEYOND[0] - 0.01, y), (BEYOND[0] - 0.04, y), xycoords=where,
                          textcoords=where, arrowprops={"arrowstyle": "->", "linewidth": 0.7,
                                                        "shrinkA": 0, "shrinkB": 0})
        colour, marker = look(compressor)
        axes.plot([x], [y], marker=marker, color=colour, markersize=4.5, linestyle="none",
                  markerfacecolor="none" if published else colour, transform=where, clip_on=False)
        axes.annotate(f"{ratio:.{2 if ratio < 10 else 1}f}", (x, y), xycoords=where, xytext=(4, 0),
                      textcoords="offset points", va="center", fontsize=SMALL,
                      annotation_clip=False)


def below(figure, lines):
    """Draws a caption below a figure."""
    width = int(figure.get_figwidth() * 21)
    text = "\n".join("\n".join(textwrap.wrap(line, width)) for line in lines if line)
    if text:
        figure.text(0.01, -0.02, text, va="top", ha="left", fontsize=SMALL, color="#444444")


def png(figure):
    """The bytes of a PNG, without the time and the version of the software. Except for antialiased
    edges, a figure has few colours: with a palette of the most frequent ones, it takes a third of
    the bytes."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, bbox_inches="tight", pad_inches=0.04)
    stream.seek(0)
    with Image.open(stream) as image:
        pixels = numpy.asarray(image.convert("RGB")).astype(numpy.int32)
    indices, palette = few_colours(pixels)
    image = Image.fromarray(indices)
    image.putpalette(palette.tobytes())
    stream = io.BytesIO()
    image.save(stream, format="png", optimize=True)
    return stream.getvalue()


def few_colours(pixels):
    """The index of each pixel's nearest colour in a palette, and the palette of the most frequent
    colours."""
    keys = pixels @ [1 << 16, 1 << 8, 1]
    found, inverse, counts = numpy.unique(keys, return_inverse=True, return_counts=True)
    colours = numpy.stack([found >> 16, found >> 8 & 255, found & 255], axis=1)
    kept = colours[numpy.argsort(-counts, kind="stable")[:COLOURS]]
    nearest = [int(numpy.argmin(((kept - colour) ** 2).sum(axis=1))) for colour in colours]
    indices = numpy.array(nearest, dtype=numpy.uint8)[inverse].reshape(keys.shape)
    return indices, kept.astype(numpy.uint8)


def pdf(figure):
    """The bytes of a PDF, without the time and the version of the software."""
    stream = io.BytesIO()
    figure.savefig(stream, format="pdf", bbox_inches="tight", pad_inches=0.04,
                   metadata={"CreationDate": None, "Producer": None, "Creator": None})
    return stream.getvalue()
