"""Our figures: the distribution of all ratios. Ratio against throughput is in pareto.py, the heat
map of the 100 best pipelines in observations.py."""

from analysis import style
from analysis.context import PRECISIONS, TABLE_ROWS
from analysis.items import Item, Table
from analysis.mpc import legend, ratio_axis
from analysis.observations import heat_map
from analysis.pareto import front


def items(context):
    return [distribution(context), front(context), heat_map(context)]


def distribution(context):
    item = Item("ours-distribution", "ours", "Distribution of all ratios",
                f"A histogram of the ratios of all {pipelines_text(context)} pipelines on each "
                "data set, in equal steps on the logarithmic axis. Marks are the papers' "
                "compressors.")
    studies = context.need(item, "distribution")
    for precision in PRECISIONS:
        lines = [(study, name) for study in studies for name in study.searched()
                 if study.rows("distribution", 1, data_set=name, precision=precision)]
        if not lines:
            item.lack(f"No {precision}-precision search", "search with --precision both")
            continue
        item.figure(precision, draw_ridges(lines, precision),
                    ["Shape: number of pipelines (with a separate scale for each line). Marks: the "
                     "compressors' ratios on the whole data; an arrow and the ratio show those "
                     "beyond the axis. Star: the best searched pipeline, the end of the shape."]
                    + context.samples())
    table = Table(item.title, [("data set", 0), ("study", 0), ("searched in", 0), ("precision", 0),
                               ("pipelines", 0), ("above 1 %", 1), ("lowest CR", 3),
                               ("1st quartile", 3), ("median", 3), ("3rd quartile", 3), ("best 1 %", 3),
                               ("highest CR", 3)])
    keys = ["precision", "pipelines", "compressing_percent", "lowest_ratio", "first_quartile_ratio",
            "median_ratio", "third_quartile_ratio", "percentile_99_ratio", "highest_ratio"]
    for study in studies:
        for row in study.rows("distribution"):
            where = (row["data_set"], row["precision"])
            table.add(row["data_set"] + study.mark(*where), study.name, study.extent(*where),
                      *(row[key] for key in keys))
        item.note(f"{study.name}: {note}" for note in study.notes("distribution"))
    item.table("", table)
    return item


def pipelines_text(context):
    counts = sorted({row["pipelines"] for study in context.studies for row in study.rows("runs")})
    return " or ".join(f"{count:,}" for count in counts) or "searched"


def draw_ridges(lines, precision):
    figure, axes = style.new(style.PAGE, 0.3 * len(lines) + 0.85)
    right = 1.0
    shown = set()
    for place, (study, name) in enumerate(lines):
        steps = study.rows("distribution", 1, data_set=name, precision=precision)
        top = max(row["pipelines"] for row in steps)
        for row in steps:
            axes.bar(row["from_ratio"], -0.78 * row["pipelines"] / top,
                     row["to_ratio"] - row["from_ratio"], bottom=place + 0.36, align="edge",
                     color="#B9C7D6", edgecolor="none")
        right = max(right, steps[-1]["to_ratio"])
        axes.plot([steps[0]["from_ratio"], steps[-1]["to_ratio"]], [place + 0.36] * 2,
                  color="#66788A", linewidth=0.6)
    limit = right * 1.15
    for place, (study, name) in enumerate(lines):
        ratios = {row["compressor"]: row["ratio"] for one in study.compared(precision)
                  if one["name"] == name for row in one["rows"]
                  if row["compressor"] in TABLE_ROWS and row.get("ratio")}
        ratios.pop("best searched", None)
        shown |= {"best searched", *ratios}
        for compressor, ratio in ratios.items():
            if ratio <= limit:
                style.point(axes, ratio, place + 0.36, compressor, size=4)
        style.beyond(axes, place + 0.36, [(compressor, ratio, False) for compressor, ratio
                                          in ratios.items() if ratio > limit])
        best = study.rows("distribution", data_set=name, precision=precision)[0]["highest_ratio"]
        style.point(axes, best, place + 0.36, "best searched", size=6)
    axes.set_yticks([place + 0.2 for place in range(len(lines))],
                    [name + study.mark(name, precision) for study, name in lines])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(lines) - 0.4, -0.55)
    lows = [study.rows("distribution", data_set=name, precision=precision)[0]["lowest_ratio"]
            for study, name in lines]
    ratio_axis(axes, [min(lows), limit])
    axes.set_xlabel(f"compression ratio, {precision} precision (original / compressed bytes)")
    axes.grid(axis="x")
    legend(axes, [one for one in TABLE_ROWS if one in shown], ncol=9)
    return figure
