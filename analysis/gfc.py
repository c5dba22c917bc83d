"""The GFC paper: Figures 2, 4, 5 and 6, and Table 2."""

from analysis import gpu, style
from analysis.context import PICTURE_ONLY
from analysis.documents import MARK
from analysis.items import Item, Table, counted
from analysis.mpc import legend, ratio_axis
from analysis.published import BEST, MEAN
from analysis.ratios import ONE, OWN, one_for_all

# Figure 4's compressors. The paper ran them in their fastest modes, which it does not name.
SIX = ("bzip2", "gzip", "lzop", "FPC", "pFPC", "GFC")
HARMONIC = gpu.HARMONIC
WAYS = gpu.DIRECTIONS


def items(context):
    return [figure_2(context), figure_4(context), figure_5(context), figure_6(context),
            table_2(context)]


def figure_2(context):
    item = Item("gfc-fig-2", "gfc", "Figure 2: leading zero bytes of the residuals",
                "How many leading bytes of GFC's residuals are zero, in percent of the values of "
                "each data set.")
    table = Table(item.title, [("data set", 0), ("study", 0), ("dimensionality", 0)]
                  + [(f"{zeros} bytes %", 2) for zeros in range(9)])
    lines = []
    for study in context.need(item, "gfc"):
        sets = {}
        for row in study.rows("gfc", 1):
            sets.setdefault((row["data_set"], row["dimensionality"]), []).append(
                row["share_percent"])
        for (name, dimensionality), shares in sets.items():
            table.add(name, study.name, dimensionality, *shares)
            lines.append((name, shares))
    if lines:
        figure, axes = style.new(style.COLUMN, 0.16 * len(lines) + 0.8)
        colours = style.matplotlib.colormaps[style.SHADES]
        left = [0.0] * len(lines)
        for zeros in range(9):
            shares = [its[zeros] for _, its in lines]
            axes.barh(range(len(lines)), shares, 0.8, left=left, color=colours(1 - zeros / 8),
                      edgecolor="white", linewidth=0.3, label=str(zeros))
            left = [begin + share for begin, share in zip(left, shares)]
        axes.set_yticks(range(len(lines)), [name for name, _ in lines])
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of the values, %")
        axes.legend(ncol=9, loc="lower center", bbox_to_anchor=(0.45, 1.0), handlelength=0.8,
                    columnspacing=0.7, handletextpad=0.3, title="leading zero bytes",
                    title_fontsize=6.5)
        item.figure("", figure, [PICTURE_ONLY])
        item.table("", table)
    item.note(PICTURE_ONLY)
    context.note_absent(item)
    return item


def figure_4(context):
    sets = len(context.published.sets)
    item = Item("gfc-fig-4", "gfc", "Figure 4: harmonic-mean ratio of the compressors",
                "Harmonic mean of the ratios over the data sets of a study, double precision, with "
                "the compressors in ascending order of our speeds. Hatched: published by the MPC "
                f"paper over its {sets} data sets. '{OWN}' is the mean of each data set's own best, "
                f"which no single pipeline reaches; '{ONE}' is the highest mean of a single "
                "pipeline.")
    table = Table(item.title, [("compressor", 0), ("from", 0), ("data sets", 0),
                               ("harmonic mean CR", 3), ("compress GB/s", 3), ("on", 0)])
    bars, order = [], []
    for study in context.need(item, "compare"):
        means = {mean["compressor"]: mean for mean in study.means("double")
                 if mean["compressor"].startswith((*SIX, "MPC", OWN))}
        for name in sorted(means, key=lambda one: means[one]["mean_compress_gb_per_s"]):
            if name not in order:
                order.append(name)
            mean = means[name]
            mark = study.mark(precision="double") if name == OWN else ""
            table.add(name + mark, study.name, mean["data_sets"], mean["harmonic_mean_ratio"],
                      mean["mean_compress_gb_per_s"], study.machine())
        ratios = {name: mean["harmonic_mean_ratio"] for name, mean in means.items()}
        one = one_for_all(study, "double")
        if one and one["ratio"] is not None:
            ratios[ONE] = one["ratio"]
            table.add(ONE + study.mark(precision="double"), study.name, one["data_sets"],
                      one["ratio"],
                      None, None)
        bars.append((set_label(study), ratios))
    printed = {name: row[MEAN] for name, row in context.published.ratios("double").items()}
    printed[ONE] = context.published.best("double", BEST)[0]
    for study in context.studies:
        for row in study.rows("means", precision="double", what="each data set's own best"):
            printed[OWN] = row["paper_ratio"]
    for name, ratio in printed.items():
        if name not in order:
            order.append(name)
        speed = context.published.throughput(name, "double", "compress")
        table.add(name, "published (MPC paper)", sets, ratio, speed,
                  context.published.throughput_hardware(name) if speed else None)
    draw_means(context, item, order, [*bars, (f"published ({sets} data sets)", printed)])
    item.table("", table)
    item.note("The GFC paper's figure shows the compressors' fastest modes; the published values "
              "here are of their best modes, from the MPC paper's Table III. " + PICTURE_ONLY)
    item.note(context.machines())
    context.note_absent(item)
    return item


def set_label(study):
    """The label of a study's mean: its number of data sets, or the name of the only one."""
    names = [one["name"] for one in study.compared("double")]
    text = f"{names[0]} only" if len(names) == 1 else f"{len(names)} data sets"
    return f"{study.name}: {text}{study.mark(precision='double')}"


def draw_means(context, item, order, bars):
    figure, axes = style.new(style.PAGE, 2.5)
    width = 0.84 / len(bars)
    hatches = [None, "....", "xxxx", "\\\\\\\\"]
    tops = [value for _, means in bars for value in means.values()]
    limit = min(2.5 * sorted(tops)[len(tops) // 2], max(tops))
    parts = any(study.mark() for study in context.studies)
    for number, (_, means) in enumerate(bars):
        published = number == len(bars) - 1
        for place, name in enumerate(order):
            if name not in means:
                continue
            colour, _ = style.look(name)
            x = place + width * (number - (len(bars) - 1) / 2)
            axes.bar(x, min(means[name], limit), width * 0.94, linewidth=0.7, edgecolor=colour,
                     facecolor="white" if published or number else colour,
                     hatch=style.PUBLISHED_HATCH if published else hatches[number])
            if means[name] > limit:
                break_mark(axes, x, 0.9 * limit, width)
            axes.annotate(f"{means[name]:.2f}", (x, min(means[name], limit)), xytext=(0, 2),
                          textcoords="offset points", ha="center", va="bottom", fontsize=6,
                          rotation=90 if len(bars) > 2 else 0)
    axes.set_xticks(range(len(order)), [name + MARK if parts and name in (OWN, ONE) else name
                                        for name in order],
                    rotation=20, ha="right", rotation_mode="anchor")
    axes.set_ylabel("harmonic-mean ratio")
    axes.set_xlim(-0.6, len(order) - 0.4)
    axes.set_ylim(0, limit * 1.15)
    from matplotlib.patches import Patch
    handles = [Patch(facecolor="#555555" if not number else "white", edgecolor="#555555",
                     hatch=style.PUBLISHED_HATCH if number == len(bars) - 1 else hatches[number],
                     label=source) for number, (source, _) in enumerate(bars)]
    axes.legend(handles=handles, ncol=len(bars), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    item.figure("", figure, ["Published: MPC paper, Tables II and III."
                             + (" Broken bars are higher than drawn." if limit < max(tops) else "")]
                + context.samples())


def break_mark(axes, x, y, width):
    """A gap across a bar that is higher than the axis."""
    ends = [x - 0.6 * width, x + 0.6 * width]
    low, high = [y - 0.04 * y, y], [y, y + 0.04 * y]
    axes.fill_between(ends, low, high, color="white", linewidth=0, zorder=4)
    for edge in (low, high):
        axes.plot(ends, edge, color="black", linewidth=0.7, zorder=5)


def papers_chunks(context, study):
    """GFC's rows with the paper's largest number of chunks, with which its throughputs were
    measured, or else with the sweep's largest; and that number."""
    columns, _ = context.published.gfc_ratios()
    swept = {row["chunks"] for row in study.rows("gfc")}
    chunks = max(swept & set(columns) or swept, default=None)
    return study.rows("gfc", chunks=chunks), chunks


def figure_5(context):
    modes, pfpc_hardware = context.published.pfpc_modes()
    item = Item("gfc-fig-5", "gfc", "Figure 5: throughput versus ratio of GFC and pFPC",
                "GFC, and pFPC with growing tables (from left to right: slower, with mostly higher "
                "ratios), in double precision. Hollow: published. If there are several data sets, "
                "ratios and throughputs are harmonic means, as in the paper.")
    table = Table(item.title, [("from", 0), ("compressor", 0), ("mode", 0), ("data sets", 0),
                               ("ratio", 3), ("compress GB/s", 3), ("decompress GB/s", 3),
                               ("on", 0)])
    printed = printed_points(context)
    for study in context.need(item, "gfc", "pfpc-modes"):
        line = [point_of(row, "pFPC", f"2^{row['table_bits']} entries, {counted(row['threads'], 'thread')}",
                         study.machine("pfpc-modes")) for row in mean_rows(study, "pfpc-modes")]
        rows, chunks = papers_chunks(context, study)
        points = [point_of(row, "GFC", counted(chunks, 'chunk'), study.machine("gfc"))
                  for row in means_of(rows)]
        points += gpu_points(context, study)
        draw_speeds(item, study, line, points, printed)
        for point in line + points:
            table.add(study.name, point["compressor"], point["mode"],
                      point["sets"] or count(study, "gfc"), point["ratio"], *point["speeds"],
                      point["on"])
    for point in printed:
        table.add("published", point["compressor"], point["mode"], point["sets"], point["ratio"],
                  *point["speeds"], point["on"])
    item.table("", table)
    gpu.need(context, item, "GFC", "double")
    return item


def count(study, stem):
    """The number of data sets of a sweep."""
    return len({row["data_set"] for row in study.rows(stem)} - {HARMONIC})


def point_of(row, compressor, mode, machine):
    return {"compressor": compressor, "mode": mode, "sets": None, "ratio": row["ratio"],
            "speeds": [row[f"{way}_gb_per_s"] for way in WAYS], "on": machine, "gpu": False}


def gpu_points(context, study):
    """GFC on GPUs without transfers, as the paper times it."""
    rows = [(its, row) for its, row in gpu.rows(context, "GFC", "double")
            if its is study and gpu.has_kernels(row)]
    return [{"compressor": row["compressor"], "mode": "kernels alone", "sets": row["data_sets"],
             "ratio": row["ratio"], "speeds": [row[f"{way}_kernels_gb_per_s"] for way in WAYS],
             "on": row["device"], "gpu": True} for _, row in gpu.over_sets(rows)]


def draw_speeds(item, study, line, points, printed):
    figure, panels = style.new(style.COLUMN, 2.6, ncols=2, sharey=True)
    for side, (axes, way) in enumerate(zip(panels, WAYS)):
        colour, marker = style.look("pFPC")
        axes.plot([point["ratio"] for point in line], [point["speeds"][side] for point in line],
                  marker=marker, color=colour)
        for point in points:
            style.point(axes, point["ratio"], point["speeds"][side], "GFC",
                        **({"markeredgecolor": "black", "size": 6.5} if point["gpu"] else {}))
        for point in printed:
            style.point(axes, point["ratio"], point["speeds"][side], point["compressor"], True)
        axes.set_yscale("log")
        axes.set_xlabel("compression ratio")
        axes.set_title(f"{way}ion")
        axes.grid()
        ratio_axis(axes, [point["ratio"] for point in line + points + printed], 7)
    panels[0].set_ylabel("GB/s")
    legend(panels[0], ["GFC", "pFPC"], ncol=2, at=(1.0, 1.12))
    gpus = ", ".join(dict.fromkeys(point["on"] for point in points if point["gpu"]))
    names = sorted({row["data_set"] for row in study.rows("gfc")} - {HARMONIC})
    which = f"{names[0]} only" if len(names) == 1 else f"{len(names)} data sets"
    item.figure(study.name, figure, [
        f"Filled: ours ({study.name}, {which}; {study.machine()})."
        + (f" Black edge: GFC's kernels without transfers on {gpus}." if gpus else
           " GFC was not timed on a GPU."),
        "Hollow: published, " + "; ".join(dict.fromkeys(
            f"{point['compressor']} over {counted(point['sets'], 'data set')} on {point['on']}"
            for point in printed)) + "."])


def printed_points(context):
    rates, hardware = context.published.gfc_throughput()
    chunks, ratios = context.published.gfc_ratios()
    points = [{"compressor": "GFC", "mode": counted(chunks[-1], 'chunk'), "sets": len(ratios) - 1,
               "ratio": ratios[MEAN][-1], "speeds": [rates[way][MEAN] for way in WAYS],
               "on": hardware}]
    modes, hardware = context.published.pfpc_modes()
    return points + [{"compressor": "pFPC", "mode": f"{size_name(size)} of tables",
                      "sets": len(context.published.pfpc_sets()), "ratio": row["ratio"],
                      "speeds": [row[f"{way}_gb_s"] for way in WAYS], "on": hardware}
                     for size, row in modes.items()]


def size_name(size):
    return f"{size // 1024} KiB" if size < 1 << 20 else f"{size >> 20} MiB"


def means_of(rows):
    """The rows of means; all rows if there are none, because there is only one data set."""
    return [row for row in rows if row["data_set"] == HARMONIC] or rows


def mean_rows(study, stem):
    return means_of(study.rows(stem))


def figure_6(context):
    rates, hardware = context.published.gfc_throughput()
    item = Item("gfc-fig-6", "gfc", "Figure 6: throughput of GFC by data set",
                "Compression and decompression throughput of GFC on each data set, and harmonic "
                "means. GPU throughputs are those of the kernels alone, as in the paper, whose "
                f"throughputs are {hardware.split(', ', 1)[1]}; the table also has those with "
                "transfers.")
    table = Table(item.title, [("data set", 0), ("from", 0), ("where", 0), ("compress GB/s", 3),
                               ("decompress GB/s", 3), ("on", 0)])
    groups = {}  # title of a panel -> its bars
    for study in context.need(item, "gfc"):
        rows, chunks = papers_chunks(context, study)
        for row in rows:
            speeds = [row[f"{way}_gb_per_s"] for way in WAYS]
            groups.setdefault((f"{study.machine('gfc')}, {counted(chunks, 'chunk')}",), []).append(
                (mean_name(row, study), speeds))
            table.add(row["data_set"], study.name, f"cpu, {counted(chunks, 'chunk')}", *speeds,
                      study.machine("gfc"))
    for study, row in gpu.rows(context, "GFC", "double"):
        name = row["compressor"].removeprefix("GFC").removeprefix(", ") or "GFC"
        walls = [row[f"{way}_gb_per_s"] for way in WAYS]
        if gpu.has_kernels(row):
            speeds = [row[f"{way}_kernels_gb_per_s"] for way in WAYS]
            groups.setdefault((f"{row['device']}, kernels alone, {name}",), []).append(
                (mean_name(row, study), speeds))
            table.add(row["data_set"], study.name, f"gpu, kernels alone, {name}", *speeds,
                      row["device"])
        table.add(row["data_set"], study.name, f"gpu, with transfers, {name}", *walls,
                  row["device"])
    for what in rates["compress"]:
        table.add({MEAN: HARMONIC, "min": "the lowest"}.get(what, f"{what}, more than"),
                  "published", "gpu, without transfers", *(rates[way][what] for way in WAYS),
                  hardware)
    if groups:
        draw_throughputs(item, groups, rates, hardware)
    item.table("", table)
    item.note("The paper prints the throughputs by data set only as a picture; its text has the "
              "harmonic means, the lowest, and the highest, which are those on msg_sppm.")
    gpu.need(context, item, "GFC", "double")
    context.note_absent(item)
    return item


def mean_name(row, study):
    return f"harm. mean ({study.name})" if row["data_set"] == HARMONIC else row["data_set"]


def draw_throughputs(item, groups, rates, hardware):
    """Draws a panel for each machine, because GPUs are faster by orders of magnitude."""
    alike = len({tuple(name for name, _ in bars) for bars in groups.values()}) == 1
    figure, panels = style.new(style.PAGE, (1.3 if alike else 1.75) * len(groups) + 0.9,
                               nrows=len(groups), squeeze=False, sharex=alike)
    colour, _ = style.look("GFC")
    for (axes,), ((title,), bars) in zip(panels, groups.items()):
        for place, (_, (compress, decompress)) in enumerate(bars):
            axes.bar(place - 0.2, compress, 0.38, color=colour, edgecolor="black", linewidth=0.4,
                     label=None if place else "compression")
            axes.bar(place + 0.2, decompress, 0.38, color="white", edgecolor=colour, hatch="....",
                     linewidth=0.7, label=None if place else "decompression")
        for way, line in zip(WAYS, ("-", "--")):
            values = rates[way].values()
            axes.axhspan(min(values), max(values), color="#BBBBBB", alpha=0.35, linewidth=0,
                         zorder=0)
            axes.axhline(rates[way][MEAN], color="black", linestyle=line, linewidth=0.8,
                         label=f"published {way}ion ({hardware})")
        axes.set_xticks(range(len(bars)), [name for name, _ in bars], rotation=40, ha="right",
                        rotation_mode="anchor")
        axes.set_ylabel("GB/s")
        axes.set_title(title)
        axes.set_xlim(-0.7, max(len(bars), 1) - 0.3)
        axes.grid(axis="y")
    handles, names = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, names, ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    item.figure("", figure, [f"Lines: published harmonic means; grey: published range from the "
                             f"lowest to the highest data set, on {hardware}."])


def table_2(context):
    chunks, printed = context.published.gfc_ratios()
    item = Item("gfc-table-2", "gfc", "Table 2: ratio by number of chunks",
                f"GFC's compression ratio with {', '.join(map(str, chunks[:-1]))} and {chunks[-1]} "
                "chunks.")
    table = Table(item.title, [("data set", 0), ("from", 0), ("dimensionality", 0)]
                  + [(counted(number, 'chunk'), 5) for number in chunks])
    printed = dict(printed)
    for study in context.need(item, "gfc"):
        sets = {}
        for row in study.rows("gfc"):
            sets.setdefault(row["data_set"], {})[row["chunks"]] = row
        for name, rows in sets.items():
            one = next(iter(rows.values()))
            table.add(name, f"ours ({study.name})", one["dimensionality"],
                      *(rows[number]["ratio"] if number in rows else None for number in chunks))
            if name in printed and context.is_papers(study, name):
                table.add(name, "published", None, *printed.pop(name))
        item.note(f"{study.name}: {note}" for note in study.notes("gfc"))
    for name, ratios in printed.items():
        table.add(HARMONIC if name == MEAN else name, "published", None, *ratios)
    item.table("", table)
    item.note("If small data sets are cut into many chunks, the chunks consist mostly of padding.")
    context.note_absent(item)
    return item
