"""The MPC paper: Tables II and V, Figure 2. Table I is in information.py, Tables III and IV in
ratios.py, Figure 1 in chains.py, section V.A in observations.py."""

from analysis import gpu, style
from analysis.absent import FEWER_STAGES, NO_DATA, NOT_PAPERS, NOT_PRINTED, NOT_TIMED, of_compressor
from analysis.axes import WAYS, bar, bar_legend, names_below, room_for
from analysis.context import PICTURE_ONLY, PRECISIONS
from analysis.items import Item, Table, counted
from analysis.published import BEST

# By number of stages: blue up to the paper's four, then brown, so that grey print tells them apart.
STAGES = {1: "#C6D8EA", 2: "#5B9BD0", 3: "#12406B", 4: "#0A2540",
          5: "#F1D9B5", 6: "#D9A05B", 7: "#A86420", 8: "#5E340B"}
PAPERS_STAGES = 4
RING = {"marker": "o", "markersize": 2.6, "markerfacecolor": "white", "color": "#5E340B",
        "markeredgewidth": 0.6, "linestyle": "none", "zorder": 3}


def table_2(context):
    item = Item("mpc-table-2", "mpc", "Table II: best four-stage pipeline of each data set",
                "CR is original / compressed bytes. | is the cut: stages before it work on words, "
                "those after it on bytes. Best is the pipeline with the highest harmonic mean over "
                "all data sets of a study.")
    table = Table(item.title, [("data set", 0), ("study", 0), ("precision", 0), ("CR", 3),
                               ("pipeline", 0), ("searched in", 0),
                               ("published CR", 3, NOT_PAPERS),
                               ("published pipeline", 0, NOT_PAPERS)])
    seen = set()
    for study in context.need(item, "best"):
        for row in study.rows("best"):
            name = row["data_set"]
            for precision in PRECISIONS:
                if row[f"{precision}_ratio"] is None:
                    continue
                printed = (None, None)
                if name != BEST and context.is_papers(study, name, precision):
                    printed = printed_best(context, precision, name)
                    seen.add((name, precision))
                table.add(name + study.mark(name, precision), study.name, precision,
                          row[f"{precision}_ratio"], row[f"{precision}_pipeline"],
                          study.extent(name, precision), *printed)
        item.note(f"{study.name}: {note}" for note in study.notes("best"))
    for precision in PRECISIONS:
        for name in [*context.published.sets, BEST]:
            if (name, precision) not in seen:
                table.add(name, "the paper's", precision, None, None, None,
                          *printed_best(context, precision, name), why=NO_DATA)
    item.table("", table)
    item.note(context.published.inferences())
    item.note(context.samples())
    context.note_absent(item)
    return item


def printed_best(context, precision, name):
    """The published ratio and pipeline, which is marked if its cut was inferred."""
    ratio, text = context.published.best(precision, name)
    return ratio, text and text + context.published.inferred(precision, name)


def table_5(context):
    item = Item("mpc-table-5", "mpc", "Table V: average throughput",
                "GB/s (1e9 original bytes per second), arithmetic means over the data sets of a study; "
                "the paper does not say which mean its averages are. CPU "
                "throughputs are from memory to memory. GPU throughputs are those of the kernels "
                "alone, as in the paper, and those from host memory to host memory, with "
                "transfers.")
    table = Table(item.title, [("compressor", 0), ("from", 0)]
                  + [(f"{precision} {way} GB/s", 3) for precision in PRECISIONS
                     for way in WAYS] + [("on", 0)])
    for compressor, row in context.published.throughputs().items():
        table.add(compressor, "published", *row, context.published.throughput_hardware(compressor),
                  why=NOT_PRINTED)
    for study in context.need(item, "compare"):
        means = {precision: {mean["compressor"]: mean for mean in study.means(precision)}
                 for precision in PRECISIONS}
        for name in dict.fromkeys([*means["double"], *means["single"]]):
            cells = [means[precision][name][f"mean_{way}_gb_per_s"] if name in means[precision] else
                     of_compressor(study, name, precision)
                     for precision in PRECISIONS for way in WAYS]
            mark = study.mark() if name == "best searched" else ""
            table.add(name + mark, f"ours ({study.name})", *cells, on_cpu(study, name))
        item.note(f"{study.name}: median of {counted(study.comparison()['repetitions'], 'repetition')}; "
                  "every round trip verified")
    for study in context.studies:
        on_gpus(study, table)
    item.table("", table)
    item.note(context.samples())
    for compressor in ("MPC", "GFC"):
        gpu.need(context, item, compressor, "double")
    return item


def on_cpu(study, compressor):
    """The machine and the threads with which `compare` ran a compressor."""
    threads = max((row.get("threads", 1) for precision in PRECISIONS
                   for one in study.compared(precision) for row in one["rows"]
                   if row["compressor"] == compressor), default=1)
    return f"{study.comparison()['machine']['cpu']}, {threads} thread{'s' if threads > 1 else ''}"


def on_gpus(study, table):
    """Adds two rows for each compressor on a GPU: without and with transfers."""
    found = {}
    for precision in PRECISIONS:
        for row in study.timed_on(gpu.BACKEND, precision):
            key = (row["compressor"], row["how"], row["device"])
            found.setdefault(key, {})[precision] = row
    for (name, how, device), rows in found.items():
        for what, text in (("_kernels", "without transfers"), ("", "with transfers")):
            cells = [rows.get(precision, {}).get(f"{way}{what}_gb_per_s")
                     for precision in PRECISIONS for way in WAYS]
            if any(cell is not None for cell in cells):
                table.add(name if how == "library" else f"{name} ({how})",
                          f"ours ({study.name})", *cells, f"{device}, {text}", why=NOT_TIMED)


def figure_2(context):
    item = Item("mpc-fig-2", "mpc", "Figure 2: fewer stages",
                "The best ratio with at most 1, 2, ... stages, relative to the best with all that "
                "were searched, in the paper 4 (in percent). Best is the pipeline with the highest harmonic mean of a study.")
    studies = context.need(item, "stages")
    add_stages(item, studies, [PICTURE_ONLY] + context.samples())
    for study in studies:
        item.note(f"{study.name}: {note}" for note in study.notes("stages"))
    item.note(PICTURE_ONLY)
    context.note_absent(item)
    return item


def add_stages(item, studies, notes=()):
    """The figures of each precision, with notes in their captions, and the table."""
    for precision in PRECISIONS:
        bars = shares_by_stages(studies, precision)
        if bars:
            item.figure(precision, draw_stages(bars, base_of(studies)),
                        [f"{precision.capitalize()} precision; the axis does not start at zero.",
                         *notes])
    item.table("", stages_table(item.title, studies))


def stages_of(study):
    """The number of stages that a study searched; 1 if it has no row."""
    return max((int(key.removeprefix("ratio_")) for row in study.rows("stages") for key in row
                if key.startswith("ratio_")), default=1)


def base_of(studies):
    """The number of stages with whose ratio the others are compared; 0 if studies differ in it."""
    found = {stages_of(study) for study in studies if study.rows("stages")}
    return found.pop() if len(found) == 1 else 0


def shares_by_stages(studies, precision):
    """(name, study, shares in percent by number of stages) of every data set and Best. Of what a
    race has left, no share is known, and it has no bars."""
    found = []
    for study, row in once(studies, "stages", precision):
        name = row["data_set"]
        shares = {n: row.get(f"share_{n}_percent") for n in range(1, stages_of(study))}
        if (name == BEST and len(study.searched()) == 1) or not any(shares.values()):
            continue
        shown = f"{BEST} ({study.name})" if name == BEST else name
        found.append((shown + study.mark(name, precision), study.name, shares))
    return found


def once(studies, stem, precision):
    """(study, row) of a document's rows: data of several studies once, of a whole search if there is
    one."""
    seen = set()
    for study in sorted(studies, key=lambda one: one.part() != ""):
        for row in study.rows(stem, precision=precision):
            name = row["data_set"]
            runs = study.rows("runs", data_set=name, precision=precision)
            data = (study.name if name == BEST else name, *(run["bytes"] for run in runs))
            if data not in seen:
                seen.add(data)
                yield study, row


def stages_table(title, studies):
    numbers = range(1, 1 + max(map(stages_of, studies), default=1))
    table = Table(title, [("data set", 0), ("study", 0), ("precision", 0), ("searched in", 0)]
                  + [(f"CR {n}", 3, FEWER_STAGES) for n in numbers]
                  + [(f"share {n} %", 1, FEWER_STAGES) for n in numbers[:-1]])
    for study in studies:
        for row in study.rows("stages"):
            where = (row["data_set"], row["precision"])
            table.add(row["data_set"] + study.mark(*where), study.name, row["precision"],
                      study.extent(*where), *(row.get(f"ratio_{n}") for n in numbers),
                      *(row.get(f"share_{n}_percent") for n in numbers[:-1]))
    return table


def draw_stages(bars, base=PAPERS_STAGES, raced=frozenset()):
    """Bars of (name, study, shares of the ratio with `base` stages, 0 for all that the study searched,
    by number of stages). `raced` has the (name, study, number) of those that a race found, which get a
    ring on top."""
    names = [name for name, _, _ in bars]
    numbers = sorted({number for _, _, shares in bars for number in shares})
    figure, axes = style.new(style.PAGE, 2.3 + room_for(names))
    apart = 0.81 / max(1, len(numbers))
    for place, (name, study, shares) in enumerate(bars):
        for number, share in shares.items():
            if share is None:
                continue
            x = place + apart * (numbers.index(number) - (len(numbers) - 1) / 2)
            its = (name, study, number) in raced
            tip = f"{name}: {share:.1f} % with {counted(number, 'stage')}{', raced' if its else ''}"
            bar(axes, x, share, apart - 0.02, tip, color=STAGES[number], edgecolor=STAGES[3],
                linewidth=0.4)
            if its:
                axes.plot([x], [share], clip_on=False, **RING)
        if place and study != bars[place - 1][1]:
            axes.axvline(place - 0.5, color="#999999", linewidth=0.6)
    shares = [share for _, _, its in bars for share in its.values() if share is not None]
    axes.set_ylim(max(0, 10 * int(min(shares, default=0) / 10) - 5),
                  max(102, 1.02 * max(shares, default=0)))
    if max(shares, default=0) > 100:
        axes.axhline(100, color=STAGES[3], linewidth=0.6)
    names_below(axes, names)
    axes.set_ylabel(f"ratio relative to\n{counted(base, 'stage') if base else 'all stages'}, %")
    axes.grid(axis="y")
    bar_legend(axes, [(counted(number, "stage"),
                       {"facecolor": STAGES[number], "edgecolor": STAGES[3], "linewidth": 0.4})
                      for number in numbers])
    return figure
