"""What figures of several papers share: axes of ratios, legends, marks that do not hide each other,
bars with tooltips."""

from math import log2

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from analysis import style, svg

WAYS = ("compress", "decompress")
ROUND = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 0.5, 0.25, 1.5, 3, 6, 12, 24, 1.2, 0.8, 10, 1.4,
         0.9, 0.7, 2.5, 5, 1.6, 1.8, 0.6, 1.1, 1.3)  # in order of preference
BEYOND = 0.35  # distance from the axis of values beyond it, relative to that between them
MANY = 14  # data sets; the names of more than these are drawn upright


def ratio_ticks(low, high, most):
    """Round ratios in a range, at distances of more than 1 / `most` of the range on a logarithmic
    axis."""
    ticks = []
    for tick in ROUND:
        if low <= tick <= high and all(abs(log2(tick / other)) > log2(high / low) / most
                                       for other in ticks):
            ticks.append(tick)
    return sorted(ticks)


def ratio_axis(axes, values, most=18):
    """Makes the x axis logarithmic with ratios as labels, at most about `most`."""
    axes.set_xscale("log", base=2)
    low, high = min(values, default=1) / 1.05, max(values, default=2) * 1.08
    axes.set_xlim(low, high)
    ticks = ratio_ticks(low, high, most)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def ratio_limit(values, share=0.9):
    """The end of an axis of ratios. It excludes a few that are far above that share of them, because
    these would squeeze the others."""
    ordered = sorted(values)
    end = 1.1 * ordered[int(share * (len(ordered) - 1))] if ordered else 2
    return end if ordered and ordered[-1] > 1.5 * end else 1.1 * max(ordered, default=2)


def speed_axis(axes):
    """Makes the y axis logarithmic, with plain numbers as labels."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(10, (1.0,), numticks=12))
    low, high = axes.get_ylim()
    if high / low < 200:
        axes.yaxis.set_major_locator(LogLocator(10, (1.0, 2.0, 5.0), numticks=24))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def papers_unit(axes, name, times):
    """Adds an axis to the right in the unit of a figure's paper, of which GB/s are so many times."""
    side = axes.secondary_yaxis("right", functions=(lambda y: y * times, lambda y: y / times))
    side.set_ylabel(name)
    if axes.get_yscale() == "log":
        side.yaxis.set_major_locator(LogLocator(10, (1.0, 2.0, 5.0), numticks=24))
        side.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        side.yaxis.set_minor_locator(NullLocator())


def handles(compressors):
    """The entries of a legend of compressors."""
    looks = [(name, *style.look(name)) for name in compressors]
    return [Line2D([], [], color=colour, marker=marker, linestyle="none", label=name)
            for name, colour, marker in looks]


def legend(axes, compressors, ncol=3, at=(0.5, 1.0)):
    """Draws a legend of compressors above a figure."""
    axes.legend(handles=handles(compressors), ncol=ncol, loc="lower center", bbox_to_anchor=at,
                columnspacing=1.2, handletextpad=0.2)


def bar_legend(axes, entries, **where):
    """Draws a legend of bars, of (label, look)."""
    handles = [Patch(label=label, **look) for label, look in entries]
    where = {"ncol": len(handles), "loc": "lower center", "bbox_to_anchor": (0.5, 1.0), **where}
    axes.legend(handles=handles, **where)


def names_below(axes, names):
    """The names of data sets below an axis."""
    look = {"rotation": 90} if len(names) > MANY else \
        {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(names)), names, **look)
    axes.set_xlim(-0.6, len(names) - 0.4)


def room_for(names):
    """The height in inches that long upright names take from a figure, more than short ones."""
    return 0.055 * max(0, max(map(len, names), default=0) - 8) if len(names) > MANY else 0.0


def bar(axes, x, height, width, tip, **look):
    """A bar with a tooltip."""
    for patch in axes.bar(x, height, width, **look):
        svg.tip(patch, tip)


def lanes(values, apart):
    """Distributes marks over rows such that none hides another: lists of (name, value). Marks of a
    row are at least `apart` doublings apart."""
    rows = []
    for name, value in sorted(values.items(), key=lambda pair: (pair[1], pair[0])):
        for row in rows:
            if log2(value / row[-1][1]) >= apart:
                row.append((name, value))
                break
        else:
            rows.append([(name, value)])
    return rows


def beyond(axes, y, ratios, apart=0.1):
    """Draws values beyond the axis to its right, after an arrow: each compressor's marker with its
    ratio, ascending, so far apart. `ratios` has (compressor, ratio)."""
    where = axes.get_yaxis_transform()
    for number, (compressor, ratio) in enumerate(sorted(ratios, key=lambda one: one[1])):
        x = 1 + apart * (number + BEYOND)
        if not number:
            axes.annotate("", (1 + 0.7 * apart * BEYOND, y), (1.003, y), xycoords=where,
                          textcoords=where, arrowprops={"arrowstyle": "->", "linewidth": 0.7,
                                                        "shrinkA": 0, "shrinkB": 0})
        style.point(axes, x, y, compressor, tip=f"{compressor}: {ratio:.3f}", size=4.5,
                    transform=where)
        axes.annotate(f"{ratio:.{2 if ratio < 10 else 1}f}", (x, y), xycoords=where, xytext=(4, 0),
                      textcoords="offset points", va="center", fontsize=style.SMALL,
                      annotation_clip=False)


def series(axes, points, tips, **look):
    """A line through points, each with a tooltip."""
    marks = {key: look.pop(key) for key in ("marker", "markersize", "markerfacecolor")
             if key in look}
    line, = axes.plot([x for x, _ in points], [y for _, y in points], **look)
    for (x, y), tip in zip(points, tips):
        mark, = axes.plot([x], [y], color=line.get_color(), zorder=line.get_zorder(),
                          linestyle="none", **marks)
        svg.tip(mark, tip)
    return line


def line_handle(label, **look):
    """An entry of a legend for a line of `series`."""
    return Line2D([], [], label=label, **look)


def size_name(size):
    """A size in bytes, in the largest unit that it has a whole number of."""
    for unit, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << unit and size % (1 << unit) == 0:
            return f"{size >> unit} {name}"
    return f"{size} bytes"
