"""The style of figures: one colour and marker per compressor, the sizes of a paper's columns, and
files whose bytes depend only on the contents."""

import io

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure  # noqa: E402  (the back end must be chosen first)
import numpy  # noqa: E402  (a dependency of matplotlib, like PIL)
from PIL import Image  # noqa: E402

from analysis import svg  # noqa: E402

COLUMN, PAGE = 3.5, 7.1  # inches: one column and the whole width of a two-column page
FITTING = 1.3 * COLUMN  # wider figures are drawn for narrow screens, too
DPI = 160
COLOURS = 256  # of a picture's palette
NAMES = 210  # points in which a column has names side by side

# Okabe and Ito's colours, which colour-blind readers can distinguish; markers serve grey print.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, RED, PURPLE, OLIVE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#8A7A00", "#777777"

# The first entry whose name is a prefix of the compressor's name applies; others are grey.
COMPRESSORS = [
    ("best searched", BLACK, "*"),
    ("Best", BLACK, "P"),
    ("pipelines", "#4A4A4A", "o"),
    ("paper's space", BLACK, "s"),
    ("preludes, wide space", RED, "*"),
    ("preludes, longer chunks", "#8E2A00", "*"),
    ("auto", PURPLE, "*"),
    ("preludes", RED, "P"),
    ("MPC", RED, "D"),
    ("GFC", ORANGE, "^"),
    ("pFPC", BLUE, "s"),
    ("FPC", SKY, "<"),
    ("Holt", PURPLE, "v"),
    ("bzip2 -1", "#66C2A4", "o"),
    ("bzip2", GREEN, "o"),
    ("gzip -1", "#8FDCC0", "P"),
    ("gzip", "#44C199", "P"),
    ("lzop -1", "#B8A93A", "X"),
    ("lzop", OLIVE, "X"),
    ("zstd -3", "#5E4FA2", "p"),
    ("zstd -19", "#8C7FCB", "h"),
    ("zstd", "#5E4FA2", "p"),
    ("lz4 -1", "#A65628", "8"),
    ("lz4", "#CF8A5C", "d"),
    ("xz -6", "#C9A227", "H"),
    ("xz", "#7A5C00", "H"),
    ("fpzip", "#3B3B3B", ">"),
    ("zfp", "#2F8F9D", "^"),
    ("pco", "#B3001B", "d"),
    ("blosc shuffle+lz4", "#F0A3B5", "s"),
    ("blosc bitshuffle+lz4", "#B5446E", "s"),
    ("blosc shuffle+zstd -9", "#6FA84B", "X"),
    ("blosc bitshuffle+zstd -9", "#2E5A12", "X"),
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
SMALL = 6.5  # font size of what stands at single marks, in points
PALE = "#B9C7D6"  # what marks stand in front of
FRAME = "#BBBBBB"  # of cells

matplotlib.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 7, "axes.titlesize": 7.5, "axes.labelsize": 7,
    "xtick.labelsize": 6.5, "ytick.labelsize": 6.5, "legend.fontsize": 6.5, "legend.frameon": False,
    "legend.handlelength": 1.6, "legend.borderaxespad": 0.2,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.6,
    "axes.axisbelow": True, "grid.color": "#DDDDDD", "grid.linewidth": 0.5,
    "lines.linewidth": 1.1, "lines.markersize": 4, "hatch.linewidth": 0.5,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "pdf.fonttype": 42, "svg.hashsalt": "fpsynth", "svg.fonttype": "none",
})


def look(compressor):
    """Colour and marker of a compressor, the same in every figure."""
    for name, colour, marker in COMPRESSORS:
        if compressor.startswith(name):
            return colour, marker
    return GREY, "."


def tint(colour, share):
    """A share of a colour in white."""
    return tuple(1 - share * (1 - part) for part in matplotlib.colors.to_rgb(colour))


def new(width=COLUMN, height=2.4, **axes):
    """A figure and its axes (an array if `axes` requests several)."""
    figure = Figure(figsize=(width, height), dpi=DPI, constrained_layout=True)
    return figure, figure.subplots(**axes)


def point(axes, x, y, compressor, published=False, tip="", **more):
    """Draws a compressor as a marker, which is hollow if the values are published."""
    colour, marker = look(compressor)
    size = more.pop("size", 5 if marker != "*" else 8)
    more = {"markerfacecolor": "none" if published else colour, "clip_on": False, "zorder": 3,
            "markeredgewidth": 0.9, **more}
    mark, = axes.plot([x], [y], marker=marker, color=colour, markersize=size, linestyle="none",
                      **more)
    svg.tip(mark, tip or compressor)


def narrowed(figure):
    """Makes a drawn figure as wide as a column, which a telephone shows: its panels stand below each other,
    and names below it are smaller where they are many."""
    panels = figure.axes
    across = panels[0].get_gridspec().ncols
    if across > 1:
        for axes, place in zip(panels, figure.add_gridspec(len(panels), 1)):
            axes.set_subplotspec(place)
            axes.tick_params(labelleft=True, labelbottom=True)
    for axes in panels:
        names = axes.get_xticklabels()
        if names and names[0].get_rotation() == 90:
            axes.tick_params(axis="x", labelsize=min(SMALL, NAMES / len(names)))
    figure.set_size_inches(COLUMN, figure.get_figheight() * across)
    figure.set_layout_engine("constrained")
    return figure


def lay_out(figure):
    """Places all parts of a figure and measures it, once for all of its files: that takes most of the
    time."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    figure.crop = figure.get_tightbbox(figure._get_renderer()).padded(svg.MARGIN)


def png(figure):
    """The bytes of a PNG, without the time and the version of the software. Except for antialiased
    edges, a figure has few colours: with a palette of the most frequent ones, it takes a third of
    the bytes."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, bbox_inches=figure.crop)
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
    figure.savefig(stream, format="pdf", bbox_inches=figure.crop,
                   metadata={"CreationDate": None, "Producer": None, "Creator": None})
    return stream.getvalue()
