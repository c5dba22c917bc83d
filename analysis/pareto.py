"""Our figures of ratio against throughput, with the Pareto front."""

from matplotlib.lines import Line2D

from analysis import style
from analysis.axes import WAYS, ratio_axis, ratio_limit, speed_axis
from analysis.context import DRAW, PRECISIONS, study_folder
from analysis.documents import MARK
from analysis.items import Item, Table, counted

PIPELINES = "pipelines"  # their name for style.look()
KEYS = ["how", "threads", "ratio", "compress_gb_per_s", "decompress_gb_per_s", "front"]


def front(context):
    item = Item("ours-pareto", "ours", "Ratio against throughput",
                "The best pipelines over a study's data sets and all compressors: ratio (harmonic "
                "mean if a study has several data sets) against throughput (then the arithmetic "
                "mean). Few ratios that are far above the others stand at the end of the axis, with "
                "an arrow. The line is the Pareto "
                "front: no other compressor is better in both ratio and throughput.")
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


def chosen(context, study):
    """The meaning of MARK in these figures."""
    part = study.part()
    return [f"{MARK.strip()} {study.name}: the pipelines were chosen by a search in {part}. The "
            "ratios of timed ones are on the whole data, those of predicted ones on the searched "
            "chunks."] \
        if part else []


def timed_fronts(context, item, study, table):
    """Draws the tables of `query pareto` in pairs: compression and decompression of one setting."""
    tables = study.tables("pareto")
    for number, pair in enumerate(zip(tables[::2], tables[1::2]), 1):
        points = [[point_of(row) for row in answer["rows"]] for answer in pair]
        add_rows(table, study, pair)
        for answer in pair:
            item.note(f"{study.name}: {note}" for note in joined(answer["notes"], study))
        title = pair[0]["title"].replace(": ratio against compression speed", "")
        predicted = any(point["how"] == "predicted" for side in points for point in side)
        lines = [f"Study {study.name}{study.mark()}: {title}; on {devices(study, title)}."
                 + (" Hollow: predicted." if predicted else ""), absent(study, points, title)]
        item.figure(f"{study.name}-{number}", draw_front(*points), lines + chosen(context, study))
    item.note(chosen(context, study))


def add_rows(table, study, pair):
    for answer in pair:
        for row in answer["rows"]:
            name = row["compressor"] + (study.mark() if row["kind"] == "pipeline" else "")
            table.add(study.name, answer["title"], name, *(row[key] for key in KEYS))


def point_of(row):
    return {"name": row["compressor"], "kind": row["kind"], "how": row["how"],
            "ratio": row["ratio"], "compress": row["compress_gb_per_s"],
            "decompress": row["decompress_gb_per_s"], "front": row["front"] == "yes"}


def backend(title):
    return "cuda" if "cuda" in title else "cpu"


def devices(study, title):
    """The devices of a figure's points, and the number of threads if it shows all threads."""
    runs = [document["run"] for document in study.throughput
            if document["run"]["backend"] == backend(title)]
    threads = max((run["threads"] for run in runs), default=0)
    return ", ".join(sorted({run["device"] for run in runs})) + \
        (f", {counted(threads, 'thread')}" if "all threads" in title else "")


def absent(study, points, title):
    """A sentence on the compressors of the comparison that are not in a figure, and why."""
    if backend(title) != "cpu":
        return ""
    precision = next((one for one in PRECISIONS if f"({one})" in title), None)
    drawn = {point["name"] for side in points for point in side}
    threads = {row["compressor"]: row.get("threads", 1) for one in study.compared(precision)
               for row in one["rows"] if "ratio" in row}
    left_out = [name for name, count in threads.items()
                if name not in drawn and name != "best searched" and count > 1]
    if "one thread" not in title or not left_out:
        return ""
    return f"Left out, because they were timed only with more threads: {', '.join(left_out)}."


def joined(notes, study):
    """Joins equal notes of several data sets into one line."""
    whose = {}
    for note in notes:
        name, _, rest = note.partition(": ")
        if rest and name in study.items:
            whose.setdefault(rest, []).append(name)
        else:
            whose.setdefault(note, [])
    return [f"{', '.join(names)}: {note}" if names else note for note, names in whose.items()]


def compared_fronts(context, item, study, table):
    """Draws the results of `compare`, for studies without a document pareto."""
    if study.throughput:
        item.lack(f"{study.name}: no document pareto in {study_folder(study)}, although pipelines "
                  "were timed; the figure shows the results of `fpsynth compare`", DRAW)
    else:
        item.lack(f"{study.name}: no document pareto in {study_folder(study)}, because no "
                  "pipelines were timed; the figure shows the results of `fpsynth compare`",
                  "Run `fpsynth bench pipelines --top 10 --runs DIR`, then draw again with "
                  "--fpsynth PROGRAM")
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
                    [f"Study {study.name}{study.mark()}, {precision} precision; {study.machine()}, "
                     "each with as many threads as it can use."] + chosen(context, study))
        for one, other in zip(*points):
            table.add(study.name, f"{precision} precision", one["name"], "library", None,
                      one["ratio"], one["compress"], one["decompress"],
                      f"{'yes' if one['front'] else 'no'}, {'yes' if other['front'] else 'no'}")


def draw_front(compress, decompress):
    """Compression beside decompression. Few ratios that are far above the others stand beyond the
    axis. Pipelines have numbers, which the legend explains."""
    points = compress + decompress
    numbers = {name: str(number) for number, name in enumerate(dict.fromkeys(
        point["name"] for point in points if look_name(point) == PIPELINES), 1)}
    limit = ratio_limit([point["ratio"] for point in points])
    figure, panels = style.new(style.PAGE, 3.1, ncols=2, sharex=True, sharey=True)
    for axes, way, side in zip(panels, WAYS, (compress, decompress)):
        for point in side:
            if point["ratio"] <= limit:
                draw_point(axes, point, way)
        number_pipelines(axes, [point for point in side if point["ratio"] <= limit], way, numbers)
        axes.set_yscale("log")
        axes.grid()
        axes.set_xlabel("compression ratio")
        axes.set_title(f"{way}ion")
    ratio_axis(panels[0], [min(point["ratio"] for point in points), limit / 1.08], 9)
    speed_axis(panels[0])
    panels[0].set_ylim(*panels[0].get_ylim())
    for axes, way, side in zip(panels, WAYS, (compress, decompress)):
        edge = steps([(point["ratio"], point[way]) for point in side if point["front"]],
                     axes.get_xlim()[0], axes.get_ylim()[0])
        axes.plot([x for x, _ in edge], [y for _, y in edge], color="#555555", linewidth=0.8,
                  zorder=1)
        for point in side:
            if point["ratio"] > limit:
                draw_far(axes, point, way, axes.get_xlim()[1])
    panels[0].set_ylabel("throughput, GB/s")
    figure.legend(handles=entries(points, numbers), loc="center left", bbox_to_anchor=(1.0, 0.5),
                  handletextpad=0.3)
    return figure


def draw_point(axes, point, way):
    style.point(axes, point["ratio"], point[way], look_name(point), point["how"] == "predicted",
                tip=tip_of(point, way))


def number_pipelines(axes, side, way, numbers):
    """Puts the pipelines' numbers in a column left of their points, which are often close to each
    other, in the order of their speeds; once each, at the fastest of its points."""
    fastest = {}
    for point in sorted(side, key=lambda point: -point[way]):
        if point["name"] in numbers:
            fastest.setdefault(point["name"], point)
    points = list(fastest.values())
    for place, point in enumerate(points):
        axes.annotate(numbers[point["name"]], (point["ratio"], point[way]), ha="center",
                      va="center", xytext=(-20, 9 * ((len(points) - 1) / 2 - place)),
                      textcoords="offset points", fontsize=6.5, zorder=4,
                      arrowprops={"arrowstyle": "-", "linewidth": 0.4, "shrinkA": 1, "shrinkB": 1})


def draw_far(axes, point, way, end):
    """A point beyond the axis: at its end, with an arrow and the ratio."""
    style.point(axes, end, point[way], look_name(point), tip=tip_of(point, way))
    axes.annotate(f"{point['ratio']:.3g} \u2192", (end, point[way]), xytext=(-5, 5), ha="right",
                  textcoords="offset points", fontsize=style.SMALL)


def tip_of(point, way):
    return f"{point['name']} ({point['how']}): ratio {point['ratio']:.3f}, {way} " + \
        f"{point[way]:.3g} GB/s" + \
        (", on the front" if point["front"] else "")


def entries(points, numbers):
    """The entries of the legend: compressors, then pipelines with their numbers, then the front."""
    handles = []
    for name in dict.fromkeys(look_name(point) for point in points):
        if name != PIPELINES:
            colour, marker = style.look(name)
            handles.append(Line2D([], [], color=colour, marker=marker, linestyle="none",
                                  label=name))
    colour, marker = style.look(PIPELINES)
    handles += [Line2D([], [], color=colour, marker=marker, linestyle="none",
                       label=f"{number}: {name}") for name, number in numbers.items()]
    return handles + [Line2D([], [], color="#555555", linewidth=0.8, label="Pareto front")]


def steps(front, left, bottom):
    """The corners of a front, from the left end of the axis at the speed of the fastest point to
    the bottom at the highest ratio, so that a single point is drawn as a front, too."""
    edge = sorted(front)
    if not edge:
        return []
    corners = [(left, edge[0][1]), edge[0]]
    for before, after in zip(edge, edge[1:]):
        corners += [(before[0], after[1]), after]
    return corners + [(edge[-1][0], bottom)]


def look_name(point):
    """The name for style.look(): that of the compressor, or one name for all pipelines."""
    if point["kind"] == "pipeline" or point["how"] == "predicted":
        return PIPELINES
    return point["name"]
