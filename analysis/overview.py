"""Ratio against speed over many inputs, ours among the others: what was found, in one picture."""

from statistics import geometric_mean, median

from matplotlib.ticker import FuncFormatter, LogLocator, MultipleLocator, NullLocator

from analysis import labels, style
from analysis.axes import WAYS
from analysis.documents import PRELUDES, WIDE

PLAIN, RACED = "pipelines", "+ longer chunks, raced"
# A method -> its name in the picture, and what it is drawn as.
OURS = {PLAIN: ("best pipeline", "paper's space"), PRELUDES: ("with preludes", PRELUDES),
        WIDE: ("+ wide space", WIDE), RACED: (RACED, WIDE)}
TEXT, SIZE = 9.5, 6  # of names and of marks, in points


class Mark:
    """A method over inputs: the geometric mean of its ratios and the median of its speeds."""

    def __init__(self, method, rows):
        self.ours = method in OURS
        self.name, self.look = OURS.get(method, (method, method))
        self.ratio = geometric_mean([row["ratio"] for row in rows])
        self.speed = {way: median(row[way]["gb_per_s"] for row in rows) for way in WAYS}


def equal_inputs(methods):
    """The inputs that all of some methods, name -> input -> row, have: no method is shown on easier
    ones than another."""
    return sorted(set.intersection(*(set(rows) for rows in methods.values()))) if methods else []


def marks_of(methods):
    """The marks of methods, name -> input -> row, over the inputs that all have."""
    inputs = equal_inputs(methods)
    return [Mark(name, [rows[one] for one in inputs]) for name, rows in methods.items()] \
        if inputs else []


def draw(axes, marks, way, text=TEXT):
    """Draws marks, and the line of those that no other exceeds in both ratio and speed."""
    axes.set_xscale("log")
    slowest, fastest = (end(mark.speed[way] for mark in marks) for end in (min, max))
    lowest, highest = (end(mark.ratio for mark in marks) for end in (min, max))
    space = (highest - lowest) or 1
    axes.set_xlim(slowest / 1.6, fastest * 2.2)
    axes.set_ylim(lowest - 0.12 * space, highest + 0.12 * space)
    for mark in marks:
        style.point(axes, mark.speed[way], mark.ratio, mark.look, size=SIZE + 2 * mark.ours,
                    tip=f"{mark.name}: ratio {mark.ratio:.2f}, {mark.speed[way]:.3g} GB/s")
    edge = front(marks, way)
    corners = [(axes.get_xlim()[0], edge[0].ratio)]
    for mark, after in zip(edge, [*edge[1:], None]):
        corners += [(mark.speed[way], mark.ratio),
                    (mark.speed[way], after.ratio if after else axes.get_ylim()[0])]
    axes.plot(*zip(*corners), color="#555555", linewidth=0.8, zorder=1)
    axes.xaxis.set_major_locator(LogLocator(10, (1.0,), numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    if space > 0.4:
        axes.yaxis.set_major_locator(MultipleLocator(0.5 if space > 1 else 0.2))
    axes.grid()
    axes.set_xlabel(f"{way}ion, GB/s on one core (median)", fontsize=text)
    axes.set_ylabel("compression ratio (geometric mean)", fontsize=text)
    axes.tick_params(labelsize=text)
    labels.place(axes, [(mark.speed[way], mark.ratio, mark.name,
                         {"fontweight": "bold"} if mark.ours else {}) for mark in
                        sorted(marks, key=lambda one: not one.ours)], text, (SIZE + 2) / 2, corners)


def front(marks, way):
    """The marks that no other exceeds in both, from the slowest on."""
    edge = []
    for mark in sorted(marks, key=lambda one: (-one.speed[way], -one.ratio)):
        if not edge or mark.ratio > edge[-1].ratio:
            edge.append(mark)
    return edge[::-1]
