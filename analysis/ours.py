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
                f"The ratios of all {pipelines_text(context)} pipelines on each data set, as a "
                "histogram of equal steps on the logarithmic axis, with the papers' compressors "
                "marked in it.")
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
    return " or ".join(f"{count:,}" for count in counts) or "searched"


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
                "The pipelines that are best over a study's data sets and every compressor: ratio "
                "(harmonic mean where a study has several data sets) against throughput. The line is the Pareto front: nothing is both faster and smaller.")
    table = Table(item.title, [("study", 0), ("what", 0), ("compressor", 0), ("how", 0),
                               ("threads", 0), ("CR", 3), ("compress GB/s", 3),
                               ("decompress GB/s", 3), ("front", 0)])
    for study in context.need(item, "compare"):
        if study.tables("pareto"):
            timed_fronts(context, item, study, table)
        else:
            compared_fronts(context, item, study, table)
    if table.rows:
        item.table("", table)
    return item


def timed_fronts(context, item, study, table):
    """The tables of `query pareto`, two by two: compression and decompression of one setting."""
    tables = study.tables("pareto")
    for number, pair in enumerate(zip(tables[::2], tables[1::2]), 1):
        points = []
        for answer in pair:
            points.append([{"name": row["compressor"], "kind": row["kind"], "how": row["how"],
                            "ratio": row["CR"], "compress": row["compress GB/s"],
                            "decompress": row["decompress GB/s"], "front": row["front"] == "yes"}
                           for row in answer["rows"]])
            for row in answer["rows"]:
                table.add(study.name, answer["title"],
                          *(row[name] for name, _ in table.columns[2:]))
            item.note(f"{study.name}: {note}" for note in joined(answer["notes"], study))
        title = pair[0]["title"].replace(": ratio against compression speed", "")
        item.figure(f"{study.name}-{number}", draw_front(*points),
                    [f"Study {study.name}: {title}. {study.machine()}."
                     + (" Hollow: predicted." if any(point["how"] == "predicted"
                                                     for side in points for point in side) else "")]
                    + context.samples([study]))


def joined(notes, study):
    """Notes that say the same of several data sets, in one line."""
    whose = {}
    for note in notes:
        name, _, rest = note.partition(": ")
        if rest and name in study.items:
            whose.setdefault(rest, []).append(name)
        else:
            whose.setdefault(note, [])
    return [f"{', '.join(names)}: {note}" if names else note for note, names in whose.items()]


def compared_fronts(context, item, study, table):
    """Without timed pipelines: what `compare` measured."""
    item.lack(f"{study.name}: timed pipelines", "`fpsynth bench pipelines --top 10 --runs DIR`, "
              "then draw again with --fpsynth PROGRAM; drawn is what `fpsynth compare` measured")
    for precision in PRECISIONS:
        means = study.means(precision)
        if not means:
            continue
        points = [[{"name": mean["compressor"], "kind": "compared", "how": "library",
                    "ratio": mean["harmonic_mean_ratio"],
                    "compress": mean["mean_compress_gb_per_s"],
                    "decompress": mean["mean_decompress_gb_per_s"],
                    "front": mean.get("on_front", {}).get(way, False)} for mean in means]
                  for way in ("compress", "decompress")]
        item.figure(f"{study.name}-{precision}", draw_front(*points),
                    [f"Study {study.name}, {precision} precision. {study.machine()}."]
                    + context.samples([study]))
        for one, other in zip(*points):
            table.add(study.name, f"{precision} precision", one["name"], "library", None,
                      one["ratio"], one["compress"], one["decompress"],
                      f"{'yes' if one['front'] else 'no'}, {'yes' if other['front'] else 'no'}")


def draw_front(compress, decompress):
    figure, panels = style.new(style.PAGE - 1.25, 2.7, ncols=2, sharex=True, sharey=True)
    shown = {}
    for axes, way, points in zip(panels, ("compress", "decompress"), (compress, decompress)):
        edge = sorted((point["ratio"], point[way]) for point in points if point["front"])
        steps = [point for before, after in zip(edge, edge[1:])
                 for point in (before, (before[0], after[1]))] + edge[-1:]
        axes.plot([x for x, _ in steps], [y for _, y in steps], color="#555555", linewidth=0.8,
                  zorder=1)
        for point in points:
            name = look_name(point)
            shown.setdefault(name, style.look(name))
            style.point(axes, point["ratio"], point[way], name, point["how"] == "predicted")
        axes.set_yscale("log")
        axes.grid()
        axes.set_xlabel("compression ratio")
        axes.set_title(f"{way}ion")
    ratio_axis(panels[0], [point["ratio"] for point in compress + decompress], 12)
    panels[0].set_ylabel("throughput, GB/s")
    from matplotlib.lines import Line2D
    handles = [Line2D([], [], color=colour, marker=marker, linestyle="none", label=name)
               for name, (colour, marker) in shown.items()]
    handles.append(Line2D([], [], color="#555555", linewidth=0.8, label="Pareto front"))
    figure.legend(handles=handles, loc="center left", bbox_to_anchor=(1.0, 0.5), handletextpad=0.3)
    return figure


def look_name(point):
    """Pipelines look alike, whatever their names; hollow where they are predicted."""
    if point["kind"] == "pipeline" or point["how"] == "predicted":
        return "pipelines"
    return point["name"]
