"""The Holt paper: Table II and Figures 4 to 6."""

from analysis import gpu, style
from analysis.context import GPU, PICTURE_ONLY
from analysis.items import Item, Table

PRECISION = "single"  # the paper's
WAYS = gpu.DIRECTIONS
SIZES = [(1 << 12, "4 Ki"), (1 << 18, "256 Ki"), (1 << 24, "16 Mi"), (1 << 30, "1 Gi")]


def items(context):
    return [table_2(context), figure_4(context), figures_5_6(context)]


def table_2(context):
    item = Item("holt-table-2", "holt", "Table II: compression ratios",
                f"In {PRECISION} precision, as original / compressed bytes (higher is better) and, "
                "as in the paper, as compressed / original bytes (lower is better).")
    table = Table(item.title, [("data set", 0), ("from", 0), ("bytes", 0), ("ratio", 3),
                               ("compressed / original", 3)])
    ours = {}
    for study in context.need(item, "holt"):
        for row in whole_sets(study, "holt"):
            name, cells = row["data_set"], (row["bytes"], row["ratio"],
                                            row["compressed_per_original"])
            if context.published.is_papers(name, row["bytes"], PRECISION):
                ours[name] = (study.name, cells)
            else:
                table.add(name, f"ours ({study.name})", *cells)
    printed = context.published.holt_rows()
    for name, (study, cells) in ours.items():
        if name not in [row[0] for row in printed]:
            table.add(name, f"ours ({study})", *cells)
    for name, size, own, ratio in printed:
        table.add(name, "published", size, ratio, float(own))
        if name in ours:
            table.add(name, f"ours ({ours[name][0]})", *ours[name][1])
    item.table("", table)
    named = [row[0] for row in printed]
    missing = [name for name in named if name not in ours]
    fetched = [name for name in missing if name in context.published.sets]
    item.lack(f"Our figures of {len(missing)} of the paper's {len(named)} data sets",
              f"`fpsynth data fetch NAME` downloads {', '.join(fetched)}; the others are matrices "
              "of a public collection, which you have to provide as files of values (`fpsynth "
              "baseline holt sweep FILE`)")
    item.note(context.machines())
    return item


def whole_sets(study, stem):
    """The last row of each data set of a sweep by size, which covers all its bytes."""
    return list({row["data_set"]: row for row in study.rows(stem)}.values())


def figure_4(context):
    most, hardware = context.published.holt_throughput()
    item = Item("holt-fig-4", "holt", "Figure 4: throughput by size",
                f"Holt's throughput on the first bytes of each data set, {PRECISION} precision. "
                "CPU throughputs are from memory to memory; GPU throughputs are those of the "
                "kernels alone, as in the paper (the table also has those with transfers).")
    table = Table(item.title, [("data set", 0), ("from", 0), ("where", 0), ("bytes", 0),
                               ("compress GB/s", 3), ("decompress GB/s", 3), ("on", 0)])
    panels = {}  # (machine, where) -> data set -> [(bytes, compress, decompress)]
    for study in context.need(item, "holt"):
        for row in study.rows("holt"):
            add(panels, table, study.machine("holt"), study, row, row["bytes"], "",
                "cpu, from memory to memory", True)
    for study in context.studies:
        for row in study.rows("holt-gpu"):
            add_gpu(panels, table, study, row, row["bytes"])
    for study, row in gpu.rows(context, "Holt", PRECISION):
        if row["data_set"] != gpu.HARMONIC:
            swept = any(one["data_set"] == row["data_set"] and one["device"] == row["device"]
                        for one in study.rows("holt-gpu"))
            add_gpu(panels, table, study, row, row["input_bytes"], not swept)
    table.add("the highest", "published", "gpu, without transfers", None, most, None, hardware)
    if panels:
        draw_sizes(item, panels, most, hardware)
    item.table("", table)
    item.note("The paper prints this only as a picture; its text has the highest throughput, which "
              "is of compression.")
    need_gpu(context, item)
    return item


def add(panels, table, machine, study, row, size, kind, where, drawn):
    """Adds a row to the table and, if `drawn`, a point to the machine's panels."""
    speeds = [row[f"{way}{kind}_gb_per_s"] for way in WAYS]
    table.add(row["data_set"], study.name, where, size, *speeds, machine)
    if drawn:
        lines = panels.setdefault((machine, where), {})
        lines.setdefault(row["data_set"], []).append((size, *speeds))


def add_gpu(panels, table, study, row, size, drawn=True):
    if gpu.has_kernels(row):
        add(panels, table, row["device"], study, row, size, "_kernels", "gpu, kernels alone", drawn)
    add(panels, table, row["device"], study, row, size, "", "gpu, with transfers", False)


def need_gpu(context, item):
    if not any(study.rows("holt-gpu") for study in context.studies):
        gpu.need(context, item, "Holt", PRECISION)


def draw_sizes(item, panels, most, hardware):
    """Draws a row of axes for each machine, because GPUs are faster by orders of magnitude."""
    figure, grid = style.new(style.COLUMN, 2.0 * len(panels) + 0.3, nrows=len(panels), ncols=2,
                             squeeze=False, sharex=True, sharey="row")
    colour, marker = style.look("Holt")
    caption = []
    for row, ((machine, where), lines) in zip(grid, panels.items()):
        longest = max(lines, key=lambda name: len(lines[name]))
        caption.append(f"{machine} ({where}). Coloured: {longest}"
                       + ("; grey: the other data sets." if len(lines) > 1 else "."))
        for side, (axes, way) in enumerate(zip(row, WAYS), 1):
            for name, points in lines.items():
                first = name == longest
                axes.plot([point[0] for point in points], [point[side] for point in points],
                          color=colour if first else "#AAAAAA", linewidth=1.3 if first else 0.6,
                          marker=marker if first or len(points) == 1 else None, markersize=3,
                          zorder=3 if first else 2)
            axes.axhline(most, color="black", linestyle=":", linewidth=0.9)
            axes.set_xscale("log", base=2)
            sizes = [size for points in lines.values() for size, _, _ in points]
            last = max(16 * min(sizes), max(sizes))
            axes.set_xticks(*zip(*[tick for tick in SIZES if tick[0] <= last] or SIZES[:1]))
            axes.minorticks_off()
            axes.set_title(f"{way}ion, {where.split(',')[0].upper()}")
            axes.grid(axis="y")
        row[0].set_ylim(bottom=0)  # after all lines that share this axis are drawn
        row[0].set_ylabel("GB/s")
    for axes in grid[-1]:
        axes.set_xlabel("size, bytes")
    if not any(where.startswith("gpu") for _, where in panels):
        caption.append("Holt was not timed on a GPU.")
    item.figure("", figure, caption + ["Dotted: the highest throughput in the paper's text, "
                                       f"{most} GB/s on {hardware}."])


def splits(context):
    """(data set, device, bytes, {direction: (kernels ms, transfers ms)}) of whole data sets on
    GPUs."""
    found = {}
    for study in context.studies:
        for row in whole_sets(study, "holt-gpu"):
            found[row["data_set"], row["device"]] = (row, row["bytes"])
    for _, row in gpu.rows(context, "Holt", PRECISION):
        if row["data_set"] != gpu.HARMONIC:
            found.setdefault((row["data_set"], row["device"]), (row, row["input_bytes"]))
    for (name, device), (row, size) in found.items():
        times = {way: (row[f"{way}_kernels_ms"], row[f"{way}_transfers_ms"]) for way in WAYS}
        if all(cell is not None for cells in times.values() for cell in cells):
            yield name, device, size, times


def figures_5_6(context):
    item = Item("holt-figs-5-6", "holt", "Figures 5 and 6: time split between transfer and compute",
                "How the time of compression and decompression on a GPU splits into transfers and "
                f"kernels, {PRECISION} precision.")
    table = Table(item.title, [("data set", 0), ("direction", 0), ("bytes", 0), ("kernels ms", 3),
                               ("transfers ms", 3), ("on", 0)])
    bars = list(splits(context))
    for name, device, size, times in bars:
        for way in WAYS:
            table.add(name, f"{way}ion", size, *times[way], device)
    if bars:
        draw_splits(item, bars)
        item.table("", table)
    else:
        figure, axes = style.new(style.COLUMN, 1.0)
        axes.set_axis_off()
        axes.text(0.5, 0.5, "Holt was not timed on a GPU.\nOn a CPU there are no transfers.",
                  ha="center", va="center", fontsize=7)
        item.figure("", figure, [GPU.replace("`", "")])
        need_gpu(context, item)
    item.note(PICTURE_ONLY)
    return item


def draw_splits(item, bars):
    figure, panels = style.new(style.COLUMN, 0.19 * len(bars) + 0.95, ncols=2, sharey=True)
    colour, _ = style.look("Holt")
    devices = list(dict.fromkeys(device for _, device, _, _ in bars))
    names = [name if len(devices) == 1 else f"{name}, {device}" for name, device, _, _ in bars]
    for axes, way in zip(panels, WAYS):
        kernels = [times[way][0] for *_, times in bars]
        axes.barh(range(len(bars)), kernels, color=colour, label="kernels")
        axes.barh(range(len(bars)), [times[way][1] for *_, times in bars], left=kernels,
                  color="white", hatch="////", edgecolor=colour, label="transfers")
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_title(f"{way}ion")
        axes.set_xlabel("milliseconds (median)")
        axes.grid(axis="x")
    panels[0].set_yticks(range(len(bars)), names)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    item.figure("", figure, [f"On {', '.join(devices)}; transfers of pageable memory, in both "
                             "directions. "
                             + PICTURE_ONLY])
