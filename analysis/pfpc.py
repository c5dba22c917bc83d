"""The pFPC paper: Table 1 and Figures 2, 3 and 4."""

from analysis import style
from analysis.context import PICTURE_ONLY
from analysis.gfc import HARMONIC, WAYS, mean_rows, size_name
from analysis.items import Item, Table
from analysis.mpc import statistics

ACROSS = 5  # panels per row in Figure 2


def items(context):
    return [table_1(context), figure_2(context), figure_3(context), figure_4(context)]


def table_1(context):
    names = context.published.pfpc_sets()
    item = Item("pfpc-table-1", "pfpc", "Table 1: information about the data sets",
                f"The {len(names)} data sets of the pFPC paper; the printed figures are those of "
                "the MPC paper's Table I.")
    statistics(context, item, names)
    return item


def tables_of(rows):
    """Table sizes of a sweep, in bytes per thread, ascending."""
    return sorted({row["table_bytes"] for row in rows})


def figure_2(context):
    table = Table("Figure 2: ratio by number of threads",
                  [("data set", 0), ("study", 0), ("table bytes", 0), ("chunk", 0), ("threads", 0),
                   ("ratio", 4)])
    lines, settings = {}, set()
    item = Item("pfpc-fig-2", "pfpc", table.title, "")
    for study in context.need(item, "pfpc"):
        rows = [row for row in study.rows("pfpc") if row["data_set"] != HARMONIC]
        largest = max(tables_of(rows), default=None)
        smallest = min((row["chunk_values"] for row in rows), default=None)
        for row in rows:
            if row["table_bytes"] == largest and row["chunk_values"] == smallest:
                settings.add((smallest, largest))
                lines.setdefault((study.name, row["data_set"]), []).append(
                    (row["threads"], row["ratio"]))
                table.add(row["data_set"], study.name, largest, smallest, row["threads"],
                          row["ratio"])
    item.text = "pFPC's compression ratio" + "; ".join(
        f" with chunks of {chunk} value{'s' if chunk > 1 else ''} and {size_name(size)} of tables "
        "per thread" for chunk, size in sorted(settings)) + \
        ". Each data set has a separate axis (the paper has one for all, and an enlarged part)."
    if lines:
        draw_threads(item, lines)
        item.table("", table)
    item.note(PICTURE_ONLY + " Its text has means, see Figure 3.")
    context.note_absent(item, context.published.pfpc_sets())
    return item


def draw_threads(item, lines):
    down = -(-len(lines) // ACROSS)
    figure, panels = style.new(style.PAGE, 1.0 * down + 0.45, nrows=down, ncols=ACROSS,
                               squeeze=False, sharex=True)
    most = max(threads for points in lines.values() for threads, _ in points)
    for place, (axes, ((_, name), points)) in enumerate(zip(panels.flat, lines.items())):
        points = sorted(points)
        colour, marker = style.look("pFPC")
        axes.plot([x for x, _ in points], [y for _, y in points], color=colour, marker=marker,
                  markersize=2, linewidth=0.9)
        low, high = min(y for _, y in points), max(y for _, y in points)
        # The margin makes a fluctuation of less than two percent look small.
        margin = max(0.08 * (high - low), 0.01 * high)
        axes.set_ylim(low - margin, high + margin)
        axes.set_title(name, pad=3.5)
        axes.locator_params(axis="y", nbins=3)
        axes.set_xticks([tick for tick in (1, 4, 8, 12, 16) if tick <= most])
        axes.grid()
        if place + ACROSS >= len(lines):
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("threads")
        if place % ACROSS == 0:
            axes.set_ylabel("ratio")
    for axes in list(panels.flat)[len(lines):]:
        axes.set_axis_off()
    item.figure("", figure, ["The axes of ratios differ and do not start at zero. "
                             + PICTURE_ONLY])


def figure_3(context):
    item = Item("pfpc-fig-3", "pfpc", "Figure 3: ratio by chunk size",
                "Harmonic mean of pFPC's ratio over the data sets of a study, by chunk size, "
                "number of threads and table size.")
    by_chunk(context, item, [("ratio", "ratio", "ratio")], "harmonic-mean ratio")
    for size, row in context.published.pfpc_modes()[0].items():
        item.note(f"Published in the paper's text: {row['ratio']} with {size_name(size)} of "
                  f"tables, the harmonic mean over {len(context.published.pfpc_sets())} data sets. "
                  + PICTURE_ONLY)
    context.note_absent(item, context.published.pfpc_sets())
    return item


def figure_4(context):
    item = Item("pfpc-fig-4", "pfpc", "Figure 4: throughput by chunk size and threads",
                "Harmonic mean of pFPC's throughput over the data sets of a study, by chunk size, "
                "number of threads and table size. Times include the allocation of the tables, "
                "which dominates for data sets that are smaller than the tables.")
    by_chunk(context, item, [(f"{way}_gb_per_s", f"{way} GB/s", f"{way}_gb_s") for way in WAYS],
             "GB/s")
    modes, hardware = context.published.pfpc_modes()
    for size, row in modes.items():
        item.note(f"Published ({hardware}): {row['compress_gb_s']} GB/s compressing and "
                  f"{row['decompress_gb_s']} GB/s decompressing with {size_name(size)} of tables. "
                  + PICTURE_ONLY)
    columns, rows = context.published.pfpc_machines()
    machines = Table("Published: GB/s on the paper's machines",
                     [(columns[0], 0)] + [(f"{name}, GB/s", 2) for name in columns[1:]])
    for row in rows:
        machines.add(*row)
    item.table("machines", machines)
    columns, rows = context.published.pfpc_speedups()
    speedups = Table("Published: how many times faster than one thread",
                     [(columns[0], 0), ("tables", 0), (columns[2], 0), (f"{columns[3]}ion", 2),
                      (f"{columns[4]}ion", 2)])
    for machine, size, *cells in rows:
        speedups.add(machine, size_name(size) if size else "both sizes", *cells)
    item.table("speedups", speedups)
    item.note(context.machines())
    context.note_absent(item, context.published.pfpc_sets())
    return item


def by_chunk(context, item, quantities, label):
    """Draws a panel for each table size and quantity, with a line for each number of threads that
    was swept over chunk sizes, and a horizontal line for the published mean of a table size. A
    quantity is a key, a title and a key of the published figures."""
    timed = len(quantities) > 1
    table = Table(item.title, [("study", 0), ("table bytes", 0), ("threads", 0), ("chunk", 0)]
                  + [(title, 4) for _, title, _ in quantities]
                  + [(f"{way} spread", 2) for way in WAYS if timed])
    modes, hardware = context.published.pfpc_modes()
    for study in context.need(item, "pfpc"):
        rows = swept(mean_rows(study, "pfpc"))
        if not rows:
            item.lack(f"{study.name}: no rows in the sweep of pFPC", "`fpsynth baseline pfpc sweep`")
            continue
        draw_chunks(context, item, study, rows, quantities, label)
        for row in rows:
            table.add(study.name, row["table_bytes"], row["threads"], row["chunk_values"],
                      *(row[key] for key, _, _ in quantities),
                      *(row[f"{way}_spread"] for way in WAYS if timed))
        if timed:
            item.note(f"{study.name}: {note}" for note in study.notes("pfpc") if "GB/s" in note)
        for size in set(modes) - set(tables_of(rows)):
            item.note(f"{study.name}: the sweep has no tables of {size_name(size)}, for which the "
                      "paper's text has the mean")
    if table.rows:
        item.table("", table)


def swept(rows):
    """The rows with numbers of threads that have several chunk sizes; all rows if none have."""
    chunks = {}
    for row in rows:
        chunks.setdefault(row["threads"], set()).add(row["chunk_values"])
    return [row for row in rows if len(chunks[row["threads"]]) > 1] or rows


def draw_chunks(context, item, study, rows, quantities, label):
    timed = len(quantities) > 1
    modes, hardware = context.published.pfpc_modes()
    sizes = tables_of(rows)
    figure, panels = style.new(style.PAGE if timed or len(sizes) > 2 else style.COLUMN, 2.4,
                               ncols=len(sizes) * len(quantities), squeeze=False, sharey=timed)
    cores = study.documents["pfpc"]["machine"]["threads"]
    contents = [(quantity, size) for quantity in quantities for size in sizes]
    handles = {}
    for axes, ((key, name, published), size) in zip(panels[0], contents):
        for number, threads in enumerate(sorted({row["threads"] for row in rows})):
            line = [row for row in rows if row["threads"] == threads and
                    row["table_bytes"] == size]
            over = " *" if timed and threads > cores else ""
            axes.plot([row["chunk_values"] for row in line], [row[key] for row in line],
                      color=style.SEQUENCE[number % 6], markersize=2.5,
                      marker=style.MARKERS[number % 6], linestyle=style.LINES[number % 6],
                      label=f"{threads} thread{'s' if threads > 1 else ''}{over}")
        if size in modes:
            axes.axhline(modes[size][published], color="#777777", linewidth=1.4,
                         linestyle=(0, (1, 1)), label="published mean")
        axes.set_xscale("log", base=2)
        axes.set_xticks(*chunk_ticks(rows))
        axes.minorticks_off()
        axes.set_xlabel("chunk, values")
        title = f"{size_name(size)} of tables"
        axes.set_title(f"{name.split()[0]}ion,\n{title}" if timed else title)
        axes.grid(axis="y")
        handles.update({text: handle for handle, text in
                        zip(*axes.get_legend_handles_labels())})
    panels[0][0].set_ylabel(label)
    if timed:
        panels[0][0].set_ylim(bottom=0)  # after all lines that share this axis are drawn
    order = [name for name in handles if name != "published mean"] + \
        [name for name in handles if name == "published mean"]
    figure.legend([handles[name] for name in order], order, ncol=5 if timed else 3,
                  loc="lower center", bbox_to_anchor=(0.5, 1.0))
    sets = len(context.published.pfpc_sets())
    lines = [f"Study {study.name}. Published: means over {sets} data sets, from the paper's text"
             + (f", on {hardware}." if timed else ".")]
    if timed:
        lines.append(f"Ours: {study.machine('pfpc')}.")
        if any(row["threads"] > cores for row in rows):
            lines[-1] += f" * More threads than the {cores} that this machine runs in parallel."
    item.figure(study.name, figure, lines)


def chunk_ticks(rows):
    """At most five of the chunk sizes, beginning with the smallest, and their names."""
    chunks = sorted({row["chunk_values"] for row in rows})
    ticks = chunks[::max(1, -(-(len(chunks) - 1) // 4))]
    return ticks, [f"{tick // 1024}Ki" if tick % 1024 == 0 else str(tick) for tick in ticks]
