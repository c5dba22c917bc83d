"""The GFC paper's Figures 4 and 5: compressors in their fastest modes, and GFC against pFPC with
growing tables."""

from analysis import gpu, labels, style
from analysis.absent import NOT_TIMED
from analysis.axes import WAYS, bar, bar_legend, line_handle, papers_unit, ratio_axis, series, \
    size_name, speed_axis
from analysis.context import DRAW, PICTURE_ONLY
from analysis.documents import OURS
from analysis.gfc import BITS, on_cpu
from analysis.items import Item, Table, counted
from analysis.published import MEAN
from analysis.sweeps import SPEEDS, by_set, fitting, over_sets, tables_of, without_small

# The six of Figure 4; those of `compare` in the modes that are the fastest of their programs.
COMPARED = ("bzip2 -1", "gzip -1", "lzop -1")
SWEPT = ("FPC", "pFPC")
HARMONIC_SPEED = "harmonic_mean_compress_gb_per_s"
TINTS = (1.0, 0.55, 0.25)  # of a compressor's colour, by study


def figure_4(context):
    item = Item("gfc-fig-4", "gfc", "Figure 4: harmonic-mean ratio of the compressors in their "
                "fastest modes",
                "Harmonic means of ratios and speeds over a study's data sets, double precision, from "
                "the slowest (left) to the fastest compressor (right) by our speeds. FPC is pFPC "
                "with one thread; both with the smallest tables swept, which fit a processor's "
                "nearest cache. GFC has the most of its paper's numbers of chunks that the data "
                "warrant.")
    bars = [(study, fastest_modes(context, item, study))
            for study in context.need(item, "compare", "gfc", "pfpc-modes")]
    printed = printed_modes(context)
    large = [study for study, _ in bars if context.large(item, study, study.rows("gfc"))]
    if any(found for study, found in bars if study in large):
        item.figure("", draw_modes([(label(study), found) for study, found in bars
                                    if study in large], printed),
                    ["Hatched: published. " + "; ".join(
                        f"{name}: {row['from']}" for name, row in printed.items()) + ".",
                     "The paper prints the other means only in its picture."])
    item.table("", modes_table(item.title, bars, printed))
    item.note("The paper does not name the modes. " + PICTURE_ONLY)
    for study, _ in bars:
        item.note(study_note(study))
    item.note(context.machines())
    context.note_absent(item)
    return item


def label(study):
    """The label of a study's mean: its number of data sets, or the name of the only one."""
    names = [one["name"] for one in study.compared("double")]
    return f"{study.name}: " + (f"{names[0]} alone" if len(names) == 1 else
                                f"{len(names)} data sets")


def fastest_modes(context, item, study):
    """Compressor -> ratio, compression speed, mode, number of data sets."""
    found = {}
    for mean in study.means("double"):
        if mean["compressor"] in COMPARED:
            if HARMONIC_SPEED not in mean:
                item.lack(f"{study.name}: {mean['compressor']}: compare.json has no harmonic mean of "
                          "its speeds", DRAW)
                continue
            found[mean["compressor"]] = {"ratio": mean["harmonic_mean_ratio"], "mode": "",
                                         "speed": mean[HARMONIC_SPEED], "sets": mean["data_sets"]}
    rows = over_sets(study.rows("pfpc-modes"))
    smallest = min(tables_of(rows), default=None)
    swept = [row for row in rows if row["table_bytes"] == smallest]
    for row in swept:
        name = SWEPT[0] if row["threads"] == 1 else SWEPT[1]
        if name == SWEPT[0] or row["threads"] == max(one["threads"] for one in swept):
            found[name] = mode(row, f"{size_name(smallest)} of tables, "
                                    f"{counted(row['threads'], 'thread')}")
    rows, chunks = on_cpu(context, study)
    for row in over_sets(rows):
        found["GFC"] = mode(row, counted(chunks, "chunk"))
    return found


def mode(row, settings):
    return {"ratio": row["ratio"], "speed": row["compress_gb_per_s"], "sets": row["data_sets"],
            "mode": settings}


def printed_modes(context):
    """What the papers' texts and tables have of these modes."""
    size, row = min(context.published.pfpc_modes()[0].items())
    chunks, ratios = context.published.gfc_ratios()
    return {"pFPC": {"ratio": row["ratio"], "speed": row["compress_gb_s"],
                     "mode": f"{size_name(size)} of tables",
                     "sets": len(context.published.pfpc_sets()),
                     "from": f"{len(context.published.pfpc_sets())} data sets, {size_name(size)} of "
                             "tables, text of the pFPC paper"},
            "GFC": {"ratio": ratios[MEAN][-1],
                    "speed": context.published.gfc_throughput()[0]["compress"][MEAN],
                    "mode": counted(chunks[-1], "chunk"), "sets": len(ratios) - 1,
                    "from": f"{len(ratios) - 1} data sets, Table 2"}}


def modes_table(title, bars, printed):
    table = Table(title, [("compressor", 0), ("from", 0), ("mode", 0, "as its name says"),
                          ("data sets", 0), ("harmonic mean CR", 3), ("compress GB/s", 3, NOT_TIMED)])
    for source, found in [(study.name, found) for study, found in bars] + [("published", printed)]:
        for name, row in sorted(found.items(), key=lambda one: one[1]["speed"]):
            table.add(name, source, row["mode"], row["sets"], row["ratio"], row["speed"])
    return table


def draw_modes(bars, printed):
    order = []
    for _, found in bars:
        order += [name for name in sorted(found, key=lambda one: found[one]["speed"])
                  if name not in order]
    bars = [*bars, ("published", printed)]
    figure, axes = style.new(style.PAGE, 2.4)
    width = 0.84 / len(bars)
    looks = []
    for number, (source, found) in enumerate(bars):
        published = source == "published"
        hatch = style.PUBLISHED_HATCH if published else None
        tint = 0.0 if published else TINTS[number % len(TINTS)]
        looks.append((source, {"facecolor": style.tint("#555555", tint), "edgecolor": "#777777",
                               "hatch": hatch}))
        for place, name in enumerate(order):
            if name not in found:
                continue
            colour, _ = style.look(name)
            x, ratio = place + width * (number - (len(bars) - 1) / 2), found[name]["ratio"]
            bar(axes, x, ratio, width * 0.94, f"{name}, {source}: {ratio:.3f} {found[name]['mode']}",
                linewidth=0.7, edgecolor=colour, hatch=hatch,
                facecolor=style.tint(colour, tint))
            axes.annotate(f"{ratio:.2f}", (x, ratio), xytext=(0, 2), textcoords="offset points",
                          ha="center", va="bottom", fontsize=6)
    axes.set_xticks(range(len(order)), order)
    axes.set_ylabel("harmonic-mean ratio")
    axes.set_xlim(-0.6, len(order) - 0.4)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.05)
    bar_legend(axes, looks)
    return figure


def figure_5(context):
    item = Item("gfc-fig-5", "gfc", "Figure 5: throughput versus ratio of GFC and pFPC",
                "GFC, and pFPC with growing tables (slower, with mostly higher ratios), in double "
                "precision; tables are no larger than the data, and GFC has the most of the paper's "
                "numbers of chunks that the data warrant. Hollow: published. If there are several "
                "data sets, ratios and throughputs are harmonic means, as in the paper.")
    printed = printed_points(context)
    points = []
    for study in context.need(item, "gfc", "pfpc-modes"):
        line, others = pfpc_points(study), (gfc_points(context, study) + gpu_points(context, study)
                                            + our_points(study))
        if (line or others) and context.large(item, study, study.rows("pfpc-modes")):
            item.figure(study.name, draw_speeds(line, others, printed),
                        caption(study, line, others, printed))
            points += line + others
        item.note(study_note(study))
    item.table("", points_table(item.title, points + printed))
    gpu.need(context, item, "GFC", "double")
    return item


def study_note(study):
    return without_small(study, "pfpc-modes",
                         size_name(max(tables_of(study.rows("pfpc-modes")), default=0)))


def pfpc_points(study):
    """pFPC on all threads by table size, over the data sets that the largest tables fit."""
    rows = fitting(study.rows("pfpc-modes"))
    threads = max((row["threads"] for row in rows), default=1)
    found = [row for row in rows if row["threads"] == threads]
    return [{"source": study.name, "compressor": "pFPC", "sets": row["data_sets"],
             "mode": f"{size_name(row['table_bytes'])} of tables, "
                     f"{counted(row['threads'], 'thread')}",
             "ratio": row["ratio"], "speeds": [row[key] for key in SPEEDS],
             "on": study.machine("pfpc-modes"), "gpu": False} for row in found]


def gfc_points(context, study):
    rows, chunks = on_cpu(context, study)
    return [{"source": study.name, "compressor": "GFC", "sets": row["data_sets"],
             "mode": counted(chunks, "chunk"), "ratio": row["ratio"],
             "speeds": [row[key] for key in SPEEDS], "on": study.machine("gfc"), "gpu": False}
            for row in over_sets(rows)]


def gpu_points(context, study):
    """GFC on GPUs without transfers, as the paper times it."""
    rows = [(its, row) for its, row in gpu.rows(context, "GFC", "double")
            if its is study and gpu.has_kernels(row)]
    return [{"source": study.name, "compressor": row["compressor"], "mode": "kernels alone",
             "sets": row["data_sets"], "ratio": row["ratio"],
             "speeds": [row[f"{way}_kernels_gb_per_s"] for way in WAYS], "on": row["device"],
             "gpu": True} for _, row in gpu.over_sets(rows)]


def our_points(study):
    """The best searched pipelines and what `compress auto` finds, which the paper has no like of."""
    return [{"source": study.name, "compressor": mean["compressor"], "sets": mean["data_sets"],
             "mode": mean["compressor"], "ratio": mean["harmonic_mean_ratio"],
             "speeds": [mean[f"harmonic_mean_{way}_gb_per_s"] for way in WAYS],
             "on": mean.get("on", study.machine("compare")), "gpu": False} for mean in study.means("double")
            if mean["compressor"].startswith(OURS) and HARMONIC_SPEED in mean]


def printed_points(context):
    rates, hardware = context.published.gfc_throughput()
    chunks, ratios = context.published.gfc_ratios()
    points = [{"compressor": "GFC", "mode": counted(chunks[-1], "chunk"), "sets": len(ratios) - 1,
               "ratio": ratios[MEAN][-1], "speeds": [rates[way][MEAN] for way in WAYS],
               "on": hardware}]
    modes, hardware = context.published.pfpc_modes()
    points += [{"compressor": "pFPC", "mode": f"{size_name(size)} of tables",
                "sets": len(context.published.pfpc_sets()), "ratio": row["ratio"],
                "speeds": [row[f"{way}_gb_s"] for way in WAYS], "on": hardware}
               for size, row in modes.items()]
    return [{"source": "published", "gpu": False, **point} for point in points]


def points_table(title, points):
    table = Table(title, [("from", 0), ("compressor", 0), ("mode", 0), ("data sets", 0),
                          ("ratio", 3), ("compress GB/s", 3), ("decompress GB/s", 3), ("on", 0)])
    for point in points:
        table.add(point["source"], point["compressor"], point["mode"], point["sets"],
                  point["ratio"], *point["speeds"], point["on"])
    return table


def tip_of(point, side):
    return (f"{point['compressor']} ({point['source']}), {point['mode']}: ratio "
            f"{point['ratio']:.3f}, {point['speeds'][side]:.3g} GB/s")


def draw_speeds(line, points, printed):
    figure, panels = style.new(style.PAGE * 0.75, 2.6, ncols=2, sharey=True)
    for side, (axes, way) in enumerate(zip(panels, WAYS)):
        colour, marker = style.look("pFPC")
        series(axes, [(point["ratio"], point["speeds"][side]) for point in line],
               [tip_of(point, side) for point in line], color=colour, marker=marker)
        for point in points:
            style.point(axes, point["ratio"], point["speeds"][side], point["compressor"],
                        tip=tip_of(point, side),
                        **({"markeredgecolor": "black", "size": 6.5} if point["gpu"] else {}))
        for point in printed:
            style.point(axes, point["ratio"], point["speeds"][side], point["compressor"], True,
                        tip=tip_of(point, side))
        axes.set_yscale("log")
        axes.set_xlabel("compression ratio")
        axes.set_title(f"{way}ion")
        axes.grid()
        ratio_axis(axes, [point["ratio"] for point in line + points + printed], 7)
    speed_axis(panels[0])
    panels[0].set_ylabel("GB/s")
    papers_unit(panels[1], "Gb/s, the paper's unit", BITS)
    for side, axes in enumerate(panels):
        labels.place(axes, [(point["ratio"], point["speeds"][side], point["mode"].split(" of ")[0]
                             if point in line[:1] + line[-1:] or point["mode"] == point["compressor"]
                             else "")
                            for point in line + points + printed], style.SMALL)
    looks = [(name, hollow) for hollow in (False, True) for name in ("GFC", "pFPC")]
    figure.legend(handles=[line_handle(f"{name}, published" if hollow else name, linestyle="none",
                                       color=style.look(name)[0], marker=style.look(name)[1],
                                       **({"markerfacecolor": "none"} if hollow else {}))
                           for name, hollow in looks],
                  ncol=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def caption(study, line, points, printed):
    sets = max((point["sets"] for point in line + points), default=0)
    names = sorted({row["data_set"] for row in by_set(study.rows("gfc"))})
    which = f"{names[0]} alone" if len(names) == 1 else f"at most {counted(sets, 'data set')}"
    gpus = ", ".join(dict.fromkeys(point["on"] for point in points if point["gpu"]))
    apart = "; ".join(f"{point['mode']} on {point['on']}" for point in points if point["compressor"].startswith(OURS)
                      and point["on"] != study.machine())
    cpu = ", ".join(point["mode"] for point in points
                    if not point["gpu"] and point["compressor"] == "GFC")
    return [f"Filled: ours ({study.name}, {which}; {study.machine()}{apart and '; ' + apart}); GFC with {cpu}."
            + (f" Black edge: GFC's kernels without transfers on {gpus}." if gpus else
               " GFC was not timed on a GPU."),
            "Hollow: published, " + "; ".join(dict.fromkeys(
                f"{point['compressor']} over {counted(point['sets'], 'data set')} on {point['on']}"
                for point in printed)) + "."]
