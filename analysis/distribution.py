"""Our figures of the distribution of all ratios."""

from math import log2

from analysis import style, svg
from analysis.axes import beyond, lanes, legend, ratio_axis
from analysis.context import PRECISIONS, TABLE_ROWS
from analysis.items import Item, Table

BEST = "best searched"
# Sizes of the figure in inches. Marks of a lane are at least APART apart, about their width.
SHAPE, LANE, PAD, APART, AXIS = 0.24, 0.085, 0.05, 0.095, 5.4
KEYS = ["precision", "pipelines", "compressing_percent", "lowest_ratio", "first_quartile_ratio",
        "median_ratio", "third_quartile_ratio", "percentile_99_ratio", "highest_ratio"]


def item(context):
    item = Item("ours-distribution", "ours", "Distribution of all ratios",
                f"A histogram of the ratios of all {pipelines_text(context)} pipelines on each "
                "data set, in equal steps on the logarithmic axis. Marks below it are the papers' "
                "compressors.")
    studies = context.need(item, "distribution")
    for precision in PRECISIONS:
        lines = spreads(studies, precision)
        if not lines:
            item.lack(f"No {precision}-precision search", "search with --precision both")
            continue
        item.figure(precision, draw(lines, precision),
                    ["Shape: number of pipelines (with a separate scale for each line). Marks: the "
                     "compressors' ratios on the whole data; an arrow and the ratio show those "
                     "beyond the axis. Star: the best searched pipeline, the end of the shape, which is "
                     "cut where the axis ends."]
                    + context.samples())
    item.table("", table_of(item.title, studies))
    for study in studies:
        item.note(f"{study.name}: {note}" for note in study.notes("distribution"))
    return item


def pipelines_text(context):
    counts = sorted({row["pipelines"] for study in context.studies for row in study.rows("runs")})
    return " or ".join(f"{count:,}" for count in counts) or "searched"


def spreads(studies, precision):
    """For each data set its name, the steps of the histogram and the compressors' ratios."""
    lines = []
    for study in studies:
        for name in study.searched():
            where = {"data_set": name, "precision": precision}
            steps = study.rows("distribution", 1, **where)
            if not steps:
                continue
            whole = study.rows("distribution", **where)[0]
            ratios = {row["compressor"]: row["ratio"] for one in study.compared(precision)
                      if one["name"] == name for row in one["rows"]
                      if row["compressor"] in TABLE_ROWS and row.get("ratio")}
            lines.append({"name": name, "mark": study.mark(name, precision), "steps": steps,
                          "lowest": whole["lowest_ratio"],
                          "ratios": {**ratios, BEST: whole["highest_ratio"]}})
    return lines


def table_of(title, studies):
    table = Table(title, [("data set", 0), ("study", 0), ("searched in", 0), ("precision", 0),
                          ("pipelines", 0), ("above 1 %", 1), ("lowest CR", 3),
                          ("1st quartile", 3), ("median", 3), ("3rd quartile", 3),
                          ("best 1 %", 3), ("highest CR", 3)])
    for study in studies:
        for row in study.rows("distribution"):
            where = (row["data_set"], row["precision"])
            table.add(row["data_set"] + study.mark(*where), study.name, study.extent(*where),
                      *(row[key] for key in KEYS))
    return table


def draw(lines, precision):
    low, limit = span(lines)
    apart = APART / AXIS * log2(limit / low)
    places, height = [], 0.0
    for line in lines:
        rows = lanes({name: ratio for name, ratio in line["ratios"].items() if ratio <= limit},
                     apart)
        places.append((height, height + PAD + SHAPE, rows))
        height += 2 * PAD + SHAPE + LANE * len(rows)
    figure, axes = style.new(style.PAGE, height + 0.85)
    for number, (line, (top, base, rows)) in enumerate(zip(lines, places)):
        end = places[number + 1][0] if number + 1 < len(places) else height
        if number % 2 == 0:
            axes.axhspan(top, end, color="#F2F2F2", linewidth=0, zorder=0)
        draw_shape(axes, line, base, limit)
        for lane, row in enumerate(rows):
            for name, ratio in row:
                style.point(axes, ratio, base + LANE * (lane + 0.5), name,
                            tip=f"{line['name']}: {name} {ratio:.3f}",
                            size=6 if name == BEST else 4)
        beyond(axes, base + LANE / 2, [(name, ratio) for name, ratio in line["ratios"].items()
                                       if ratio > limit])
    axes.set_yticks([base for _, base, _ in places], [line["name"] + line["mark"]
                                                      for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(height, 0)
    ratio_axis(axes, [low, limit / 1.08])
    axes.set_xlabel(f"compression ratio, {precision} precision (original / compressed bytes)")
    axes.grid(axis="x")
    legend(axes, [one for one in TABLE_ROWS if any(one in line["ratios"] for line in lines)],
           ncol=9)
    return figure


def span(lines):
    """The ends of the axis: from the lowest ratio to somewhat above the highest of the pipelines,
    without those that are far above all others."""
    best = sorted(line["ratios"][BEST] for line in lines)
    limit = 1.15 * best[-1]
    typical = 1.3 * best[int(0.9 * (len(best) - 1))]
    return min(line["lowest"] for line in lines), typical if limit > 2 * typical else limit


def draw_shape(axes, line, base, limit):
    """The histogram as one shape above its base."""
    steps = [row for row in line["steps"] if row["from_ratio"] < limit]
    top = max(row["pipelines"] for row in line["steps"])
    xs, ys = [], []
    for row in steps:
        xs += [row["from_ratio"], min(row["to_ratio"], limit)]
        ys += [base - SHAPE * row["pipelines"] / top] * 2
    shape = axes.fill_between(xs, ys, base, color=style.PALE, linewidth=0, zorder=1)
    total = sum(row["pipelines"] for row in line["steps"])
    svg.tip(shape, f"{line['name']}: {total:,} pipelines, from {line['lowest']:.3f} to "
                   f"{line['ratios'][BEST]:.3f}")
    axes.plot([xs[0], xs[-1]], [base, base], color="#66788A", linewidth=0.6, zorder=1)
