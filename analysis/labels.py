"""Names beside marks, each where it hides neither a mark nor another name."""

from math import dist

GAP = 3  # points between a mark and its name
DOUBT = 0.02  # of its area a name hides beside another mark, or if its line crosses something
FAR = 0.2  # of that, in each round farther away
NEAR = 3  # rounds of places; names that are farther away than the first have a line to their mark
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
ALIGNED = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}


def place(axes, marks, size, radius=4, line=()):
    """Writes the names of marks, which are (x, y, name) with further properties of the text; marks
    without a name are kept free. Of a few orders in which names choose their places, that is taken
    which hides least. The limits of the axes must be final. `size` is that of the text in points,
    `radius` that of the marks, `line` the corners of a line to keep free."""
    figure = axes.figure
    figure.draw_without_rendering()
    renderer = figure._get_renderer()
    unit = figure.dpi / 72
    inside = axes.get_window_extent(renderer)
    points = [axes.transData.transform((x, y)) for x, y, *_ in marks]
    taken = [box_of(point, radius * unit) for point in points]
    corners = [axes.transData.transform(corner) for corner in line]
    taken += [tuple(end(pair) + part for end, part in ((min, -unit), (max, unit))
                    for pair in zip(one, other)) for one, other in zip(corners, corners[1:])]
    texts = [axes.annotate(name, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=size,
                           zorder=5, **(more[0] if more else {})) for x, y, name, *more in marks]
    extents = []
    for text in texts:
        text.set_in_layout(False)
        extents.append(text.get_window_extent(renderer))
    given = [number for number, mark in enumerate(marks) if mark[2]]
    orders = [given] + [sorted(given, key=lambda one: sign * points[one][part])
                        for part in (0, 1) for sign in (1, -1)]
    placed = min((arranged(order, points, extents, (radius + GAP) * unit, taken, inside)
                  for order in orders), key=lambda one: sum(hidden for hidden, *_ in one.values()),
                 default={})
    for number, (_, (offset, side), box, far) in placed.items():
        texts[number].set_position(tuple(part / unit for part in offset))
        texts[number].set_ha(ALIGNED[0][side[0]])
        texts[number].set_va(ALIGNED[1][side[1]])
        if far:
            end = tuple((one - other) / unit for one, other in zip(
                point_in(box, points[number]), points[number]))
            axes.annotate("", marks[number][:2], xytext=end, textcoords="offset points", zorder=2,
                          arrowprops={"arrowstyle": "-", "linewidth": 0.5, "color": "#777777",
                                      "shrinkA": 1, "shrinkB": radius}).set_in_layout(False)


def arranged(order, points, extents, distance, taken, inside):
    """The places of names that choose in an order, by the mark's number."""
    taken, found = list(taken), {}
    for number in order:
        others = [point for one, point in enumerate(points) if one != number]
        found[number] = chosen(points[number], extents[number].width, extents[number].height,
                               distance, taken, inside, others)
        _, _, box, far = found[number]
        taken.append(box)
        if far:
            taken += [box_of(one, 2) for one in way(point_in(box, points[number]), points[number])]
    return found


def box_of(point, radius):
    return point[0] - radius, point[1] - radius, point[0] + radius, point[1] + radius


def point_in(box, point):
    """The point of a box that is the nearest to another one."""
    return tuple(min(max(point[one], box[one]), box[one + 2]) for one in (0, 1))


def chosen(point, width, height, distance, taken, inside, others):
    """The place of a text beside a point: what it hides, its offset and sides, its box, and whether it
    is so far away that a line must show where it belongs. Of places that all hide something, that
    which hides least; a name that is as near to another mark hides something, too."""
    best = None
    for turn in range(NEAR):
        for side in SIDES:
            reach = distance + turn * 1.2 * height
            offset = tuple(part * reach * (1 if 0 in side else 0.75) for part in side)
            left = point[0] + offset[0] - width * {-1: 1, 0: 0.5, 1: 0}[side[0]]
            bottom = point[1] + offset[1] - height * {-1: 1, 0: 0.5, 1: 0}[side[1]]
            box = left, bottom, left + width, bottom + height
            hidden = sum(overlap(box, other) for other in taken) + outside(box, inside)
            if turn == 0:
                doubts = sum(dist(point_in(box, other), other) < distance for other in others)
            else:
                doubts = turn * FAR + sum(
                    any(point_in(other, one) == one for one in way(point_in(box, point), point))
                    for other in taken)
            hidden += DOUBT * width * height * doubts
            if best is None or hidden < best[0]:
                best = hidden, (offset, side), box, turn > 0
        if best[0] == 0:
            break
    return best


def way(start, end):
    """Points of the first part of a line, which leads to a mark."""
    return [tuple(one + part * (other - one) / 8 for one, other in zip(start, end))
            for part in range(1, 6)]


def overlap(one, other):
    """The area that two boxes share."""
    return max(0, min(one[2], other[2]) - max(one[0], other[0])) * \
        max(0, min(one[3], other[3]) - max(one[1], other[1]))


def outside(box, inside):
    """The area of a box that lies outside of the axes."""
    kept = overlap(box, (inside.x0, inside.y0, inside.x1, inside.y1))
    return (box[2] - box[0]) * (box[3] - box[1]) - kept
