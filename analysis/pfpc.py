"""The pFPC paper: Table 1 and Figures 2, 3 and 4."""

from analysis import style
from analysis.context import PICTURE_ONLY
from analysis.gfc import mean_rows
from analysis.items import Item, Table
from analysis.mpc import statistics


def items(context):
    return [table_1(context), figure_2(context), figure_3(context), figure_4(context)]


def table_1(context):
    item = Item("pfpc-table-1", "pfpc", "Table 1: information about the data sets",
                "The nine data sets of the pFPC paper; the printed figures are those of the MPC "
                "paper's Table I.")
    statistics(context, item, context.published.pfpc_sets())
    return item


def tables_of(rows):
    """Table sizes of a sweep: (bits, bytes per thread), small first."""
    return sorted({(row["table bits"], row["table bytes"]) for row in rows})


def size_name(size):
    return f"{size // 1024} KiB" if size < 1 << 20 else f"{size >> 20} MiB"


def figure_2(context):
    item = Item("pfpc-fig-2", "pfpc", "Figure 2: ratio by number of threads",
                "pFPC's compression ratio with chunks of one value and 2 MiB of tables per thread.")
    table = Table(item.title, [("data set", 0), ("study", 0), ("threads", 0), ("ratio", 4)])
    lines = {}
    for study in context.need(item, "pfpc"):
        rows = [row for row in study.rows("pfpc", chunk=1) if row["data set"] != "harmonic mean"]
        largest = max((bits for bits, _ in tables_of(rows)), default=None)
        for row in rows:
            if row["table bits"] == largest:
                lines.setdefault(row["data set"], []).append((row["threads"], row["ratio"]))
                table.add(row["data set"], study.name, row["threads"], row["ratio"])
    if lines:
        draw_threads(item, lines)
        item.table("", table)
    item.note(PICTURE_ONLY + " Its text gives means: see Figure 3.")
    context.note_absent(item, context.published.pfpc_sets())
    return item


def draw_threads(item, lines):
    figure, axes = style.new(style.PAGE, 2.9)
    colours = style.matplotlib.colormaps[style.SHADES]
    order = sorted(lines, key=lambda name: -lines[name][0][1])
    for number, name in enumerate(order):
        points = sorted(lines[name])
        axes.plot([x for x, _ in points], [y for _, y in points],
                  color=colours(0.88 * number / max(len(order) - 1, 1)),
                  linestyle=style.LINES[number % 4], marker=style.MARKERS[number % 6],
                  markersize=3, label=name)
    axes.set_yscale("log", base=2)
    values = [y for points in lines.values() for _, y in points]
    ticks = [tick for tick in (0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8, 10, 12,
                               16, 20) if min(values) * 0.97 <= tick <= max(values) * 1.03]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xticks(sorted({x for points in lines.values() for x, _ in points}))
    axes.set_xlabel("threads")
    axes.set_ylabel("compression ratio")
    axes.grid(axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    item.figure("", figure, [PICTURE_ONLY])


def figure_3(context):
    item = Item("pfpc-fig-3", "pfpc", "Figure 3: ratio by chunk size",
                "Harmonic mean of pFPC's ratio over the data sets of a study, by chunk size, with "
                "1 to 4 threads and both table sizes.")
    by_chunk(context, item, [("ratio", "ratio")], "harmonic-mean ratio")
    modes, hardware = context.published.pfpc_modes()
    item.note(f"Published in the paper's text: {modes[0][1]['ratio']} with {modes[0][0]} and "
              f"{modes[1][1]['ratio']} with {modes[1][0]} of tables, harmonic means over nine data "
              f"sets. {PICTURE_ONLY}")
    context.note_absent(item, context.published.pfpc_sets())
    return item


def figure_4(context):
    item = Item("pfpc-fig-4", "pfpc", "Figure 4: throughput by chunk size and threads",
                "Harmonic mean of pFPC's throughput over the data sets of a study, by chunk size, "
                "with 1 to 4 threads and both table sizes.")
    by_chunk(context, item, [("compress GB/s", "compress_gb_s"),
                             ("decompress GB/s", "decompress_gb_s")], "GB/s")
    modes, hardware = context.published.pfpc_modes()
    for name, row in modes:
        item.note(f"Published ({hardware}): {row['compress_gb_s']} GB/s compressing and "
                  f"{row['decompress_gb_s']} GB/s decompressing with {name} of tables. "
                  + PICTURE_ONLY)
    item.note(context.machines())
    context.note_absent(item, context.published.pfpc_sets())
    return item


def by_chunk(context, item, quantities, label):
    """A panel for each table size and quantity, a line for each number of threads; the published
    mean, which is of the paper's best setting, as a line across."""
    table = Table(item.title, [("study", 0), ("table bytes", 0), ("threads", 0), ("chunk", 0)]
                  + [(name, 4) for name, _ in quantities])
    modes, hardware = context.published.pfpc_modes()
    for study in context.need(item, "pfpc"):
        rows = [row for row in mean_rows(study, "pfpc") if row["threads"] <= 4]
        sizes = tables_of(rows)
        if not rows:
            item.lack(f"{study.name}: no rows in the sweep of pFPC", "`fpsynth baseline pfpc sweep`")
            continue
        figure, panels = style.new(style.PAGE if len(quantities) > 1 else style.COLUMN, 2.3,
                                   ncols=len(sizes) * len(quantities), squeeze=False,
                                   sharey=len(quantities) > 1)
        places = [(quantity, size) for quantity in quantities for size in sizes]
        for axes, ((name, key), (bits, size)) in zip(panels[0], places):
            for threads in sorted({row["threads"] for row in rows}):
                line = [row for row in rows if row["threads"] == threads and
                        row["table bits"] == bits]
                axes.plot([row["chunk"] for row in line], [row[name] for row in line],
                          color=style.SEQUENCE[(threads - 1) % 6], markersize=2.5,
                          marker=style.MARKERS[(threads - 1) % 6],
                          linestyle=style.LINES[(threads - 1) % 6],
                          label=f"{threads} thread{'s' if threads > 1 else ''}")
            printed = dict(zip((one for one, _ in sizes), modes))[bits][1][key]
            axes.axhline(printed, color="#777777", linewidth=1.4, linestyle=(0, (1, 1)),
                         label="published mean")
            axes.set_xscale("log", base=2)
            axes.set_xticks([1, 16, 256, 4096, 65536], ["1", "16", "256", "4Ki", "64Ki"])
            axes.minorticks_off()
            axes.set_xlabel("chunk, values")
            title = f"{size_name(size)} of tables"
            axes.set_title(title if len(quantities) == 1 else f"{name.split()[0]}ion, {title}")
            axes.grid(axis="y")
        panels[0][0].set_ylabel(label)
        handles, names = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, names, ncol=5 if len(quantities) > 1 else 3, loc="lower center",
                      bbox_to_anchor=(0.5, 1.0))
        lines = [f"Study {study.name}; published: over nine data sets, in the paper's text"
                 + (f", on {hardware}." if len(quantities) > 1 else "."),
                 f"Ours: {study.machine()}." if len(quantities) > 1 else ""]
        item.figure(study.name, figure, lines)
        for row in rows:
            table.add(study.name, row["table bytes"], row["threads"], row["chunk"],
                      *(row[name] for name, _ in quantities))
    if table.rows:
        item.table("", table)
