"""The MPC paper: Tables I to V, Figures 1 and 2, and the observations of section V.A."""

from math import log2

from analysis import style
from analysis.context import PICTURE_ONLY, PRECISIONS, TABLE_ROWS
from analysis.items import Item, Table
from analysis.published import BEST, MEAN

STATISTICS = [("size MB", 1), ("values millions", 2), ("unique %", 1), ("entropy bits", 2),
              ("randomness %", 1)]
PRINTED = ["size_mb", "doubles_millions", "unique_percent", "entropy_bits", "randomness_percent"]


def items(context):
    return [table_1(context), table_2(context), tables_3_4(context), table_5(context),
            figure_2(context)]


def table_1(context):
    item = Item("mpc-table-1", "mpc", "Table I: information about the data sets",
                "Size, unique values, first-order entropy and randomness of the data sets, in "
                "double precision.")
    statistics(context, item, context.published.sets)
    return item


def statistics(context, item, names):
    """The statistics of a paper's data sets, ours beside them, then those of ours alone."""
    table = Table(item.title, [("data set", 0), ("from", 0)] + STATISTICS)
    ours = {}
    others = []
    for study in context.need(item, "statistics"):
        for row in study.rows("statistics", precision="double"):
            cells = [float(row[name]) for name, _ in STATISTICS]
            if context.published.is_papers(row["data set"], row["bytes"], "double"):
                ours[row["data set"]] = cells
            else:
                others.append((row["data set"], study.name, cells))
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
                "CR is original by compressed bytes. | is the cut: stages before it work on words, "
                "those after it on bytes. Best has the highest harmonic mean over all data sets of "
                "a study.")
    table = Table(item.title, [("data set", 0), ("study", 0), ("precision", 0), ("CR", 3),
                               ("pipeline", 0), ("published CR", 3), ("published pipeline", 0)])
    seen = set()
    for study in context.need(item, "best"):
        for row in study.rows("best"):
            name = row["data set"]
            for precision in PRECISIONS:
                if row[f"{precision} CR"] is None:
                    continue
                printed = (None, None)
                if name != BEST and context.is_papers(study, name, precision):
                    printed = context.published.best(precision, name)
                    seen.add((name, precision))
                table.add(name, study.name, precision, row[f"{precision} CR"],
                          row[f"{precision} pipeline"], *printed)
        item.note(f"{study.name}: {note}" for note in study.notes("best"))
    for precision in PRECISIONS:
        for name in [*context.published.sets, BEST]:
            if (name, precision) not in seen:
                table.add(name, "the paper's", precision, None, None,
                          *context.published.best(precision, name))
    item.table("", table)
    context.note_absent(item)
    return item


def tables_3_4(context):
    item = Item("mpc-tables-3-4", "mpc", "Tables III and IV: compression ratios",
                "Ratios of the papers' compressors, general-purpose ones and the best searched "
                "pipeline, by data set. In parentheses and hollow: published. HarMean is the "
                "harmonic mean over the data sets of the line's study, or the paper's 13.")
    studies = context.need(item, "compare")
    for precision, number in zip(PRECISIONS, ("III", "IV")):
        lines = ratio_lines(context, studies, precision)
        draw_ratios(context, item, lines, precision, number)
        ratio_tables(item, lines, precision, number)
    for study in studies:
        for lost in study.comparison()["missing"]:
            item.lack(f"{study.name}: {lost['compressor']}", f"{lost['reason']}")
        item.note(f"{study.name}: {note}" for note in study.comparison()["notes"])
        for one in study.compared("double") + study.compared("single"):
            for row in one["rows"]:
                if row["compressor"] == "best searched":
                    item.note(f"{one['name']}, {one['precision']}: the best searched is "
                              f"{row['pipeline']}")
                for key in ("refused", "failure"):
                    if key in row:
                        item.note(f"{one['name']}: {row['compressor']}: {row[key]}")
    item.note(context.machines())
    context.note_absent(item)
    return item


def ratio_lines(context, studies, precision):
    """(name, study, {compressor: ours}, {compressor: published}) for each line of the table."""
    lines, seen = [], set()
    for study in studies:
        for one in study.compared(precision):
            ours = {row["compressor"]: row["ratio"] for row in one["rows"] if "ratio" in row}
            printed = {}
            if context.published.is_papers(one["name"], one["bytes"], precision):
                printed = printed_ratios(context, precision, one["name"])
                seen.add(one["name"])
            lines.append((one["name"], study.name, ours, printed))
        if len(study.compared(precision)) > 1:
            lines.append(("HarMean", study.name, {mean["compressor"]: mean["harmonic_mean_ratio"]
                                                  for mean in study.means(precision)}, {}))
    for name in context.published.sets:
        if name not in seen:
            lines.append((name, "the paper's", {}, printed_ratios(context, precision, name)))
    lines.append(("HarMean", "the paper's", {}, printed_ratios(context, precision, MEAN)))
    return lines


def printed_ratios(context, precision, name):
    found = {}
    for compressor in TABLE_ROWS:
        key = BEST if compressor == "best searched" and name == MEAN else name
        ratio = context.published.ratio(precision, compressor, key)
        if ratio is not None:
            found[compressor] = ratio
    return found


def draw_ratios(context, item, lines, precision, number):
    figure, axes = style.new(style.PAGE, 0.155 * len(lines) + 0.75)
    for place, (_, _, ours, printed) in enumerate(lines):
        for ratios, is_printed in ((ours, False), (printed, True)):
            # Where there are both, published ones stand a little lower.
            height = place + (0.22 if is_printed else -0.16) * bool(ours and printed)
            for compressor in TABLE_ROWS:
                if compressor in ratios:
                    style.point(axes, ratios[compressor], height, compressor, is_printed)
    axes.set_yticks(range(len(lines)),
                    [f"{name} ({study})" if name == "HarMean" else name
                     for name, study, _, _ in lines])
    split_studies(axes, [study for _, study, _, _ in lines])
    axes.set_ylim(len(lines) - 0.4, -0.6)
    ratio_axis(axes, [value for _, _, ours, printed in lines for both in (ours, printed)
                      for key, value in both.items() if key in TABLE_ROWS])
    axes.set_xlabel(f"compression ratio, {precision} precision (original / compressed bytes)")
    axes.grid(axis="x")
    shown = [one for one in TABLE_ROWS if any(one in o or one in p for _, _, o, p in lines)]
    legend(axes, shown, ncol=len(shown) if len(shown) < 7 else 5)
    item.figure(precision, figure,
                [f"Table {number}. Filled: ours. Hollow: published ({context.published.citation('mpc')})."]
                + context.samples())


def split_studies(axes, studies):
    """A line between those of one study and the next, and the name of each at its first line."""
    for place, study in enumerate(studies):
        if not place or studies[place - 1] != study:
            axes.annotate(study, (1, place), xycoords=("axes fraction", "data"), xytext=(3, 0),
                          textcoords="offset points", fontsize=6, va="center", color="#444444")
    for place in range(1, len(studies)):
        if studies[place] != studies[place - 1]:
            axes.axhline(place - 0.5, color="#999999", linewidth=0.6)


ROUND = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 0.5, 0.25, 1.5, 3, 6, 12, 24, 1.2, 0.8, 10, 1.4,
         0.9, 0.7, 2.5, 5, 1.6, 1.8, 0.6, 1.1, 1.3)  # the first ones rather than the later


def ratio_ticks(low, high, room):
    """Round ratios in a range of which no two are nearer than a part of it on a logarithmic
    axis."""
    ticks = []
    for tick in ROUND:
        if low <= tick <= high and all(abs(log2(tick / other)) > log2(high / low) / room
                                       for other in ticks):
            ticks.append(tick)
    return sorted(ticks)


def ratio_axis(axes, values, room=18):
    """A logarithmic axis that is labelled with ratios."""
    axes.set_xscale("log", base=2)
    low, high = min(values, default=1) / 1.05, max(values, default=2) * 1.08
    axes.set_xlim(low, high)
    ticks = ratio_ticks(low, high, room)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def legend(axes, compressors, ncol=3, at=(0.5, 1.0)):
    """The compressors of a figure, above it."""
    from matplotlib.lines import Line2D
    handles = []
    for compressor in compressors:
        colour, marker = style.look(compressor)
        handles.append(Line2D([], [], color=colour, marker=marker, linestyle="none",
                              label=compressor))
    axes.legend(handles=handles, ncol=ncol, loc="lower center", bbox_to_anchor=at,
                columnspacing=1.2, handletextpad=0.2)


def ratio_tables(item, lines, precision, number):
    order = list(TABLE_ROWS)
    for _, _, ours, _ in lines:
        order += [name for name in ours if name not in order and name != "memcpy"]
    table = Table(f"Table {number}: ratios in {precision} precision",
                  [("data set", 0), ("study", 0), ("from", 0)] + [(name, 3) for name in order])
    for name, study, ours, printed in lines:
        if ours:
            table.add(name, study, "ours", *(ours.get(one) for one in order))
        if printed:
            table.add(name, study, "published", *(printed.get(one) for one in order))
    item.table(precision, table)


def table_5(context):
    item = Item("mpc-table-5", "mpc", "Table V: average throughput",
                "GB/s (1e9 original bytes per second), from memory to memory, averaged over the "
                "data sets of a study.")
    table = Table(item.title, [("compressor", 0), ("from", 0)]
                  + [(f"{precision} {way} GB/s", 3) for precision in PRECISIONS
                     for way in ("compress", "decompress")] + [("on", 0)])
    hardware = context.published.throughput_hardware()
    for compressor, row in context.published.throughputs().items():
        table.add(compressor, "published", *row, hardware)
    for study in context.need(item, "compare"):
        means = {precision: {mean["compressor"]: mean for mean in study.means(precision)}
                 for precision in PRECISIONS}
        names = list(means["double"]) + [one for one in means["single"]
                                         if one not in means["double"]]
        for name in names:
            cells = [means[precision].get(name, {}).get(f"mean_{way}_gb_per_s")
                     for precision in PRECISIONS for way in ("compress", "decompress")]
            table.add(name, f"ours ({study.name})", *cells, study.machine())
        item.note(f"{study.name}: median of {study.comparison()['repetitions']} repetitions; "
                  "every round trip verified")
    item.table("", table)
    return item


def figure_2(context):
    item = Item("mpc-fig-2", "mpc", "Figure 2: fewer stages",
                "The best ratio with at most 1, 2 and 3 stages, relative to the best with 4 "
                "(in percent). Best is the pipeline with the highest harmonic mean of a study.")
    table = Table(item.title, [("data set", 0), ("study", 0), ("precision", 0)]
                  + [(f"CR {n}", 3) for n in (1, 2, 3, 4)]
                  + [(f"share {n} %", 1) for n in (1, 2, 3)])
    bars = {precision: [] for precision in PRECISIONS}
    for study in context.need(item, "stages"):
        for row in study.rows("stages"):
            shares = [row.get(f"share {n} %") for n in (1, 2, 3)]
            table.add(row["data set"], study.name, row["precision"],
                      *(row.get(f"CR {n}") for n in (1, 2, 3, 4)), *shares)
            if row["data set"] != BEST or len(study.searched()) > 1:
                bars[row["precision"]].append((row["data set"], study.name, shares))
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
    axes.set_xticks(range(len(bars)), [f"{name}" if name != BEST else f"Best ({study})"
                                       for name, study, _ in bars], rotation=40, ha="right",
                    rotation_mode="anchor")
    for place in range(1, len(bars)):
        if bars[place][1] != bars[place - 1][1]:
            axes.axvline(place - 0.5, color="#999999", linewidth=0.6)
    axes.set_ylabel("ratio relative to\n4 stages, %")
    axes.grid(axis="y")
    axes.legend(ncol=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    item.figure(precision, figure, [f"{precision.capitalize()} precision; the axis does not start "
                                    "at zero. " + PICTURE_ONLY] + context.samples())
