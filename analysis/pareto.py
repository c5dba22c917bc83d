"""Our figures of ratio against throughput, with the Pareto front."""

from analysis import overview
from analysis.absent import NOT_TIMED
from analysis.axes import WAYS, size_name
from analysis.context import DRAW, PRECISIONS, SMALL, study_folder
from analysis.documents import MARK, OURS, timed_parts
from analysis.items import Item, Table, counted
from analysis.peers import STEM as PEERS

LIBRARIES = ("compared", "copy")  # kinds of what `compare` timed, on inputs of its own
KEYS = ["how", "threads", "ratio", "compress_gb_per_s", "decompress_gb_per_s", "front"]


def front(context):
    item = Item("ours-pareto", "ours", "Ratio against throughput",
                "The best pipelines over a study's data sets and all compressors: ratio (harmonic "
                "mean if a study has several data sets) against throughput (then the arithmetic "
                "mean). Few ratios that are far above the others stand at the end of the axis, with "
                "an arrow. The line is the Pareto front: no other compressor of the figure is better "
                "in both ratio and throughput. Compressors that many others exceed in both, and "
                "pipelines close to another one, are in the table alone.")
    item.shown = 0
    table = Table(item.title, [("study", 0), ("what", 0), ("compressor", 0), ("how", 0),
                               ("threads", 0, "as many as it can use"), ("CR", 3),
                               ("compress GB/s", 3, NOT_TIMED), ("decompress GB/s", 3, NOT_TIMED),
                               ("front", 0)])
    for study in context.need(item, "compare"):
        if study.tables("pareto"):
            timed_fronts(context, item, study, table)
        elif study.rows(PEERS, 1):
            peers_front(item, study, table)
        else:
            compared_fronts(context, item, study, table)
    item.table("", table)
    return item


def precision_of(title):
    return next((one for one in PRECISIONS if f"({one})" in title), None)


def other_inputs(study, title):
    """How the inputs differ on which a figure's pipelines and other compressors were timed, and the
    bytes of the others'; empty and 0 if they do not."""
    precision, where = precision_of(title), backend(title)
    timed = {document["dataset"]["name"]: {row["input_bytes"] for row in document["rows"]
                                           if row.get("input_bytes")}
             for document in study.throughput if document["run"]["backend"] == where
             and document["dataset"]["precision"] == precision}
    most = max(timed_parts(study.comparison() or {}), default=0)
    for one in study.compared(precision):
        ours, theirs = timed.get(one["name"], set()), min(one["bytes"], most or one["bytes"])
        if ours - {theirs}:
            return f"the libraries were timed on {size_name(theirs)} of {one['name']}, the pipelines " \
                f"on {size_name(max(ours))}", theirs
    return "", 0


def chosen(context, study):
    """The meaning of MARK in these figures."""
    part = study.part()
    return [f"{MARK.strip()} {study.name}: the pipelines were chosen by a search in {part}. The "
            "ratios are on the whole data."] \
        if part else []


def timed_fronts(context, item, study, table):
    """Draws the tables of `query pareto` in pairs: compression and decompression of one setting."""
    tables = study.tables("pareto")
    for number, pair in enumerate(zip(tables[::2], tables[1::2]), 1):
        title = pair[0]["title"].replace(": ratio against compression speed", "")
        other, size = other_inputs(study, title)
        shown = not other or size >= SMALL
        points = [[point_of(row, bool(other)) for row in answer["rows"]
                   if shown or row["kind"] not in LIBRARIES] for answer in pair]
        add_rows(table, study, pair)
        for answer in pair:
            item.note(f"{study.name}: {note}" for note in joined(answer["notes"], study))
        if len({look_name(point) for point in points[0]}) < 2:
            item.note(f"{study.name}: no figure of {title}, because "
                      f"{other or 'it has pipelines alone'}")
            continue
        lines = [f"Study {study.name}{study.mark()}: {title}; on {devices(study, title)}.",
                 absent(study, points, title),
                 "" if not other else f"{'Hollow' if shown else 'Left out'}: {other}."]
        overview.show(item, f"{study.name}-{number}", sides_of(*points), lines + chosen(context, study), False)
    item.note(chosen(context, study))


def add_rows(table, study, pair):
    for answer in pair:
        for row in answer["rows"]:
            name = row["compressor"] + (study.mark() if row["kind"] == "pipeline" else "")
            table.add(study.name, answer["title"], name, *(row[key] for key in KEYS))


def point_of(row, elsewhere):
    """`elsewhere`: whether libraries were timed on inputs of another size than the pipelines."""
    return {"marked": elsewhere and row["kind"] in LIBRARIES, "name": row["compressor"], "kind": row["kind"], "how": row["how"],
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
    precision = precision_of(title)
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


def peers_front(item, study, table):
    """Draws the means over the inputs that all methods have, ours among them."""
    marks = overview.marks_of(overview.rows_of(study))
    overview.show(item, study.name, dict.fromkeys(WAYS, marks), [
        f"Study {study.name}: geometric means of the ratios, medians of the speeds on one core",
        *study.tables(PEERS)[1]["notes"][1:]])
    fronts = [overview.front(marks, way) for way in WAYS]
    for mark in marks:
        table.add(study.name, "one core", mark.name, "library", 1, mark.ratio,
                  *(mark.speed[way] for way in WAYS),
                  ", ".join("yes" if mark in front else "no" for front in fronts))


def compared_fronts(context, item, study, table):
    """Draws the results of `compare`, for studies without a document pareto."""
    if study.throughput:
        item.lack(f"{study.name}: no document pareto in {study_folder(study)}, although pipelines "
                  "were timed; the figure shows the results of `fpsynth compare`", DRAW)
    else:
        item.lack(f"{study.name}: no document pareto in {study_folder(study)}, because no "
                  "pipelines were timed; the figure shows the results of `fpsynth compare`",
                  "Run `fpsynth bench pipelines --top 10 --runs DIR` and `python3 -m analysis.make`, "
                  "then draw again")
    for precision in PRECISIONS:
        means = study.means(precision)
        if not means:
            continue
        points = [{"name": mean["compressor"], "kind": "compared", "how": "library",
                    "ratio": mean["harmonic_mean_ratio"],
                    **{way: mean[f"mean_{way}_gb_per_s"] for way in WAYS}} for mean in means]
        sides = sides_of(points, points)
        overview.show(item, f"{study.name}-{precision}", sides, [
            f"Study {study.name}{study.mark()}, {precision} precision; {study.machine()}, "
            "each with as many threads as it can use.", *chosen(context, study)], False)
        fronts = [[mark.name for mark in overview.front(marks, way)] for way, marks in sides.items()]
        for one in points:
            table.add(study.name, f"{precision} precision", one["name"], "library", None, one["ratio"],
                      *(one[way] for way in WAYS),
                      ", ".join("yes" if one["name"] in front else "no" for front in fronts))


def sides_of(compress, decompress):
    """The marks by direction, one for each compressor, the fastest of its kinds."""
    sides = {}
    for way, side in zip(WAYS, (compress, decompress)):
        fastest = {point["name"]: point for point in sorted(side, key=lambda point: point[way])}
        sides[way] = [overview.Mark(point["name"], look_name(point), point["ratio"], {way: point[way]},
                                    look_name(point).startswith((overview.PIPELINES, *OURS)),
                                    point.get("marked", False))
                      for point in fastest.values()]
    return sides


def look_name(point):
    """The name for style.look(): that of the compressor, or one name for all pipelines."""
    return overview.PIPELINES if point["kind"] == "pipeline" else point["name"]
