"""The Holt paper: Tables I and II and Figures 4 to 6."""

from analysis import gpu, style, svg
from analysis.absent import NOT_PRINTED, NOT_TIMED
from analysis.axes import WAYS, line_handle, series
from analysis.context import PICTURE_ONLY
from analysis.items import Item, Table, counted

PRECISION = "single"  # the paper's
SIZES = [(1 << shift, f"{1 << shift % 10} {'KMG'[shift // 10 - 1]}i") for shift in range(10, 36, 2)]
SIZES_SEEN = 3  # with fewer, nothing is seen of what sizes do


def table_1(context):
    item = Item("holt-table-1", "holt", "Table I: data sets",
                "The data sets of the paper, what they are from, and whether we have them. Those "
                "that are not of the other papers are matrices of a public collection.")
    table = Table(item.title, [("no", 0), ("data set", 0), ("application", 0, NOT_PRINTED),
                               ("ours", 0)])
    have = context.papers_sets(PRECISION)
    for number, name, application in context.published.holt_sets():
        table.add(number, name, application, "yes" if name in have else "no")
    item.table("", table)
    item.note("The paper converts all to single precision.")
    return item


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
              f"`configs/datasets/fetch.py NAME` downloads {', '.join(fetched)}; the others are matrices "
              "of a public collection, which you have to provide as files of values (`fpsynth "
              "baseline sweep holt FILE`)")
    item.note(context.machines())
    return item


def whole_sets(study, stem):
    """The last row of each data set of a sweep by size, which covers all its bytes."""
    return list({row["data_set"]: row for row in study.rows(stem)}.values())


def figure_4(context):
    most, hardware = context.published.holt_throughput()
    item = Item("holt-fig-4", "holt", "Figure 4: throughput over data sets by size",
                f"Holt's throughput on whole data sets, in the order of their sizes, {PRECISION} "
                "precision. CPU throughputs are from memory to memory; GPU throughputs are those of "
                "the kernels alone, as in the paper (the table also has those with transfers, and "
                "those on the first bytes of each data set).")
    found = speeds_by_size(context, context.need(item, "holt"))
    drawn = [one for one in found if one["drawn"]]
    if not any(sizes_beside(drawn, one) >= SIZES_SEEN for one in drawn):  # then first bytes stand for sets
        drawn = [one for one in found if one["where"].startswith("cpu")]
    drawn = [one for one in drawn if sizes_beside(drawn, one) >= SIZES_SEEN]
    if drawn:
        item.figure("", draw_sizes(drawn, most), caption(drawn, most, hardware))
    item.table("", sizes_table(item.title, found, most, hardware))
    item.note("The paper prints this only as a picture; its text has the highest throughput, which "
              "is of compression.")
    need_gpu(context, item)
    return item


def sizes_beside(drawn, one):
    """How many sizes, within a factor of two, were measured on the machine of one."""
    return len({other["bytes"].bit_length() for other in drawn
                if (other["on"], other["where"]) == (one["on"], one["where"])})


def speeds_by_size(context, studies):
    """The throughputs by size, on CPUs and GPUs, without and with transfers; `drawn` are those on
    whole data sets that the figure shows."""
    found = []

    def add(study, row, size, on, kind, where, drawn):
        found.append({"name": row["data_set"], "study": study.name, "where": where, "bytes": size,
                      "on": on, "drawn": drawn,
                      "speeds": [row[f"{way}{kind}_gb_per_s"] for way in WAYS]})

    def add_gpu(study, row, size, drawn):
        if gpu.has_kernels(row):
            add(study, row, size, row["device"], "_kernels", "gpu, kernels alone", drawn)
        add(study, row, size, row["device"], "", "gpu, with transfers", False)

    for study in studies:
        whole = whole_sets(study, "holt")
        for row in study.rows("holt"):
            add(study, row, row["bytes"], study.machine("holt"), "", "cpu, from memory to memory",
                row in whole)
    for study in context.studies:
        whole = whole_sets(study, "holt-gpu")
        for row in study.rows("holt-gpu"):
            add_gpu(study, row, row["bytes"], row in whole)
    for study, row in gpu.rows(context, "Holt", PRECISION):
        if row["data_set"] != gpu.HARMONIC:
            swept = any(one["data_set"] == row["data_set"] and one["device"] == row["device"]
                        for one in study.rows("holt-gpu"))
            add_gpu(study, row, row["input_bytes"], not swept)
    return found


def sizes_table(title, found, most, hardware):
    table = Table(title, [("data set", 0), ("from", 0), ("where", 0), ("bytes", 0),
                          ("compress GB/s", 3, NOT_TIMED), ("decompress GB/s", 3, NOT_TIMED),
                          ("on", 0)])
    for one in found:
        table.add(one["name"], one["study"], one["where"], one["bytes"], *one["speeds"], one["on"])
    table.add("the highest", "published", "gpu, without transfers", None, most, None, hardware,
              why=NOT_PRINTED)
    return table


def caption(drawn, most, hardware):
    machines = dict.fromkeys(f"{one['on']} ({one['where']})" for one in drawn)
    sets = len({(one["study"], one["name"]) for one in drawn})
    how = "whole" if all(one["drawn"] for one in drawn) else "their first bytes in place of smaller sets"
    lines = [f"{counted(sets, 'data set')}, {how}; on {'; '.join(machines)}."]
    if not any(one["where"].startswith("gpu") for one in drawn):
        lines.append("Holt was not timed on a GPU.")
    return lines + [f"Dotted, where it is near: the highest throughput in the paper's text, {most} "
                    f"GB/s on {hardware}."]


def need_gpu(context, item):
    if not any(study.rows("holt-gpu") for study in context.studies):
        gpu.need(context, item, "Holt", PRECISION)


def draw_sizes(drawn, most):
    """Draws a panel for each machine, because GPUs are faster by orders of magnitude."""
    groups = {}
    for one in sorted(drawn, key=lambda one: (one["bytes"], one["name"])):
        groups.setdefault((one["on"], one["where"]), []).append(one)
    figure, grid = style.new(style.PAGE * 0.75, 2.2 * len(groups) + 0.3, nrows=len(groups),
                             squeeze=False)
    colour, marker = style.look("Holt")
    looks = ({"color": colour, "marker": marker, "linestyle": "none"},
             {"color": style.BLACK, "marker": "o", "linestyle": "none", "markerfacecolor": "none",
              "markersize": 3})
    for (axes,), ((machine, where), sets) in zip(grid, groups.items()):
        for side, (way, look) in enumerate(zip(WAYS, looks)):
            series(axes, [(one["bytes"], one["speeds"][side]) for one in sets],
                   [f"{one['name']} ({one['study']}), {one['bytes']:,} bytes: {way}ion "
                    f"{one['speeds'][side]:.3g} GB/s" for one in sets], **look)
        sizes = [one["bytes"] for one in sets]
        fastest = max(speed for one in sets for speed in one["speeds"])
        if most < 2 * fastest:  # else the line would squeeze everything else
            axes.axhline(most, color="#777777", linestyle=":", linewidth=1.2)
        axes.set_xscale("log", base=2)
        axes.set_xlim(min(sizes) / 1.5, max(sizes) * 1.5)
        axes.set_xticks(*zip(*[tick for tick in SIZES
                               if min(sizes) / 1.5 <= tick[0] <= max(sizes) * 1.5] or SIZES[:1]))
        axes.minorticks_off()
        axes.set_ylim(0, 1.08 * max(fastest, most if most < 2 * fastest else 0))
        axes.set_title(f"{machine}, {where}")
        axes.set_ylabel("GB/s")
        axes.grid(axis="y")
    grid[-1][0].set_xlabel("size of the data set, bytes")
    figure.legend(handles=[line_handle(f"{way}ion", **look) for way, look in zip(WAYS, looks)]
                  + [line_handle("the paper's highest", color="#777777", linestyle=":")],
                  ncol=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


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
                f"kernels, {PRECISION} precision. On a CPU there are no transfers.")
    bars = list(splits(context))
    if bars:
        item.figure("", draw_splits(bars), [
            f"On {', '.join(dict.fromkeys(device for _, device, _, _ in bars))}; transfers of "
            "pageable memory, in both directions. " + PICTURE_ONLY])
        item.table("", splits_table(item.title, bars))
    else:
        need_gpu(context, item)
    item.note(PICTURE_ONLY)
    return item


def splits_table(title, bars):
    table = Table(title, [("data set", 0), ("direction", 0), ("bytes", 0), ("kernels ms", 3),
                          ("transfers ms", 3), ("on", 0)])
    for name, device, size, times in bars:
        for way in WAYS:
            table.add(name, f"{way}ion", size, *times[way], device)
    return table


def draw_splits(bars):
    figure, panels = style.new(style.PAGE * 0.75, 0.19 * len(bars) + 0.95, ncols=2, sharey=True)
    colour, _ = style.look("Holt")
    devices = list(dict.fromkeys(device for _, device, _, _ in bars))
    names = [name if len(devices) == 1 else f"{name}, {device}" for name, device, _, _ in bars]
    for axes, way in zip(panels, WAYS):
        left = [0.0] * len(bars)
        for part, (what, look) in enumerate((("kernels", {"color": colour}),
                                             ("transfers", {"color": "white", "hatch": "////",
                                                            "edgecolor": colour}))):
            spent = [times[way][part] for *_, times in bars]
            for patch, name, one in zip(axes.barh(range(len(bars)), spent, left=left, label=what,
                                                  **look), names, spent):
                svg.tip(patch, f"{name}: {what} {one:.3g} ms")
            left = spent
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_title(f"{way}ion")
        axes.set_xlabel("milliseconds (median)")
        axes.grid(axis="x")
    panels[0].set_yticks(range(len(bars)), names)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure
