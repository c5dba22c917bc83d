"""Our figures of the distribution of all ratios."""

from analysis import style, svg
from analysis.axes import beyond, handles, ratio_axis
from analysis.context import PRECISIONS, TABLE_ROWS
from analysis.items import Item, Table

BEST, MPC = "best searched", "MPC"
SHAPE, ROW = 0.15, 0.2  # inches: the height of a shape, and of its line
LONG = 12  # lines of a figure; more stand in two columns
KEYS = ["precision", "pipelines", "compressing_percent", "lowest_ratio", "first_quartile_ratio",
        "median_ratio", "third_quartile_ratio", "percentile_99_ratio", "highest_ratio"]


def item(context):
    item = Item("ours-distribution", "ours", "Distribution of all ratios",
                f"A histogram of the ratios of all {pipelines_text(context)} pipelines on each "
                "data set, in equal steps on the logarithmic axis. Marks on it: the best of them, "
                "MPC, and the best of the papers' other compressors.")
    studies = context.need(item, "distribution")
    for precision in PRECISIONS:
        lines = spreads(studies, precision)
        if not lines:
            item.lack(f"No {precision}-precision search", "search with --precision both")
            continue
        item.figure(precision, draw(lines, precision),
                    ["Shape: number of pipelines (with a separate scale for each line), cut where "
                     "the axis ends. Star: the best of them. Marks: ratios on the whole data; an "
                     "arrow and the ratio show the best beyond the axis."]
                    + context.samples())
    item.table("", table_of(item.title, studies))
    for study in studies:
        item.note(f"{study.name}: {note}" for note in study.notes("distribution"))
    return item


def pipelines_text(context):
    counts = sorted({row["pipelines"] for study in context.studies for row in study.rows("runs")})
    return " or ".join(f"{count:,}" for count in counts) or "searched"


def spreads(studies, precision):
    """For each data set its name, the steps of the histogram and the compressors' ratios. A data set
    of several studies has one line, in that which was searched in more of the data."""
    lines = {}
    for study in sorted(studies, key=lambda one: one.part() != ""):
        for name in study.searched():
            where = {"data_set": name, "precision": precision}
            steps = study.rows("distribution", 1, **where)
            if not steps or name in lines:
                continue
            whole = study.rows("distribution", **where)[0]
            lines[name] = {"name": name, "mark": study.mark(name, precision), "steps": steps,
                           "lowest": whole["lowest_ratio"],
                           "ratios": {**others_of(study, name, precision),
                                      BEST: whole["highest_ratio"]}}
    return [lines[name] for name in sorted(lines)]


def others_of(study, name, precision):
    """MPC and the best of the papers' other compressors on a data set."""
    ratios = {row["compressor"]: row["ratio"] for one in study.compared(precision)
              if one["name"] == name for row in one["rows"]
              if row["compressor"] in TABLE_ROWS and row.get("ratio")}
    ratios.pop(BEST, None)
    best = max((one for one in ratios if one != MPC), key=ratios.get, default=None)
    return {one: ratios[one] for one in (MPC, best) if one in ratios}


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
    columns = 2 if len(lines) > LONG else 1
    down = -(-len(lines) // columns)
    figure, grid = style.new(style.PAGE, ROW * down + 0.85, ncols=columns, squeeze=False)
    for number, axes in enumerate(grid[0]):
        draw_column(axes, lines[number * down:(number + 1) * down], down, low, limit)
        axes.set_xlabel(f"compression ratio, {precision} precision")
    names = [one for one in (BEST, *TABLE_ROWS) if any(one in line["ratios"] for line in lines)]
    figure.legend(handles=handles(list(dict.fromkeys(names))), ncol=6, loc="lower center",
                  bbox_to_anchor=(0.5, 1.0), columnspacing=1.2, handletextpad=0.2)
    return figure


def draw_column(axes, lines, down, low, limit):
    for number, line in enumerate(lines):
        base = ROW * (number + 0.85)
        if number % 2 == 0:
            axes.axhspan(ROW * number, ROW * (number + 1), color="#F2F2F2", linewidth=0, zorder=0)
        draw_shape(axes, line, base, limit)
        for name, ratio in line["ratios"].items():
            if ratio <= limit:
                style.point(axes, ratio, base, name, tip=f"{line['name']}: {name} {ratio:.3f}",
                            size=6 if name == BEST else 4)
        far = {name: ratio for name, ratio in line["ratios"].items() if ratio > limit}
        beyond(axes, base, [max(far.items(), key=lambda one: one[1])] if far else [])
    axes.set_yticks([ROW * (number + 0.6) for number in range(len(lines))],
                    [line["name"] + line["mark"] for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(ROW * down, 0)
    ratio_axis(axes, [low, limit / 1.08], 9)
    axes.grid(axis="x")


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
