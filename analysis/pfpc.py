"""The pFPC paper: Figures 2, 3 and 4. Table 1 is in information.py."""

from math import nan

from analysis import style
from analysis.absent import NOT_PRINTED, NOT_TIMED
from analysis.axes import WAYS, line_handle, papers_unit, ratio_limit, series, size_name, speed_axis
from analysis.context import PICTURE_ONLY
from analysis.items import Item, Table, counted
from analysis.sweeps import SPEEDS, by_set, fitting, tables_of, without_small

ENLARGED = 0.75  # share of Figure 2's ratios that its enlarged part has at least
MOST = 4  # threads in Figures 3 and 4, as in the paper
FAR = 1.5  # between ratios that do not fit one axis
SPREADS = tuple(f"{way}_spread" for way in WAYS)


def figure_2(context):
    item = Item("pfpc-fig-2", "pfpc", "Figure 2: ratio by number of threads", "")
    lines = by_threads(context.need(item, "pfpc"))
    settings = sorted({(line["chunk"], line["tables"]) for line in lines})
    item.text = "pFPC's compression ratio" + " or".join(
        f" with chunks of {counted(chunk, 'value')} and {size_name(size)} of tables per thread"
        for chunk, size in settings) + \
        ". As in the paper, all data sets have one axis, of which a part is enlarged."
    if lines:
        item.figure("", draw_threads(lines),
                    ["The enlarged axis of ratios does not start at zero. " + PICTURE_ONLY])
        item.table("", threads_table(item.title, lines))
    item.note(PICTURE_ONLY + " Its text has means, see Figure 3.")
    context.note_absent(item, context.published.pfpc_sets())
    return item


def by_threads(studies):
    """A line for each data set, of the first study with it: its ratios by number of threads, with the
    smallest chunks and the largest tables swept."""
    lines = []
    for study in studies:
        rows = by_set(study.rows("pfpc"))
        largest = max(tables_of(rows), default=None)
        smallest = min((row["chunk_values"] for row in rows), default=None)
        for name in dict.fromkeys(row["data_set"] for row in rows
                                  if row["data_set"] not in [line["name"] for line in lines]):
            points = sorted((row["threads"], row["ratio"]) for row in rows
                            if row["data_set"] == name and row["table_bytes"] == largest
                            and row["chunk_values"] == smallest)
            lines.append({"name": name, "study": study.name, "tables": largest,
                          "chunk": smallest, "points": points})
    return lines


def threads_table(title, lines):
    table = Table(title, [("data set", 0), ("study", 0), ("table bytes", 0), ("chunk", 0),
                          ("threads", 0), ("ratio", 4)])
    for line in lines:
        for threads, ratio in line["points"]:
            table.add(line["name"], line["study"], line["tables"], line["chunk"], threads, ratio)
    return table


def draw_threads(lines):
    """One axis for all data sets, as in the paper, and its part below the ratios that are far above
    the others, enlarged."""
    limit = ratio_limit([ratio for line in lines for _, ratio in line["points"]], ENLARGED)
    figure, panels = style.new(style.PAGE, 2.6, ncols=2)
    for axes, part in zip(panels, (lambda _: True, lambda ratio: ratio <= limit)):
        for number, line in enumerate(lines):
            series(axes, [(threads, ratio if part(ratio) else nan) for threads, ratio in line["points"]],
                   [f"{line['name']}: {ratio:.4f} with {counted(threads, 'thread')}"
                    for threads, ratio in line["points"]],
                   color=style.SEQUENCE[number % 6], marker=style.MARKERS[number % 6],
                   linestyle=style.LINES[number // 6 % 6], markersize=2, linewidth=0.9)
        axes.set_xlabel("threads")
        axes.grid()
    panels[0].set_ylim(0, None)
    panels[0].set_ylabel("ratio")
    panels[1].set_title("enlarged")
    figure.legend(handles=[line_handle(line["name"], color=style.SEQUENCE[number % 6],
                                       marker=style.MARKERS[number % 6],
                                       linestyle=style.LINES[number // 6 % 6], markersize=2)
                           for number, line in enumerate(lines)],
                  ncol=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def figure_3(context):
    item = Item("pfpc-fig-3", "pfpc", "Figure 3: ratio by chunk size",
                "Harmonic mean of pFPC's ratio over the data sets of a study, by chunk size, "
                "number of threads and table size. Tables are no larger than the data sets of which "
                "the means are.")
    for study in context.need(item, "pfpc"):
        rows = chunk_means(context, item, study)
        if rows and context.large(item, study, study.rows("pfpc"),
                                  "their ratios are those of tables that are still empty"):
            item.figure(study.name, draw_ratios(context, rows), caption(context, study, rows))
    by_chunk_table(context, item, ("ratio",))
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
                "which are no larger than the data sets of which the means are.")
    for study in context.need(item, "pfpc"):
        rows = chunk_means(context, item, study)
        if rows and context.large(item, study, study.rows("pfpc")):
            item.figure(study.name, draw_speeds(context, study, rows),
                        caption(context, study, rows, True))
        item.note(f"{study.name}: {note}" for note in study.notes("pfpc") if "GB/s" in note)
    by_chunk_table(context, item, (*SPEEDS, *SPREADS))
    modes, hardware = context.published.pfpc_modes()
    for size, row in modes.items():
        item.note(f"Published ({hardware}): {row['compress_gb_s']} GB/s compressing and "
                  f"{row['decompress_gb_s']} GB/s decompressing with {size_name(size)} of tables, "
                  "harmonic means. " + PICTURE_ONLY)
    printed_tables(context, item)
    item.note(context.machines())
    context.note_absent(item, context.published.pfpc_sets())
    return item


def printed_tables(context, item):
    columns, rows = context.published.pfpc_machines()
    machines = Table("Published: GB/s on the paper's machines",
                     [(columns[0], 0)] + [(f"{name}, GB/s", 2, NOT_PRINTED) for name in columns[1:]])
    for row in rows:
        machines.add(*row)
    item.table("machines", machines)
    columns, rows = context.published.pfpc_speedups()
    speedups = Table("Published: how many times faster than one thread",
                     [(columns[0], 0), ("tables", 0), (columns[2], 0),
                      *((f"{name}ion", 2, NOT_PRINTED) for name in columns[3:])])
    for machine, size, *cells in rows:
        speedups.add(machine, size_name(size) if size else "both sizes", *cells)
    item.table("speedups", speedups)


def chunk_means(context, item, study):
    """Harmonic means over the data sets that the largest tables fit, of the numbers of threads that
    were swept over chunk sizes; of all numbers if none was."""
    rows = [row for row in fitting(study.rows("pfpc")) if row["threads"] <= MOST]
    item.note(without_small(study, "pfpc",
                            size_name(max(tables_of(study.rows("pfpc")), default=0))))
    for size in set(context.published.pfpc_modes()[0]) - set(tables_of(rows)):
        item.note(f"{study.name}: the sweep has no tables of {size_name(size)}, for which the "
                  "paper's text has the mean")
    chunks = {}
    for row in rows:
        chunks.setdefault(row["threads"], set()).add(row["chunk_values"])
    rows = [row for row in rows if len(chunks[row["threads"]]) > 1] or rows
    if not rows:
        item.lack(f"{study.name}: no rows in the sweep of pFPC for data sets as large as its "
                  "tables", "`fpsynth baseline sweep pfpc --tables ...`")
    return rows


def by_chunk_table(context, item, keys):
    table = Table(item.title, [("study", 0), ("data sets", 0), ("table bytes", 0), ("threads", 0),
                               ("chunk", 0)]
                  + [(title_of(key), 2, "a single repetition has none") if key in SPREADS else
                     (title_of(key), 4, NOT_TIMED) for key in keys])
    for study in context.need(item, "pfpc"):
        for row in chunk_means(context, item, study):
            table.add(study.name, row["data_sets"], row["table_bytes"], row["threads"],
                      row["chunk_values"], *(row[key] for key in keys))
    item.table("", table)


def title_of(key):
    return key.replace("_gb_per_s", " GB/s").replace("_spread", " largest spread")


def caption(context, study, rows, timed=False):
    cores = study.documents["pfpc"]["machine"]["threads"]
    modes, hardware = context.published.pfpc_modes()
    sizes = {row["table_bytes"] for row in rows}
    lines = [f"Study {study.name}: harmonic means over {counted(rows[0]['data_sets'], 'data set')}."]
    if not timed:
        lines[0] += " The axes do not start at zero, and may differ."
    if sizes & set(modes):
        lines.append(f"Dotted: the published mean over {len(context.published.pfpc_sets())} data "
                     "sets with the same tables, from the paper's text"
                     + (f", on {hardware}." if timed else "."))
    if timed:
        lines.append(f"Ours: {study.machine('pfpc')}."
                     + (f" * More threads than the {cores} that this machine runs in parallel."
                        if any(row["threads"] > cores for row in rows) else ""))
    return lines


def draw_ratios(context, rows):
    """A panel for each table size, with one axis of ratios where that leaves the lines apart."""
    modes, _ = context.published.pfpc_modes()
    sizes = tables_of(rows)
    ratios = [row["ratio"] for row in rows]
    figure, panels = style.new(style.PAGE * 0.75, 2.4, ncols=len(sizes), squeeze=False,
                               sharey=max(ratios) < FAR * min(ratios))
    handles = {}
    for axes, size in zip(panels[0], sizes):
        handles.update(draw_lines(axes, rows, size, "ratio", "", 99))
        if size in modes:
            published_line(axes, handles, modes[size]["ratio"])
        axes.set_title(f"{size_name(size)} of tables")
    panels[0][0].set_ylabel("harmonic-mean ratio")
    finish(figure, handles)
    return figure


def draw_speeds(context, study, rows):
    """Compression beside decompression, a row of panels for each table size; all have one axis."""
    modes, _ = context.published.pfpc_modes()
    sizes = tables_of(rows)
    cores = study.documents["pfpc"]["machine"]["threads"]
    figure, panels = style.new(style.PAGE * 0.75, 1.75 * len(sizes) + 0.5, nrows=len(sizes),
                               ncols=2, squeeze=False, sharex=True, sharey=True)
    handles = {}
    for line, size in zip(panels, sizes):
        for axes, way in zip(line, WAYS):
            handles.update(draw_lines(axes, rows, size, f"{way}_gb_per_s", "GB/s", cores))
            if size in modes:
                published_line(axes, handles, modes[size][f"{way}_gb_s"])
            axes.set_title(f"{way}ion, {size_name(size)} of tables")
            axes.set_yscale("log")
        line[0].set_ylabel("GB/s")
        papers_unit(line[1], "MB/s, the paper's unit", 1000)
    speed_axis(panels[0][0])
    finish(figure, handles)
    return figure


def draw_lines(axes, rows, size, key, unit, cores):
    """A line for each number of threads; returns the entries of the legend."""
    handles = {}
    for number, threads in enumerate(sorted({row["threads"] for row in rows})):
        line = sorted((row for row in rows if row["threads"] == threads
                       and row["table_bytes"] == size), key=lambda row: row["chunk_values"])
        name = counted(threads, "thread") + (" *" if threads > cores else "")
        look = {"color": style.SEQUENCE[number % 6], "marker": style.MARKERS[number % 6],
                "linestyle": style.LINES[number % 6], "markersize": 2.5}
        series(axes, [(row["chunk_values"], row[key]) for row in line],
               [f"{counted(threads, 'thread')}, chunks of {row['chunk_values']:,}: "
                f"{row[key]:.4g} {unit}" for row in line], **look)
        handles[name] = line_handle(name, **look)
    axes.set_xscale("log", base=2)
    axes.set_xticks(*chunk_ticks(rows))
    axes.minorticks_off()
    axes.set_xlabel("chunk, values")
    axes.grid(axis="y")
    return handles


def published_line(axes, handles, value):
    look = {"color": "#777777", "linewidth": 1.4, "linestyle": (0, (1, 1))}
    axes.axhline(value, **look)
    handles["published mean"] = line_handle("published mean", **look)


def finish(figure, handles):
    order = sorted(handles, key=lambda name: name == "published mean")
    figure.legend([handles[name] for name in order], order, ncol=5, loc="lower center",
                  bbox_to_anchor=(0.5, 1.0))


def chunk_ticks(rows):
    """At most five of the chunk sizes, beginning with the smallest, and their names."""
    chunks = sorted({row["chunk_values"] for row in rows})
    ticks = chunks[::max(1, -(-(len(chunks) - 1) // 4))]
    return ticks, [f"{tick // 1024}Ki" if tick % 1024 == 0 else str(tick) for tick in ticks]
