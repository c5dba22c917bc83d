"""The GFC paper: Figures 2, 4, 5 and 6, and Table 2."""

from analysis import style
from analysis.context import GPU, PICTURE_ONLY
from analysis.items import Item, Table
from analysis.mpc import legend, ratio_axis
from analysis.published import MEAN

# Figure 4's compressors. The paper ran them in their fastest modes, which it does not name.
SIX = ("bzip2", "gzip", "lzop", "FPC", "pFPC", "GFC")


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
            sets.setdefault((row["data set"], row["dimensionality"]), []).append(row["share %"])
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
                    title_fontsize=6)
        item.figure("", figure, [PICTURE_ONLY])
        item.table("", table)
    item.note(PICTURE_ONLY)
    context.note_absent(item)
    return item


def figure_4(context):
    item = Item("gfc-fig-4", "gfc", "Figure 4: harmonic-mean ratio of the compressors",
                "Harmonic mean of the ratios over the data sets of a study, double precision; the "
                "compressors from the slowest to the fastest of ours. Hatched: published by the MPC "
                "paper over its 13 data sets.")
    table = Table(item.title, [("compressor", 0), ("from", 0), ("harmonic mean CR", 3),
                               ("compress GB/s", 3)])
    bars, order = [], []
    for study in context.need(item, "compare"):
        means = {}
        for mean in study.means("double"):
            name = mean["compressor"]
            if any(name.startswith(one) for one in (*SIX, "MPC", "best searched")):
                means[name] = mean
        for name in sorted(means, key=lambda one: means[one]["mean_compress_gb_per_s"]):
            if name not in order:
                order.append(name)
        bars.append((study.name, {name: mean["harmonic_mean_ratio"] for name, mean in means.items()}))
        for name, mean in means.items():
            table.add(name, study.name, mean["harmonic_mean_ratio"],
                      mean["mean_compress_gb_per_s"])
    printed = {name: row[MEAN] for name, row in context.published.ratios("double").items()}
    printed["best searched"] = context.published.best("double", "Best")[0]
    for name in printed:
        if name not in order:
            order.append(name)
        table.add(name, "published (MPC paper, 13 data sets)", printed[name],
                  context.published.throughput(name, "double", "compress"))
    draw_means(item, order, [*bars, ("published", printed)])
    item.table("", table)
    item.note("The paper's own figure is of the compressors' fastest modes; the best modes are "
              "those of the MPC paper's Table III. " + PICTURE_ONLY)
    item.note(context.machines())
    context.note_absent(item)
    return item


def draw_means(item, order, bars):
    figure, axes = style.new(style.PAGE, 2.2)
    width = 0.84 / len(bars)
    hatches = [None, "....", "xxxx", "\\\\\\\\"]
    tops = [value for _, means in bars for value in means.values()]
    limit = 2.5 * sorted(tops)[len(tops) // 2]
    for number, (source, means) in enumerate(bars):
        for place, name in enumerate(order):
            if name not in means:
                continue
            colour, _ = style.look(name)
            published = source == "published"
            x = place + width * (number - (len(bars) - 1) / 2)
            axes.bar(x, min(means[name], limit), width * 0.94, linewidth=0.7, edgecolor=colour,
                     facecolor="white" if published or number else colour,
                     hatch=style.PUBLISHED_HATCH if published else hatches[number])
            axes.text(x, min(means[name], limit), f"{means[name]:.2f}", ha="center", va="bottom",
                      fontsize=5, rotation=90 if len(bars) > 3 else 0)
    axes.set_xticks(range(len(order)), order, rotation=20, ha="right", rotation_mode="anchor")
    axes.set_ylabel("harmonic-mean ratio")
    axes.set_xlim(-0.6, len(order) - 0.4)
    axes.set_ylim(0, limit * 1.1)
    from matplotlib.patches import Patch
    handles = [Patch(facecolor="#555555" if not number else "white", edgecolor="#555555",
                     hatch=style.PUBLISHED_HATCH if source == "published" else hatches[number],
                     label=source) for number, (source, _) in enumerate(bars)]
    axes.legend(handles=handles, ncol=len(bars), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    item.figure("", figure, ["Published: MPC paper, Table III (13 data sets). Each bar's value is "
                             "above it; the axis is cut where one is far above the others."])


def figure_5(context):
    item = Item("gfc-fig-5", "gfc", "Figure 5: throughput versus ratio of GFC and pFPC",
                "GFC, and pFPC with growing tables (from left to right: slower and, on the whole, "
                "better), in double precision. Hollow: published harmonic means.")
    table = Table(item.title, [("study", 0), ("compressor", 0), ("mode", 0), ("ratio", 3),
                               ("compress GB/s", 3), ("decompress GB/s", 3), ("on", 0)])
    for study in context.need(item, "compare", "pfpc-modes"):
        modes = mean_rows(study, "pfpc-modes")
        gfc = [mean for mean in study.means("double") if mean["compressor"] == "GFC"]
        figure, panels = style.new(style.COLUMN, 2.5, ncols=2, sharey=True)
        for axes, way in zip(panels, ("compress", "decompress")):
            colour, marker = style.look("pFPC")
            axes.plot([row["ratio"] for row in modes], [row[f"{way} GB/s"] for row in modes],
                      marker=marker, color=colour)
            for row in gfc:
                style.point(axes, row["harmonic_mean_ratio"], row[f"mean_{way}_gb_per_s"], "GFC")
            for compressor, ratio, speeds, _, _ in printed_points(context):
                style.point(axes, ratio, speeds[way], compressor, True)
            axes.set_yscale("log")
            axes.set_xlabel("compression ratio")
            axes.set_title(f"{way}ion")
            axes.grid()
            ratio_axis(axes, [row["ratio"] for row in modes]
                       + [row["harmonic_mean_ratio"] for row in gfc]
                       + [ratio for _, ratio, _, _, _ in printed_points(context)], 7)
        panels[0].set_ylabel("GB/s")
        legend(panels[0], ["GFC", "pFPC"], ncol=2, at=(1.0, 1.12))
        printed = printed_points(context)
        item.figure(study.name, figure,
                    [f"Filled: ours ({study.name}; {study.machine()}). Hollow: published, over 13 "
                     "(GFC) and 9 (pFPC) data sets, on "
                     + ", ".join(dict.fromkeys(f"{hardware} ({name})"
                                               for name, _, _, hardware, _ in printed)) + "."])
        for row in modes:
            table.add(study.name, "pFPC", f"2^{row['table bits']} entries, {row['threads']} threads",
                      row["ratio"], row["compress GB/s"], row["decompress GB/s"], study.machine())
        for row in gfc:
            table.add(study.name, "GFC", "", row["harmonic_mean_ratio"],
                      row["mean_compress_gb_per_s"], row["mean_decompress_gb_per_s"],
                      study.machine())
    for compressor, ratio, speeds, hardware, mode in printed_points(context):
        table.add("published", compressor, mode, ratio, speeds["compress"], speeds["decompress"],
                  hardware)
    item.table("", table)
    item.note("Ours on a CPU: means over data sets as in the documents (harmonic for ratios; pFPC's "
              "throughputs harmonic, GFC's arithmetic).")
    need_gpu(context, item, "GFC")
    return item


def printed_points(context):
    """Published (compressor, ratio, speeds, hardware, mode)."""
    rates, hardware = context.published.gfc_throughput()
    _, ratios = context.published.gfc_ratios()
    points = [("GFC", ratios[MEAN][-1], {"compress": rates["compress_har_mean"],
                                         "decompress": rates["decompress_har_mean"]}, hardware, "")]
    modes, hardware = context.published.pfpc_modes()
    for name, row in modes:
        points.append(("pFPC", row["ratio"], {"compress": row["compress_gb_s"],
                                              "decompress": row["decompress_gb_s"]}, hardware,
                       f"{name} of tables"))
    return points


def mean_rows(study, stem):
    """A sweep's rows of means; those of the one data set where there is one."""
    return study.rows(stem, data_set="harmonic mean") or study.rows(stem)


def need_gpu(context, item, compressor):
    """Says so where no GPU ran a compressor."""
    for study in context.studies:
        for document in study.throughput:
            if document["run"]["backend"] == "cuda" and \
                    any(row["name"] == compressor for row in document["rows"]):
                return
    item.lack(f"{compressor} on a GPU", GPU)


def figure_6(context):
    item = Item("gfc-fig-6", "gfc", "Figure 6: throughput of GFC by data set",
                "Compression and decompression throughput of GFC, from memory to memory; where a "
                "GPU ran, its kernels alone as well.")
    table = Table(item.title, [("data set", 0), ("study", 0), ("where", 0), ("compress GB/s", 3),
                               ("decompress GB/s", 3), ("on", 0)])
    bars = []
    for study in context.need(item, "compare"):
        for one in study.compared("double"):
            for row in one["rows"]:
                if row["compressor"] == "GFC" and "ratio" in row:
                    bars.append((one["name"], "cpu", row["compress"]["gb_per_s"],
                                 row["decompress"]["gb_per_s"]))
                    table.add(one["name"], study.name, "cpu", *bars[-1][2:], study.machine())
        for document in study.throughput:
            run = document["run"]
            for row in document["rows"]:
                if row["name"] != "GFC" or run["backend"] == "cpu":
                    continue
                name = document["dataset"]["name"]
                for where, key in ((run["backend"], "gb_per_s"),
                                   (f"{run['backend']} kernels", "kernel_gb_per_s")):
                    if key in row["compress"]:
                        bars.append((name, where, row["compress"][key], row["decompress"][key]))
                        table.add(name, study.name, where, *bars[-1][2:], run["device"])
    rates, hardware = context.published.gfc_throughput()
    figure, axes = style.new(style.PAGE, 2.3)
    colour, _ = style.look("GFC")
    labels = []
    for place, (name, where, compress, decompress) in enumerate(bars):
        axes.bar(place - 0.2, compress, 0.38, color=colour, edgecolor="black", linewidth=0.4,
                 label=None if place else "compression")
        axes.bar(place + 0.2, decompress, 0.38, color="white", edgecolor=colour, hatch="....",
                 linewidth=0.7, label=None if place else "decompression")
        labels.append(name if where == "cpu" else f"{name}, {where}")
    axes.set_xticks(range(len(labels)), labels, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_ylabel("throughput, GB/s")
    axes.set_xlim(-0.7, max(len(bars), 1) - 0.3)
    axes.grid(axis="y")
    for key, line in (("compress_har_mean", "-"), ("decompress_har_mean", "--")):
        axes.axhline(rates[key], color="black", linestyle=line, linewidth=0.8,
                     label=f"published {key.split('_')[0]}ion ({hardware})")
        table.add("harmonic mean", "published", "gpu", *(
            (rates[key], None) if key.startswith("c") else (None, rates[key])), hardware)
    axes.legend(ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    item.figure("", figure, [f"Lines: published harmonic means over 13 data sets, on {hardware}."]
                + context.machines())
    item.table("", table)
    item.note("The paper's throughputs by data set are a picture only; its harmonic means are in "
              "its text.")
    need_gpu(context, item, "GFC")
    context.note_absent(item)
    return item


def table_2(context):
    item = Item("gfc-table-2", "gfc", "Table 2: ratio by number of chunks",
                "GFC's compression ratio with 1, 10, 100 and 1000 chunks.")
    chunks, printed = context.published.gfc_ratios()
    table = Table(item.title, [("data set", 0), ("from", 0), ("dimensionality", 0)]
                  + [(f"{number} chunks", 5) for number in chunks])
    printed = dict(printed)
    for study in context.need(item, "gfc"):
        sets = {}
        for row in study.rows("gfc"):
            sets.setdefault(row["data set"], {})[row["chunks"]] = row
        for name, rows in sets.items():
            one = next(iter(rows.values()))
            table.add(name, f"ours ({study.name})", one["dimensionality"],
                      *(rows[number]["ratio"] if number in rows else None for number in chunks))
            if name in printed and context.is_papers(study, name):
                table.add(name, "published", None, *printed.pop(name))
        item.note(f"{study.name}: {note}" for note in study.notes("gfc"))
    for name, ratios in printed.items():
        table.add("harmonic mean" if name == MEAN else name, "published", None, *ratios)
    item.table("", table)
    item.note("Sets of few values are mostly padding where they are cut into many chunks.")
    context.note_absent(item)
    return item
