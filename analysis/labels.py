"""Names beside marks, each where it hides neither a mark nor another name."""

GAP = 3  # points between a mark and its name
NEAR = 3  # rounds of places; names that are farther away than the first have a line to their mark
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
ALIGNED = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}


def place(axes, marks, size, radius=4, line=()):
    """Writes the names of marks, which are (x, y, name) with further properties of the text. The
    first ones have the choice of places. The limits of the axes must be final. `size` is that of
    the text in points, `radius` that of the marks, `line` the corners of a line to keep free."""
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
    for (x, y, name, *more), point in zip(marks, points):
        look = more[0] if more else {}
        text = axes.annotate(name, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=size,
                             zorder=5, **look)
        text.set_in_layout(False)
        extent = text.get_window_extent(renderer)
        place_of, box, far = chosen(point, extent.width, extent.height, (radius + GAP) * unit,
                                    taken, inside)
        taken.append(box)
        text.set_position(tuple(part / unit for part in place_of[0]))
        text.set_ha(ALIGNED[0][place_of[1][0]])
        text.set_va(ALIGNED[1][place_of[1][1]])
        if far:
            axes.annotate("", point_in(box, point), point, xycoords="figure pixels",
                          textcoords="figure pixels", zorder=2,
                          arrowprops={"arrowstyle": "-", "linewidth": 0.5, "color": "#777777",
                                      "shrinkA": radius, "shrinkB": 1}).set_in_layout(False)


def box_of(point, radius):
    return point[0] - radius, point[1] - radius, point[0] + radius, point[1] + radius


def point_in(box, point):
    """The point of a box that is the nearest to another one."""
    return tuple(min(max(point[one], box[one]), box[one + 2]) for one in (0, 1))


def chosen(point, width, height, distance, taken, inside):
    """The place of a text beside a point: its offset and sides, its box, and whether it is so far
    away that a line must show where it belongs. Of places that all hide something, that which hides
    least."""
    best = None
    for turn in range(NEAR):
        for side in SIDES:
            reach = distance + turn * 1.2 * height
            offset = tuple(part * reach * (1 if 0 in side else 0.75) for part in side)
            left = point[0] + offset[0] - width * {-1: 1, 0: 0.5, 1: 0}[side[0]]
            bottom = point[1] + offset[1] - height * {-1: 1, 0: 0.5, 1: 0}[side[1]]
            box = left, bottom, left + width, bottom + height
            hidden = sum(overlap(box, other) for other in taken) + outside(box, inside)
            if best is None or hidden < best[0]:
                best = hidden, (offset, side), box, turn > 0
            if hidden == 0:
                return best[1:]
    return best[1:]


def overlap(one, other):
    """The area that two boxes share."""
    return max(0, min(one[2], other[2]) - max(one[0], other[0])) * \
        max(0, min(one[3], other[3]) - max(one[1], other[1]))


def outside(box, inside):
    """The area of a box that lies outside of the axes."""
    kept = overlap(box, (inside.x0, inside.y0, inside.x1, inside.y1))
    return (box[2] - box[0]) * (box[3] - box[1]) - kept
