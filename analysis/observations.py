"""The observations of the MPC paper's section V.A as data: components by stage, subtraction or XOR,
the cut, cross-validation."""

from analysis import style
from analysis.axes import MANY, bar, bar_legend, names_below, room_for
from analysis.context import PRECISIONS
from analysis.checks import keys_of
from analysis.items import Item, Table
from analysis.published import BEST

COLOURS = ("#FFFFFF", style.BLUE, style.ORANGE, style.GREEN, style.PURPLE)  # of sources
TALLIED = 4  # tables of `query components`; those of the published pipelines follow


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
    counts = [(f"stage {stage}", 0, "the pipelines have fewer stages") for stage in stages] + [("total", 0)]
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
    broad = {study.name + study.mark() for study in context.broad(context.studies)}
    drawn = [source for source in sources if source[0] in broad | {"published"}]
    if drawn:
        item.figure("", draw(drawn), [
            "The best pipelines of all data sets, double and single precision. Published: MPC paper, "
            "Table II, as far as the cuts are known."] + context.samples())
        for suffix, table in (("stages", parts), ("families", families), ("cuts", cuts)):
            item.table(suffix, table)
    item.note(context.samples())
    return item


def stages_of(sources):
    """The numbers of the stages, up to those of the longest pipelines that were counted."""
    found = [sum(key.startswith("stage_") for key in keys_of(tables[0])) for tables in sources]
    return range(1, 1 + max(found, default=0))


def draw(sources):
    figure, (left, right) = style.new(style.PAGE, 2.4, ncols=2,
                                      gridspec_kw={"width_ratios": [1.7, 1]})
    names = sorted({row["family"] for _, tables in sources for row in tables[1]["rows"]
                    if row["total"]})
    width = 0.8 / len(sources)
    looks = []
    for number, (source, tables) in enumerate(sources):
        look = {"facecolor": COLOURS[number % len(COLOURS)], "edgecolor": "black",
                "linewidth": 0.5, "hatch": style.PUBLISHED_HATCH if source == "published" else None}
        looks.append((source, look))
        offset = width * (number - (len(sources) - 1) / 2)
        shares = {row["family"]: row["share_percent"] for row in tables[1]["rows"]}
        for place, name in enumerate(names):
            bar(left, place + offset, shares.get(name, 0), width,
                f"{name}, {source}: {shares.get(name, 0):.1f} % of all stages", **look)
        for row in tables[2]["rows"]:
            bar(right, row["stages_before_cut"] + offset, row["share_percent"], width,
                f"{row['stages_before_cut']} stages before the cut, {source}: "
                f"{row['share_percent']:.1f} % of the pipelines", **look)
    left.set_xticks(range(len(names)), names)
    left.set_ylabel("share of all stages, %")
    left.set_xlabel("family")
    right.set_ylabel("share of the pipelines, %")
    right.set_xlabel("stages before the cut (words), then bytes")
    for axes in (left, right):
        axes.grid(axis="y")
    bar_legend(left, looks)
    return figure


def cross_validation(context):
    item = Item("mpc-va-cross-validation", "mpc", "Section V.A: cross-validation",
                "One data set of a study is left out. The table has the ratio on it of the "
                "pipeline that is best over the others, and by how much that is below the ratio of "
                "its own best pipeline.")
    studies = context.need(item, "overall")
    points = shortfalls(studies)
    if any(points.values()):
        item.figure("", draw_shortfalls(points),
                    context.samples([study for study in studies if study.rows("overall", 1)]))
    item.table("", left_out_table(item.title, studies))
    item.table("overall", overall_table(studies))
    for study in studies:
        item.note(f"{study.name}: {note}" for table in study.tables("overall")
                  for note in table["notes"])
    printed = context.published.cross_validation()
    item.note(f"Published: {printed['observation']} ({printed['pattern']}; {printed['section']} of "
              "the MPC paper, which has no figures for it)")
    item.note(context.samples())
    return item


def shortfalls(studies):
    """Precision -> (data set, shortfall in percent) of the data sets that were left out."""
    # The best of the others depends on all of them, so that all are marked.
    return {precision: [(row["excluded"] + study.mark(BEST, precision), row["shortfall_percent"])
                        for study in studies
                        for row in study.rows("overall", 1, precision=precision)
                        if row["shortfall_percent"] is not None] for precision in PRECISIONS}


def left_out_table(title, studies):
    table = Table(title, [("left out", 0), ("study", 0), ("precision", 0),
                          ("best of the others", 0), ("CR on the left out", 3), ("its best CR", 3),
                          ("shortfall %", 1), ("searched in", 0)])
    for study in studies:
        for row in study.rows("overall", 1):
            table.add(row["excluded"] + study.mark(BEST, row["precision"]), study.name,
                      row["precision"], row["best_of_the_others"], row["excluded_ratio"],
                      row["own_best_ratio"], row["shortfall_percent"],
                      study.extent(BEST, row["precision"]))
    return table


def overall_table(studies):
    table = Table("Best over all data sets of a study",
                  [("study", 0), ("precision", 0), ("rank", 0), ("pipeline", 0),
                   ("harmonic mean CR", 3), ("lowest CR", 3), ("lowest on", 0),
                   ("searched in", 0)])
    for study in studies:
        for row in study.rows("overall"):
            table.add(study.name + study.mark(BEST, row["precision"]), row["precision"],
                      row["rank"], row["pipeline"], row["harmonic_mean_ratio"],
                      row["lowest_ratio"], row["lowest_on"], study.extent(BEST, row["precision"]))
    return table


def draw_shortfalls(points):
    names = list(dict.fromkeys(name for precision in PRECISIONS for name, _ in points[precision]))
    figure, axes = style.new(style.COLUMN if len(names) <= MANY else style.PAGE,
                             2.3 + room_for(names))
    looks = (("double", {"color": style.BLUE}), ("single", {"color": style.ORANGE}))
    for side, (precision, look) in enumerate(looks):
        for name, short in points[precision]:
            bar(axes, names.index(name) + 0.4 * side - 0.2, short, 0.38,
                f"{name}, {precision}: {short:.1f} % short of its own best", **look)
    names_below(axes, names)
    axes.set_ylabel("short of its own best, %")
    axes.grid(axis="y")
    bar_legend(axes, looks)
    return figure
