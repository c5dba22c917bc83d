"""The GFC paper: Figures 2 and 6, and Table 2. Table 1 is in information.py, Figures 4 and 5 in
gfc_modes.py."""

from analysis import gpu, style, svg
from analysis.absent import NOT_PRINTED, NOT_TIMED
from analysis.axes import WAYS, bar, names_below, papers_unit, room_for
from analysis.context import PICTURE_ONLY
from analysis.gpu import HARMONIC
from analysis.items import Item, Table, counted
from analysis.published import MEAN
from analysis.sweeps import CHUNK, chunks_that_fit


BITS = 8  # of a byte: the paper's throughputs are in Gb/s


def figure_2(context):
    item = Item("gfc-fig-2", "gfc", "Figure 2: leading zero bytes of the residuals",
                "How many leading bytes of GFC's residuals are zero, in percent of the values of "
                "each data set.")
    lines = leading_zeros(context.need(item, "gfc"))
    if lines:
        item.figure("", draw_zeros(lines), [PICTURE_ONLY])
        item.table("", zeros_table(item.title, lines))
    item.note(PICTURE_ONLY)
    context.note_absent(item)
    return item


def leading_zeros(studies):
    """(data set, study, dimensionality, shares by number of bytes) of every data set, once."""
    lines = []
    for study in studies:
        sets = {}
        for row in study.rows("gfc", 1):
            sets.setdefault((row["data_set"], study.name, row["dimensionality"]), []).append(
                row["share_percent"])
        known = {name for name, *_ in lines}
        lines += [(*key, shares) for key, shares in sets.items() if key[0] not in known]
    return lines


def zeros_table(title, lines):
    table = Table(title, [("data set", 0), ("study", 0), ("dimensionality", 0)]
                  + [(f"{zeros} bytes %", 2) for zeros in range(9)])
    for name, study, dimensionality, shares in lines:
        table.add(name, study, dimensionality, *shares)
    return table


def draw_zeros(lines):
    figure, axes = style.new(style.COLUMN * 1.3, 0.15 * len(lines) + 0.8)
    colours = style.matplotlib.colormaps[style.SHADES]
    left = [0.0] * len(lines)
    for zeros in range(9):
        shares = [its[zeros] for *_, its in lines]
        bars = axes.barh(range(len(lines)), shares, 0.8, left=left, color=colours(1 - zeros / 8),
                         edgecolor="white", linewidth=0.3, label=str(zeros))
        for patch, (name, *_), share in zip(bars, lines, shares):
            svg.tip(patch, f"{name}: {share:.1f} % with {zeros} leading zero bytes")
        left = [begin + share for begin, share in zip(left, shares)]
    axes.set_yticks(range(len(lines)), [name for name, *_ in lines])
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of the values, %")
    axes.legend(ncol=9, loc="lower center", bbox_to_anchor=(0.45, 1.0), handlelength=0.8,
                columnspacing=0.7, handletextpad=0.3, title="leading zero bytes",
                title_fontsize=6.5)
    return figure


def on_cpu(context, study):
    """GFC's rows with as many of the paper's chunks as the data warrant; and that number."""
    chunks = chunks_that_fit(study.rows("gfc"), context.published.gfc_ratios()[0])
    return study.rows("gfc", chunks=chunks), chunks


def figure_6(context):
    rates, hardware = context.published.gfc_throughput()
    item = Item("gfc-fig-6", "gfc", "Figure 6: throughput of GFC by data set",
                "Compression and decompression throughput of GFC on each data set, and harmonic "
                "means. GPU throughputs are those of the kernels alone, as in the paper, whose "
                f"throughputs are {hardware.split(', ', 1)[1]}; the table also has those with "
                f"transfers. On CPUs with the most of the paper's numbers of chunks that leave a "
                f"chunk {CHUNK:,} values. The paper's unit is Gb/s, which are eight times the GB/s.")
    studies = context.need(item, "gfc")
    found = speeds_by_set(context, [study for study in studies
                                    if context.large(item, study, study.rows("gfc"))])
    drawn = [one for one in found if one["drawn"]]
    if drawn:
        item.figure("", draw_throughputs(drawn, rates), [
            "Lines: published harmonic means; grey: published range from the lowest to the highest "
            f"data set, on {hardware}, with {context.published.gfc_ratios()[0][-1]} chunks.",
            "On CPUs: " + "; ".join(dict.fromkeys(
                f"{one['study']} with {one['setting']}" for one in drawn if one["cpu"])) + "."])
    item.table("", speeds_table(item.title, found, rates, hardware))
    item.note("The paper prints the throughputs by data set only as a picture; its text has the "
              "harmonic means, the lowest, and the highest, which are those on msg_sppm.")
    gpu.need(context, item, "GFC", "double")
    context.note_absent(item)
    return item


def speeds_by_set(context, studies):
    """The throughputs by data set, on CPUs and GPUs, without and with transfers."""
    found = []

    def add(study, row, where, setting, on, kind, drawn):
        found.append({"name": row["data_set"], "study": study.name, "where": where,
                      "setting": setting, "on": on, "cpu": where == "cpu", "drawn": drawn,
                      "speeds": [row[f"{way}{kind}_gb_per_s"] for way in WAYS]})

    for study in studies:
        rows, chunks = on_cpu(context, study)
        for row in rows:
            add(study, row, "cpu", counted(chunks, "chunk"), study.machine("gfc"), "", True)
    for study, row in gpu.rows(context, "GFC", "double"):
        name = row["compressor"].removeprefix("GFC").removeprefix(", ") or "GFC"
        if gpu.has_kernels(row):
            add(study, row, "gpu, kernels alone", name, row["device"], "_kernels", True)
        add(study, row, "gpu, with transfers", name, row["device"], "", False)
    return found


def speeds_table(title, found, rates, hardware):
    table = Table(title, [("data set", 0), ("from", 0), ("where", 0),
                          ("compress GB/s", 3, NOT_TIMED), ("decompress GB/s", 3, NOT_TIMED),
                          ("compress Gb/s", 1, NOT_TIMED), ("decompress Gb/s", 1, NOT_TIMED),
                          ("on", 0)])

    def add(name, source, where, speeds, on):
        table.add(name, source, where, *speeds, *(speed and BITS * speed for speed in speeds), on)
    for one in found:
        add(one["name"], one["study"], f"{one['where']}, {one['setting']}", one["speeds"], one["on"])
    for what in rates["compress"]:
        add({MEAN: HARMONIC, "min": "the lowest"}.get(what, f"{what}, more than"), "published",
            "gpu, without transfers", [rates[way][what] for way in WAYS], hardware)
    return table


def draw_throughputs(found, rates):
    """Draws a panel for each machine, because GPUs are faster by orders of magnitude."""
    groups = {}
    for one in found:
        title = one["on"] if one["cpu"] else f"{one['on']}, kernels alone, {one['setting']}"
        groups.setdefault(title, []).append(one)
    room = max(room_for([one["name"] for one in bars]) for bars in groups.values())
    figure, panels = style.new(style.PAGE, (1.95 + room) * len(groups) + 0.7, nrows=len(groups),
                               squeeze=False)
    colour, _ = style.look("GFC")
    for (axes,), (title, bars) in zip(panels, groups.items()):
        for place, one in enumerate(bars):
            for side, (way, look) in enumerate(zip(WAYS, (
                    {"color": colour, "edgecolor": "black", "linewidth": 0.4},
                    {"color": "white", "edgecolor": colour, "linewidth": 0.8}))):
                bar(axes, place + 0.4 * side - 0.2, one["speeds"][side], 0.38,
                    f"{one['name']} ({one['study']}): {way}ion {one['speeds'][side]:.2f} GB/s, "
                    f"{one['setting']}", **look, label=None if place else f"{way}ion")
        for way, line in zip(WAYS, ("-", "--")):
            values = rates[way].values()
            axes.axhspan(min(values), max(values), color="#BBBBBB", alpha=0.35, linewidth=0,
                         zorder=0)
            axes.axhline(rates[way][MEAN], color="black", linestyle=line, linewidth=0.8,
                         label=f"published {way}ion")
        names_below(axes, [f"harm. mean ({one['study']})" if one["name"] == HARMONIC
                           else one["name"] for one in bars])
        axes.set_ylabel("GB/s")
        papers_unit(axes, "Gb/s", BITS)
        axes.set_title(title)
        axes.grid(axis="y")
    handles, names = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, names, ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def table_2(context):
    chunks, printed = context.published.gfc_ratios()
    item = Item("gfc-table-2", "gfc", "Table 2: ratio by number of chunks",
                f"GFC's compression ratio with {', '.join(map(str, chunks[:-1]))} and {chunks[-1]} "
                "chunks; means are harmonic.")
    studies = context.need(item, "gfc")
    item.table("", chunks_table(context, item.title, studies, chunks, dict(printed)))
    for study in studies:
        item.note(f"{study.name}: {note}" for note in study.notes("gfc"))
    item.note(["If small data sets are cut into many chunks, the chunks consist mostly of padding.",
               "The paper's section 2 says that chunks differ by at most 32 doubles; the ratios of "
               "this table are those of chunks of equal length, of which the last has the rest."])
    context.note_absent(item)
    return item


def chunks_table(context, title, studies, chunks, printed):
    table = Table(title, [("data set", 0), ("from", 0), ("dimensionality", 0, "a mean has none")]
                  + [(counted(number, "chunk"), 5, "not swept") for number in chunks])
    for study in studies:
        sets = {}
        for row in study.rows("gfc"):
            sets.setdefault(row["data_set"], {})[row["chunks"]] = row
        for name, rows in sets.items():
            one = next(iter(rows.values()))
            table.add(name, f"ours ({study.name})", one["dimensionality"],
                      *(rows[number]["ratio"] if number in rows else None for number in chunks))
            if name in printed and context.is_papers(study, name):
                table.add(name, "published", None, *printed.pop(name), why=NOT_PRINTED)
    for name, ratios in printed.items():
        table.add(HARMONIC if name == MEAN else name, "published", None, *ratios, why=NOT_PRINTED)
    return table
