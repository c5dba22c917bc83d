"""The Holt paper: Table II and Figures 4 to 6."""

from statistics import median

from analysis import style
from analysis.context import GPU, PICTURE_ONLY
from analysis.items import Item, Table


def items(context):
    return [table_2(context), figure_4(context), figures_5_6(context)]


def table_2(context):
    item = Item("holt-table-2", "holt", "Table II: compression ratios",
                "In single precision, in our sense (original / compressed bytes: bigger is better) "
                "and in the paper's own (compressed / original: smaller is better).")
    table = Table(item.title, [("data set", 0), ("from", 0), ("bytes", 0), ("ratio", 3),
                               ("compressed / original", 3)])
    ours = {}
    for study in context.need(item, "holt"):
        for name in dict.fromkeys(row["data set"] for row in study.rows("holt")):
            row = study.rows("holt", data_set=name)[-1]  # the whole of it
            cells = (row["bytes"], row["ratio"], row["compressed / original"])
            if context.published.is_papers(name, row["bytes"], "single"):
                ours[name] = (study.name, cells)
            else:
                table.add(name, f"ours ({study.name})", *cells)
    printed = context.published.holt_rows()
    for name, (study, cells) in ours.items():
        if name not in [row[0] for row in printed]:
            table.add(name, f"ours ({study})", *cells)
    for name, size, own in printed:
        table.add(name, "published", size, 1 / own, float(own))
        if name in ours:
            table.add(name, f"ours ({ours[name][0]})", *ours[name][1])
    item.table("", table)
    named = [row[0] for row in printed]
    gone = [name for name in named if name not in ours]
    fetched = [name for name in gone if name in context.published.sets]
    item.lack(f"Our figures of {len(gone)} of the paper's {len(named)} data sets", "Of these "
              f"{', '.join(fetched)}: `fpsynth data fetch NAME`; the others are matrices that the "
              "paper took from a public collection and that have to be brought as files of values "
              "(`fpsynth baseline holt sweep FILE`)")
    item.note(context.machines())
    return item


def figure_4(context):
    item = Item("holt-fig-4", "holt", "Figure 4: throughput by size",
                "Holt's throughput on the first bytes of each data set, single precision, from "
                "memory to memory. The paper's was measured on a GPU.")
    table = Table(item.title, [("data set", 0), ("study", 0), ("where", 0), ("bytes", 0),
                               ("compress GB/s", 3), ("decompress GB/s", 3), ("on", 0)])
    lines = {}
    for study in context.need(item, "holt"):
        for row in study.rows("holt"):
            lines.setdefault((study.name, row["data set"]), []).append(row)
            table.add(row["data set"], study.name, "cpu", row["bytes"], row["compress GB/s"],
                      row["decompress GB/s"], study.machine())
    points = []
    for study, document, row in gpu_rows(context):
        points.append((row["input_bytes"], row))
        table.add(document["dataset"]["name"], study.name, document["run"]["backend"],
                  row["input_bytes"], row["compress"]["gb_per_s"], row["decompress"]["gb_per_s"],
                  document["run"]["device"])
    if lines or points:
        draw_sizes(item, lines, points, context)
        item.table("", table)
    item.note(PICTURE_ONLY)
    if not points:
        item.lack("Holt on a GPU", GPU)
    return item


def gpu_rows(context):
    for study in context.studies:
        for document in study.throughput:
            if document["run"]["backend"] == "cuda":
                for row in document["rows"]:
                    if row["name"] == "Holt":
                        yield study, document, row


def draw_sizes(item, lines, points, context):
    figure, panels = style.new(style.COLUMN, 2.4, ncols=2, sharey=True)
    colour, marker = style.look("Holt")
    longest = max(lines, key=lambda key: len(lines[key]), default=None)
    for axes, way in zip(panels, ("compress", "decompress")):
        for key, rows in lines.items():
            axes.plot([row["bytes"] for row in rows], [row[f"{way} GB/s"] for row in rows],
                      color=colour if key == longest else "#BBBBBB",
                      linewidth=1.3 if key == longest else 0.6,
                      marker=marker if key == longest else None,
                      zorder=3 if key == longest else 2, markersize=3,
                      label=key[1] if key == longest else None)
        for size, row in points:
            axes.plot([size], [row[way]["gb_per_s"]], marker="o", color="black", linestyle="none")
        axes.set_xscale("log", base=2)
        axes.set_xticks([1 << 12, 1 << 16, 1 << 20, 1 << 24], ["4 Ki", "64 Ki", "1 Mi", "16 Mi"])
        axes.minorticks_off()
        axes.set_xlabel("size, bytes")
        axes.set_title(f"{way}ion")
        axes.grid(axis="y")
        axes.set_ylim(bottom=0)
    panels[0].set_ylabel("GB/s")
    texts = [f"Coloured: {longest[1]}; grey: the other data sets." if longest else "",
             "No GPU ran: only the CPU's throughput is drawn. " + PICTURE_ONLY if not points else
             "Black: on a GPU, with transfers."]
    item.figure("", figure, texts + context.machines())


def figures_5_6(context):
    item = Item("holt-figs-5-6", "holt", "Figures 5 and 6: time split between transfer and compute",
                "How the time of compression and decompression on a GPU splits into transfers and "
                "kernels.")
    table = Table(item.title, [("data set", 0), ("direction", 0), ("kernels ms", 3),
                               ("transfers ms", 3), ("on", 0)])
    bars = []
    for _, document, row in gpu_rows(context):
        for way in ("compress", "decompress"):
            times = row[way]
            if "kernel_seconds" in times:
                name = document["dataset"]["name"]
                split = [1000 * median(times[key]) for key in ("kernel_seconds",
                                                               "transfer_seconds")]
                bars.append((f"{name}, {way}ion", split))
                table.add(name, f"{way}ion", *split, document["run"]["device"])
    figure, axes = style.new(style.COLUMN, 1.2 if not bars else 0.22 * len(bars) + 0.9)
    if bars:
        colour, _ = style.look("Holt")
        axes.barh(range(len(bars)), [split[0] for _, split in bars], color=colour, label="kernels")
        axes.barh(range(len(bars)), [split[1] for _, split in bars], color="white", hatch="////",
                  edgecolor=colour, left=[split[0] for _, split in bars], label="transfers")
        axes.set_yticks(range(len(bars)), [name for name, _ in bars])
        axes.set_xlabel("milliseconds (median)")
        axes.legend(ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        item.figure("", figure, [PICTURE_ONLY])
        item.table("", table)
    else:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "No GPU ran: nothing to split.\nOn a CPU there is no transfer.",
                  ha="center", va="center", fontsize=7)
        item.figure("", figure, [GPU.replace("`", "")])
        item.lack("The time split of Holt on a GPU", GPU)
    item.note(PICTURE_ONLY)
    return item
