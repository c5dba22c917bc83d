"""The MPC paper: Tables I, II and V, Figure 2. Tables III and IV are in ratios.py, Figure 1 in
chains.py, section V.A in observations.py."""

from math import log2

from analysis import gpu, style
from analysis.context import PICTURE_ONLY, PRECISIONS
from analysis.items import Item, Table, counted
from analysis.published import BEST

STATISTICS = [("size MB", 1), ("values millions", 2), ("unique %", 1), ("entropy bits", 2),
              ("randomness %", 1)]
STATISTICS_KEYS = ["size_mib", "values_millions", "unique_percent", "entropy_bits",
                   "randomness_percent"]
WAYS = ("compress", "decompress")
PRINTED = ["size_mb", "doubles_millions", "unique_percent", "entropy_bits", "randomness_percent"]


def table_1(context):
    item = Item("mpc-table-1", "mpc", "Table I: information about the data sets",
                "Size, unique values, first-order entropy and randomness of the data sets, in "
                "double precision.")
    statistics(context, item, context.published.sets)
    return item


def statistics(context, item, names):
    """The published and our statistics of a paper's data sets, then those of our other sets."""
    table = Table(item.title, [("data set", 0), ("from", 0)] + STATISTICS)
    ours = {}
    others = []
    for study in context.need(item, "statistics"):
        for row in study.rows("statistics", precision="double"):
            cells = [float(row[key]) for key in STATISTICS_KEYS]
            if context.published.is_papers(row["data_set"], row["bytes"], "double"):
                ours[row["data_set"]] = cells
            else:
                others.append((row["data_set"], study.name, cells))
        item.note(study.notes("statistics"))
    for name in names:
        printed = context.published.statistics(name)
        if printed:
            table.add(name, "published", *(float(printed[key]) for key in PRINTED))
        if name in ours:
            table.add(name, "ours", *ours[name])
    for name, study, cells in others:
        table.add(name, f"ours ({study})", *cells)
    item.table("", table)
    context.note_absent(item, names)


def table_2(context):
    item = Item("mpc-table-2", "mpc", "Table II: best four-stage pipeline of each data set",
                "CR is original / compressed bytes. | is the cut: stages before it work on words, "
                "those after it on bytes. Best is the pipeline with the highest harmonic mean over "
                "all data sets of a study.")
    table = Table(item.title, [("data set", 0), ("study", 0), ("precision", 0), ("CR", 3),
                               ("pipeline", 0), ("searched in", 0), ("published CR", 3),
                               ("published pipeline", 0)])
    seen = set()
    for study in context.need(item, "best"):
        for row in study.rows("best"):
            name = row["data_set"]
            for precision in PRECISIONS:
                if row[f"{precision}_ratio"] is None:
                    continue
                printed = (None, None)
                if name != BEST and context.is_papers(study, name, precision):
                    printed = context.published.best(precision, name)
                    seen.add((name, precision))
                table.add(name + study.mark(name, precision), study.name, precision,
                          row[f"{precision}_ratio"], row[f"{precision}_pipeline"],
                          study.extent(name, precision), *printed)
        item.note(f"{study.name}: {note}" for note in study.notes("best"))
    for precision in PRECISIONS:
        for name in [*context.published.sets, BEST]:
            if (name, precision) not in seen:
                table.add(name, "the paper's", precision, None, None, None,
                          *context.published.best(precision, name))
    item.table("", table)
    item.note(context.samples())
    context.note_absent(item)
    return item


ROUND = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 0.5, 0.25, 1.5, 3, 6, 12, 24, 1.2, 0.8, 10, 1.4,
         0.9, 0.7, 2.5, 5, 1.6, 1.8, 0.6, 1.1, 1.3)  # in order of preference


def ratio_ticks(low, high, most):
    """Round ratios in a range, at distances of more than 1 / `most` of the range on a logarithmic
    axis."""
    ticks = []
    for tick in ROUND:
        if low <= tick <= high and all(abs(log2(tick / other)) > log2(high / low) / most
                                       for other in ticks):
            ticks.append(tick)
    return sorted(ticks)


def ratio_axis(axes, values, most=18):
    """Makes the x axis logarithmic with ratios as labels, at most about `most`."""
    axes.set_xscale("log", base=2)
    low, high = min(values, default=1) / 1.05, max(values, default=2) * 1.08
    axes.set_xlim(low, high)
    ticks = ratio_ticks(low, high, most)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def legend(axes, compressors, ncol=3, at=(0.5, 1.0)):
    """Draws a legend of compressors above a figure."""
    from matplotlib.lines import Line2D
    handles = []
    for compressor in compressors:
        colour, marker = style.look(compressor)
        handles.append(Line2D([], [], color=colour, marker=marker, linestyle="none",
                              label=compressor))
    axes.legend(handles=handles, ncol=ncol, loc="lower center", bbox_to_anchor=at,
                columnspacing=1.2, handletextpad=0.2)


def table_5(context):
    item = Item("mpc-table-5", "mpc", "Table V: average throughput",
                "GB/s (1e9 original bytes per second), averaged over the data sets of a study. CPU "
                "throughputs are from memory to memory. GPU throughputs are those of the kernels "
                "alone, as in the paper, and those from host memory to host memory, with "
                "transfers.")
    table = Table(item.title, [("compressor", 0), ("from", 0)]
                  + [(f"{precision} {way} GB/s", 3) for precision in PRECISIONS
                     for way in WAYS] + [("on", 0)])
    for compressor, row in context.published.throughputs().items():
        table.add(compressor, "published", *row, context.published.throughput_hardware(compressor))
    for study in context.need(item, "compare"):
        means = {precision: {mean["compressor"]: mean for mean in study.means(precision)}
                 for precision in PRECISIONS}
        for name in dict.fromkeys([*means["double"], *means["single"]]):
            cells = [means[precision].get(name, {}).get(f"mean_{way}_gb_per_s")
                     for precision in PRECISIONS for way in WAYS]
            mark = study.mark() if name == "best searched" else ""
            table.add(name + mark, f"ours ({study.name})", *cells, on_cpu(study, name))
        item.note(f"{study.name}: median of {counted(study.comparison()['repetitions'], 'repetition')}; "
                  "every round trip verified")
    for study in context.studies:
        on_gpus(study, table)
    item.table("", table)
    item.note(context.samples())
    for compressor in ("MPC", "GFC"):
        gpu.need(context, item, compressor, "double")
    return item


def on_cpu(study, compressor):
    """The machine and the threads with which `compare` ran a compressor."""
    threads = max((row.get("threads", 1) for precision in PRECISIONS
                   for one in study.compared(precision) for row in one["rows"]
                   if row["compressor"] == compressor), default=1)
    return f"{study.comparison()['machine']['cpu']}, {threads} thread{'s' if threads > 1 else ''}"


def on_gpus(study, table):
    """Adds two rows for each compressor on a GPU: without and with transfers."""
    found = {}
    for precision in PRECISIONS:
        for row in study.timed_on(gpu.BACKEND, precision):
            key = (row["compressor"], row["how"], row["device"])
            found.setdefault(key, {})[precision] = row
    for (name, how, device), rows in found.items():
        for what, text in (("_kernels", "without transfers"), ("", "with transfers")):
            cells = [rows.get(precision, {}).get(f"{way}{what}_gb_per_s")
                     for precision in PRECISIONS for way in WAYS]
            if any(cell is not None for cell in cells):
                table.add(name if how == "library" else f"{name} ({how})",
                          f"ours ({study.name})", *cells, f"{device}, {text}")


def figure_2(context):
    item = Item("mpc-fig-2", "mpc", "Figure 2: fewer stages",
                "The best ratio with at most 1, 2 and 3 stages, relative to the best with 4 "
                "(in percent). Best is the pipeline with the highest harmonic mean of a study.")
    table = Table(item.title, [("data set", 0), ("study", 0), ("precision", 0),
                               ("searched in", 0)]
                  + [(f"CR {n}", 3) for n in (1, 2, 3, 4)]
                  + [(f"share {n} %", 1) for n in (1, 2, 3)])
    bars = {precision: [] for precision in PRECISIONS}
    for study in context.need(item, "stages"):
        for row in study.rows("stages"):
            shares = [row.get(f"share_{n}_percent") for n in (1, 2, 3)]
            marked = row["data_set"] + study.mark(row["data_set"], row["precision"])
            table.add(marked, study.name, row["precision"],
                      study.extent(row["data_set"], row["precision"]),
                      *(row.get(f"ratio_{n}") for n in (1, 2, 3, 4)), *shares)
            if row["data_set"] != BEST or len(study.searched()) > 1:
                name = marked if row["data_set"] != BEST else \
                    f"{BEST} ({study.name}){study.mark(BEST, row['precision'])}"
                bars[row["precision"]].append((name, study.name, shares))
        item.note(f"{study.name}: {note}" for note in study.notes("stages"))
    for precision in PRECISIONS:
        if bars[precision]:
            draw_stages(context, item, bars[precision], precision)
    if table.rows:
        item.table("", table)
    item.note(PICTURE_ONLY)
    context.note_absent(item)
    return item


def draw_stages(context, item, bars, precision):
    figure, axes = style.new(style.PAGE, 2.3)
    colours = ["#C6D8EA", "#5B9BD0", "#12406B"]
    for place, (_, _, shares) in enumerate(bars):
        for number, share in enumerate(shares):
            if share is not None:
                axes.bar(place + 0.27 * (number - 1), share, 0.25, color=colours[number],
                         edgecolor="#12406B", linewidth=0.4,
                         label=f"{number + 1} stage{'s' if number else ''}" if not place else None)
    shares = [share for _, _, its in bars for share in its if share is not None]
    axes.set_ylim(max(0, 10 * int(min(shares, default=0) / 10) - 5), 102)
    axes.set_xlim(-0.6, len(bars) - 0.4)
    axes.set_xticks(range(len(bars)), [name for name, _, _ in bars], rotation=40, ha="right",
                    rotation_mode="anchor")
    for place in range(1, len(bars)):
        if bars[place][1] != bars[place - 1][1]:
            axes.axvline(place - 0.5, color="#999999", linewidth=0.6)
    axes.set_ylabel("ratio relative to\n4 stages, %")
    axes.grid(axis="y")
    axes.legend(ncol=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    item.figure(precision, figure, [f"{precision.capitalize()} precision; the axis does not start "
                                    "at zero. " + PICTURE_ONLY] + context.samples())
