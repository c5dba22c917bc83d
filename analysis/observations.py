"""The observations of the MPC paper's section V.A as data: components by stage, subtraction or XOR,
the cut, cross-validation; and our heat map of the 100 best pipelines."""

from matplotlib.colors import PowerNorm

from analysis import style
from analysis.context import PRECISIONS
from analysis.checks import keys_of
from analysis.items import Item, Table
from analysis.published import BEST

TALLIED = 4  # tables of `query components`; those of the published pipelines follow


def items(context):
    return [components(context), cross_validation(context)]


def components(context):
    item = Item("mpc-va-components", "mpc", "Section V.A: components of the best pipelines",
                "How often each component occurs in each stage of the best pipeline of every data "
                "set and precision, how often LNV subtracts and how often it takes the XOR, and "
                "the number of stages before the cut. Published: the pipelines of the paper's "
                "Table II.")
    sources = []
    for study in context.need(item, "components-1"):
        tables = study.tables("components-1")
        if not sources:
            sources.append(("published", tables[TALLIED:]))
        sources.append((study.name + study.mark(), tables[:TALLIED]))
        item.note(f"{study.name}: {note}" for note in study.notes("components-1"))
    stages = stages_of(tables for _, tables in sources)
    counts = [(f"stage {stage}", 0) for stage in stages] + [("total", 0)]
    parts = Table("Components by stage in the best pipelines",
                  [("component", 0), ("from", 0)] + counts)
    families = Table("Families: LNVns subtracts, LNVnx takes the XOR",
                     [("family", 0), ("from", 0)] + counts + [("share %", 1)])
    cuts = Table("Stages before the cut", [("stages before the cut", 0), ("from", 0),
                                         ("pipelines", 0), ("share %", 1)])
    for name, tables in sources:
        for target, source, first, last in ((parts, tables[0], "component", ["total"]),
                                            (families, tables[1], "family",
                                             ["total", "share_percent"])):
            keys = [f"stage_{stage}" for stage in stages] + last
            for row in source["rows"]:
                if row["total"]:
                    target.add(row[first], name, *(row.get(key) for key in keys))
        for row in tables[2]["rows"]:
            cuts.add(row["stages_before_cut"], name, row["pipelines"], row["share_percent"])
        if name == "published":
            item.note(f"published: {note}" for note in tables[2]["notes"])
    if sources:
        draw(context, item, sources)
        for suffix, table in (("stages", parts), ("families", families), ("cuts", cuts)):
            item.table(suffix, table)
    item.note(context.samples())
    return item


def stages_of(sources):
    """The numbers of the stages, up to those of the longest pipelines that were counted."""
    found = [sum(key.startswith("stage_") for key in keys_of(tables[0])) for tables in sources]
    return range(1, 1 + max(found, default=0))


def draw(context, item, sources):
    figure, (left, right) = style.new(style.PAGE, 2.4, ncols=2,
                                      gridspec_kw={"width_ratios": [1.7, 1]})
    names = sorted({row["family"] for _, tables in sources for row in tables[1]["rows"]
                    if row["total"]})
    colours = ["#FFFFFF", style.BLUE, style.ORANGE, style.GREEN, style.PURPLE]
    width = 0.8 / len(sources)
    for number, (source, tables) in enumerate(sources):
        style_of = {"color": colours[number % len(colours)], "edgecolor": "black",
                    "linewidth": 0.5, "label": source,
                    "hatch": style.PUBLISHED_HATCH if source == "published" else None}
        offset = width * (number - (len(sources) - 1) / 2)
        shares = {row["family"]: row["share_percent"] for row in tables[1]["rows"]}
        left.bar([place + offset for place in range(len(names))],
                 [shares.get(name, 0) for name in names], width, **style_of)
        right.bar([row["stages_before_cut"] + offset for row in tables[2]["rows"]],
                  [row["share_percent"] for row in tables[2]["rows"]], width, **style_of)
    left.set_xticks(range(len(names)), names)
    left.set_ylabel("share of all stages, %")
    left.set_xlabel("family")
    right.set_ylabel("share of the pipelines, %")
    right.set_xlabel("stages before the cut (words), then bytes")
    for axes in (left, right):
        axes.grid(axis="y")
    left.legend(ncol=len(sources), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    item.figure("", figure, ["The best pipelines of all data sets, double and single precision. "
                             "Published: MPC paper, Table II."] + context.samples())


def cross_validation(context):
    item = Item("mpc-va-cross-validation", "mpc", "Section V.A: cross-validation",
                "One data set of a study is left out. The table has the ratio on it of the "
                "pipeline that is best over the others, and by how much that is below the ratio of "
                "its own best pipeline.")
    table = Table(item.title, [("left out", 0), ("study", 0), ("precision", 0),
                               ("best of the others", 0), ("CR on the left out", 3),
                               ("its best CR", 3), ("shortfall %", 1), ("searched in", 0)])
    ranked = Table("Best over all data sets of a study",
                   [("study", 0), ("precision", 0), ("rank", 0), ("pipeline", 0),
                    ("harmonic mean CR", 3), ("lowest CR", 3), ("lowest on", 0),
                    ("searched in", 0)])
    points = {precision: [] for precision in PRECISIONS}
    studies = context.need(item, "overall")
    crossed = [study for study in studies if study.rows("overall", 1)]
    for study in studies:
        for row in study.rows("overall", 1):
            # The best of the others depends on all of them.
            excluded = row["excluded"] + study.mark(BEST, row["precision"])
            table.add(excluded, study.name, row["precision"], row["best_of_the_others"],
                      row["excluded_ratio"], row["own_best_ratio"], row["shortfall_percent"],
                      study.extent(BEST, row["precision"]))
            if row["shortfall_percent"] is not None:
                points[row["precision"]].append((excluded, row["shortfall_percent"]))
        for row in study.rows("overall"):
            ranked.add(study.name + study.mark(BEST, row["precision"]), row["precision"],
                       row["rank"], row["pipeline"], row["harmonic_mean_ratio"],
                       row["lowest_ratio"], row["lowest_on"], study.extent(BEST, row["precision"]))
        item.note(f"{study.name}: {note}" for table_ in study.tables("overall")
                  for note in table_["notes"])
    names = list(dict.fromkeys(name for precision in PRECISIONS for name, _ in points[precision]))
    if names:
        figure, axes = style.new(style.COLUMN, 2.3)
        for precision, colour, offset in (("double", style.BLUE, -0.2),
                                          ("single", style.ORANGE, 0.2)):
            axes.bar([names.index(name) + offset for name, _ in points[precision]],
                     [short for _, short in points[precision]], 0.38, color=colour, label=precision)
        axes.set_xticks(range(len(names)), names, rotation=50, ha="right", rotation_mode="anchor")
        axes.set_ylabel("shortfall from the set's own best, %")
        axes.grid(axis="y")
        axes.legend(ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        item.figure("", figure, context.samples(crossed))
    item.table("", table)
    item.table("overall", ranked)
    printed = context.published.cross_validation()
    item.note(f"Published: {printed['observation']} ({printed['pattern']}; {printed['section']} of "
              "the MPC paper, which has no figures for it)")
    item.note(context.samples())
    return item


def heat_map(context):
    item = Item("ours-heat-map", "ours", "Components by stage of the 100 best pipelines",
                "How often each component occurs in each stage of the 100 best pipelines of every "
                "data set and precision, in percent of the pipelines counted.")
    for study in context.need(item, "components-100"):
        counts, shares = study.tables("components-100")[0], study.tables("components-100")[3]
        stages = stages_of([[counts]])
        if not any(row["total"] for row in counts["rows"]):
            item.lack(f"{study.name}: no ranked pipelines", "search its data sets")
            continue
        notes = study.tables("components-100")[2]["notes"]
        item.figure(study.name, draw_heat(shares["rows"], stages),
                    [f"{study.name}{study.mark()}: {'; '.join(notes)}."]
                    + context.samples([study]))
        table = Table(f"{study.name}{study.mark()}: counts, and percent of the pipelines",
                      [("component", 0)] + [(f"stage {stage}", 0) for stage in stages]
                      + [("total", 0)] + [(f"stage {stage} %", 1) for stage in stages])
        for row, share in zip(counts["rows"], shares["rows"]):
            table.add(row["component"], *(row[f"stage_{stage}"] for stage in stages),
                      row["total"], *(share[f"stage_{stage}_percent"] for stage in stages))
        item.table(study.name, table)
        item.note(f"{study.name}: {note}" for note in study.notes("components-100"))
    return item


def share_text(share):
    """A share in whole percents; "<1" if it is above 0 but below 1."""
    return "" if share == 0 else "<1" if share < 1 else f"{share:.0f}"


def draw_heat(rows, stages):
    figure, axes = style.new(style.COLUMN, 0.15 * len(rows) + 0.7)
    shares = [[row[f"stage_{stage}_percent"] for stage in stages] for row in rows]
    top = max(map(max, shares))
    # The last stage has a choice of 2 components, the others of 24; the square root compresses the
    # range of the shares.
    image = axes.imshow(shares, aspect="auto", cmap=style.SHADES + "_r", interpolation="nearest",
                        norm=PowerNorm(0.5, 0, top))
    middle = top / 4
    for y, line in enumerate(shares):
        for x, share in enumerate(line):
            axes.text(x, y, share_text(share), ha="center", va="center", fontsize=6.5,
                      color="white" if share > middle else "black")
    axes.set_xticks(range(len(stages)), [f"stage {stage}" for stage in stages])
    axes.set_yticks(range(len(rows)), [row["component"] for row in rows])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    bar = figure.colorbar(image, ax=axes, pad=0.02, aspect=35)
    bar.set_label("share of the pipelines, %")
    bar.outline.set_linewidth(0.4)
    return figure
