"""Ratio against speed over many inputs, ours among the others: what was found, in one picture."""

from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from analysis import labels, style
from analysis.axes import WAYS, ratio_limit, ratio_ticks
from analysis.documents import AUTO, LONGER, PRELUDES, WIDE

# What ours were searched in -> the name in the picture, and what it is drawn as.
OURS = {"pipelines": ("best pipeline", "paper's space"), "preludes": ("with preludes", PRELUDES),
        "wide": ("+ wide space", WIDE), "longer": ("+ longer chunks, raced", LONGER),
        "auto": ("compress auto", AUTO), "normal": ("compress auto, normal", AUTO)}
PIPELINES = "pipelines"  # their name for style.look()
ALIKE = 1.03, 1.3  # times of ratio and of speed, within which one mark stands for two
FAR = 3  # times, from which on an axis of ratios is logarithmic
TEXT, SIZE = 9.5, 6  # of names and of marks, in points
SHOWN = 15, 12  # marks whose names have room, on large screens and on small ones


class Mark:
    """A method in the picture, with its ratio and its speeds by direction."""

    def __init__(self, name, look, ratio, speed, ours=False, hollow=False):
        self.name, self.look, self.ratio, self.speed = name, look, ratio, speed
        self.ours, self.hollow = ours, hollow
        self.kind = look if look == PIPELINES else name if ours else name.rpartition(" ")[0]  # a library's levels


def rows_of(study):
    """The means of `query peers`, and what `compress auto` finds of the same inputs with normal effort."""
    rows = study.rows("peers", 1)
    return rows + [{**row, "searched_in": "normal", "method": "auto, normal effort"}
                   for row in study.rows("peers-normal", 1)
                   if row["searched_in"] and rows and row["inputs"] == rows[0]["inputs"]]


def marks_of(rows):
    """The marks of rows of `query peers`, means over the inputs that all methods have."""
    return [Mark(*OURS.get(row["searched_in"], 2 * (row["method"],)), row["geometric_mean_ratio"],
                 {way: row[f"median_{way}_gb_per_s"] for way in WAYS}, bool(row["searched_in"]))
            for row in rows]


def foremost(marks, way, most):
    """At most so many marks that all names have room: ours, then the others that the fewest exceed in
    both ratio and speed. Of two of one kind in nearly the same place, that with the higher ratio."""
    others = [mark for mark in marks if not mark.ours]

    def exceeded(mark):
        return sum(one.ratio > mark.ratio and one.speed[way] > mark.speed[way] for one in others)
    kept = []
    for mark in sorted(marks, key=lambda one: (not one.ours, exceeded(one), -one.ratio)):
        if not any(alike(mark, other, way) for other in kept):
            kept.append(mark)
    return kept[:most]


def alike(one, other, way):
    """Whether two marks are of one kind and in nearly the same place."""
    return one.kind == other.kind and all(max(pair) < times * min(pair) for times, pair in zip(
        ALIKE, ((one.ratio, other.ratio), (one.speed[way], other.speed[way]))))


def draw(axes, marks, way, text=TEXT, means=True):
    """Draws marks, and the line of those that no other exceeds in both ratio and speed. Few ratios
    that are far above the others stand at the end of the axis, with an arrow."""
    axes.set_xscale("log")
    limit = ratio_limit([mark.ratio for mark in marks], 0.75)
    slowest, fastest = (end(mark.speed[way] for mark in marks) for end in (min, max))
    lowest = min(mark.ratio for mark in marks)
    highest = min(limit, max(mark.ratio for mark in marks))
    axes.set_xlim(slowest / 1.6, fastest * 2.2)
    if highest > FAR * lowest:
        margin = (highest / lowest) ** 0.12
        axes.set_yscale("log", base=2)
        axes.set_ylim(lowest / margin, highest * margin)
        ticks = ratio_ticks(*axes.get_ylim(), 7)
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    else:
        space = (highest - lowest) or 1
        axes.set_ylim(lowest - 0.12 * space, highest + 0.12 * space)
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    places = {mark: (mark.speed[way], min(mark.ratio, highest)) for mark in marks}
    for mark, (x, y) in places.items():
        style.point(axes, x, y, mark.look, mark.hollow, size=SIZE + 2 * mark.ours,
                    tip=f"{mark.name}: ratio {mark.ratio:.3f}, {x:.3g} GB/s")
    edge = [places[mark] for mark in front(marks, way)]
    corners = [(axes.get_xlim()[0], edge[0][1])]
    for (x, y), after in zip(edge, [*edge[1:], (0, axes.get_ylim()[0])]):
        corners += [(x, y), (x, after[1])]
    axes.plot(*zip(*corners), color="#555555", linewidth=0.8, zorder=1)
    axes.xaxis.set_major_locator(LogLocator(10, (1.0,), numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid()
    kinds = (" (geometric mean)", " (median)") if means else ("", "")
    axes.set_xlabel(f"{way}ion, GB/s{' on one core' if means else ''}{kinds[1]}", fontsize=text)
    axes.set_ylabel(f"compression ratio{kinds[0]}", fontsize=text)
    axes.tick_params(labelsize=text)
    labels.place(axes, [(*places[mark], mark.name if mark.ratio <= highest else
                         f"{mark.name}, {mark.ratio:.4g} \u2191",
                         {"fontweight": "bold"} if mark.ours else {})
                        for mark in sorted(marks, key=lambda one: not one.ours)],
                 text, (SIZE + 2) / 2, corners)


def show(item, suffix, sides, lines, means=True):
    """Adds a picture of the marks of each direction below each other, and one for small screens."""
    def drawn(width, height, most):
        figure, panels = style.new(width, height * len(sides), nrows=len(sides), squeeze=False)
        for (axes,), (way, marks) in zip(panels, sides.items()):
            draw(axes, foremost(marks, way, most), way, 7, means)
        return figure
    item.figure(suffix, drawn(style.PAGE, 3.3, SHOWN[0]), lines, drawn(style.COLUMN, 3.1, SHOWN[1]))


def front(marks, way):
    """The marks that no other exceeds in both, from the slowest on."""
    edge = []
    for mark in sorted(marks, key=lambda one: (-one.speed[way], -one.ratio)):
        if not edge or mark.ratio > edge[-1].ratio:
            edge.append(mark)
    return edge[::-1]
