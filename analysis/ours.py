"""Ours: how all ratios spread, ratio against throughput, and the heat map of the best hundred."""

from analysis import style
from analysis.context import PRECISIONS, TABLE_ROWS
from analysis.items import Item, Table
from analysis.mpc import legend, ratio_axis
from analysis.observations import heat_map


def items(context):
    return [distribution(context), front(context), heat_map(context)]


def distribution(context):
    item = Item("ours-distribution", "ours", "How all ratios spread",
                "The ratios of all searched pipelines of each data set (138,240 in the default "
                "space), as a histogram of equal steps on the logarithmic axis, with the papers' "
                "compressors marked in it.".replace("138,240", pipelines_text(context)))
    studies = context.need(item, "distribution")
    for precision in PRECISIONS:
        lines = [(study, name) for study in studies for name in study.searched()
                 if study.rows("distribution", 1, data_set=name, precision=precision)]
        if not lines:
            item.lack(f"No {precision}-precision search", "search with --precision both")
            continue
        item.figure(precision, draw_ridges(lines, precision),
                    ["Shape: number of pipelines (each line's own scale). Marks: the compressors' "
                     "own ratios, on the whole data; those beyond the axis are left out."]
                    + context.samples())
    table = Table(item.title, [("data set", 0), ("study", 0), ("precision", 0), ("pipelines", 0),
                               ("above 1 %", 1), ("lowest CR", 3), ("1st quartile", 3),
                               ("median", 3), ("3rd quartile", 3), ("best 1 %", 3),
                               ("highest CR", 3)])
    for study in studies:
        for row in study.rows("distribution"):
            table.add(row["data set"], study.name, *(row[name] for name, _ in table.columns[2:]))
        item.note(f"{study.name}: {note}" for note in study.notes("distribution"))
    item.table("", table)
    return item


def pipelines_text(context):
    counts = sorted({row["pipelines"] for study in context.studies for row in study.rows("runs")})
    return " or ".join(f"{count:,}" for count in counts) or "138,240"


def draw_ridges(lines, precision):
    figure, axes = style.new(style.PAGE, 0.3 * len(lines) + 0.85)
    right = 1.0
    shown = set()
    for place, (study, name) in enumerate(lines):
        steps = study.rows("distribution", 1, data_set=name, precision=precision)
        top = max(row["pipelines"] for row in steps)
        for row in steps:
            axes.bar(row["from CR"], -0.78 * row["pipelines"] / top,
                     row["to CR"] - row["from CR"], bottom=place + 0.36, align="edge",
                     color="#B9C7D6", edgecolor="none")
        right = max(right, steps[-1]["to CR"])
        axes.plot([steps[0]["from CR"], steps[-1]["to CR"]], [place + 0.36] * 2, color="#66788A",
                  linewidth=0.6)
    limit = right * 1.15
    for place, (study, name) in enumerate(lines):
        for one in study.compared(precision):
            for row in one["rows"] if one["name"] == name else []:
                compressor, ratio = row["compressor"], row.get("ratio")
                if compressor in TABLE_ROWS and compressor != "best searched" and ratio and \
                        ratio <= limit:
                    style.point(axes, ratio, place + 0.36, compressor, size=4)
                    shown.add(compressor)
        best = study.rows("distribution", data_set=name, precision=precision)[0]["highest CR"]
        style.point(axes, best, place + 0.36, "best searched", size=6)
        shown.add("best searched")
    axes.set_yticks([place + 0.2 for place in range(len(lines))], [name for _, name in lines])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(lines) - 0.4, -0.55)
    lows = [study.rows("distribution", data_set=name, precision=precision)[0]["lowest CR"]
            for study, name in lines]
    ratio_axis(axes, [min(lows), limit])
    axes.set_xlabel(f"compression ratio, {precision} precision (original / compressed bytes)")
    axes.grid(axis="x")
    legend(axes, [one for one in TABLE_ROWS if one in shown], ncol=9)
    return figure


def front(context):
    item = Item("ours-pareto", "ours", "Ratio against throughput",
                "Every compressor and the best searched pipeline: ratio (harmonic mean where a "
                "study has several data sets) against throughput from memory to memory. The line is "
                "the Pareto front: nothing is both faster and smaller.")
    table = Table(item.title, [("study", 0), ("precision", 0), ("compressor", 0), ("ratio", 3),
                               ("compress GB/s", 3), ("on the front", 0), ("decompress GB/s", 3),
                               ("on the front there", 0)])
    for study in context.need(item, "compare"):
        for precision in PRECISIONS:
            means = study.means(precision)
            if not means:
                item.lack(f"{study.name}: nothing compared in {precision} precision",
                          "`fpsynth compare --precision both`")
                continue
            item.figure(f"{study.name}-{precision}", draw_front(means),
                        [f"{study.name}, {precision} precision: "
                         f"{', '.join(one['name'] for one in study.compared(precision))}. "
                         f"{study.machine()}."] + context.samples([study]))
            for mean in means:
                table.add(study.name, precision, mean["compressor"], mean["harmonic_mean_ratio"],
                          mean["mean_compress_gb_per_s"], yes(mean, "compress"),
                          mean["mean_decompress_gb_per_s"], yes(mean, "decompress"))
    if table.rows:
        item.table("", table)
    return item


def yes(mean, way):
    return "yes" if mean.get("on_front", {}).get(way) else "no"


def draw_front(means):
    figure, panels = style.new(style.PAGE - 1.25, 2.7, ncols=2, sharex=True, sharey=True)
    for axes, way in zip(panels, ("compress", "decompress")):
        key = f"mean_{way}_gb_per_s"
        edge = sorted((mean["harmonic_mean_ratio"], mean[key]) for mean in means
                      if mean.get("on_front", {}).get(way))
        steps = [point for before, after in zip(edge, edge[1:])
                 for point in (before, (before[0], after[1]))] + edge[-1:]
        axes.plot([x for x, _ in steps], [y for _, y in steps], color="#555555", linewidth=0.8,
                  zorder=1)
        for mean in means:
            style.point(axes, mean["harmonic_mean_ratio"], mean[key], mean["compressor"])
        axes.set_yscale("log")
        axes.grid()
        axes.set_xlabel("compression ratio")
        axes.set_title(f"{way}ion")
    ratio_axis(panels[0], [mean["harmonic_mean_ratio"] for mean in means], 12)
    panels[0].set_ylabel("throughput, GB/s")
    from matplotlib.lines import Line2D
    handles = []
    for mean in means:
        colour, marker = style.look(mean["compressor"])
        handles.append(Line2D([], [], color=colour, marker=marker, linestyle="none",
                              label=mean["compressor"]))
    handles.append(Line2D([], [], color="#555555", linewidth=0.8, label="Pareto front"))
    figure.legend(handles=handles, loc="center left", bbox_to_anchor=(1.0, 0.5), handletextpad=0.3)
    return figure
