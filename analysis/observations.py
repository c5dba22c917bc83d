"""The observations of the MPC paper's section V.A as data: components by stage, subtraction
against XOR, the cut, cross-validation; and our heat map over the best hundred."""

from matplotlib.colors import PowerNorm

from analysis import style
from analysis.context import PRECISIONS
from analysis.items import Item, Table

STAGES = ("stage 1", "stage 2", "stage 3", "stage 4")


def items(context):
    return [components(context), cross_validation(context)]


def components(context):
    item = Item("mpc-va-components", "mpc", "Section V.A: what the best pipelines are made of",
                "How often each component stands in each stage of the best pipeline of every data "
                "set and precision, how often LNV subtracts and takes the XOR, and after how many "
                "stages the cut falls. Published: of the pipelines in the paper's Table II.")
    sources = [("published", None, counted(context))]
    for study in context.need(item, "components-1"):
        sources.append((study.name, study, None))
        item.note(f"{study.name}: {note}" for note in study.notes("components-1"))
    parts = Table("Components by stage in the best pipelines",
                  [("component", 0), ("from", 0)] + [(name, 0) for name in STAGES] + [("total", 0)])
    families = Table("Families: LNVns subtracts, LNVnx takes the XOR",
                     [("family", 0), ("from", 0)] + [(name, 0) for name in STAGES] + [("total", 0)])
    cuts = Table("Where the cut falls", [("stages before the cut", 0), ("from", 0),
                                         ("pipelines", 0), ("share %", 1)])
    bars = []
    for name, study, printed in sources:
        tables = [study.rows("components-1", table) for table in range(3)] if study else printed
        for target, rows, key in ((parts, tables[0], "component"), (families, tables[1], "family")):
            for row in rows:
                if row["total"]:
                    target.add(row[key], name, *(row.get(stage) for stage in STAGES), row["total"])
        for row in tables[2]:
            cuts.add(row["stages before the cut"], name, row["pipelines"], row["share %"])
        bars.append((name, tables))
    draw(context, item, bars)
    for suffix, table in (("stages", parts), ("families", families), ("cuts", cuts)):
        item.table(suffix, table)
    item.note("published: where the paper's cut is not known, the pipeline is left out of the cuts")
    return item


def counted(context):
    """The three tables of `query components`, of the pipelines that the paper prints."""
    parts, families, cuts, pipelines = {}, {}, {}, 0
    for precision in PRECISIONS:
        for row in context.published.best_rows(precision):
            for stage, name in zip(STAGES, row["stages"]):
                for table, key in ((parts, name), (families, family(name))):
                    entry = table.setdefault(key, dict.fromkeys((*STAGES, "total"), 0))
                    entry[stage] += 1
                    entry["total"] += 1
            if row["cut"] is not None:
                cuts[row["cut"]] = cuts.get(row["cut"], 0) + 1
                pipelines += 1
    order = sorted(parts, key=lambda name: (-parts[name]["total"], name))
    return [[{"component": name, **parts[name]} for name in order],
            [{"family": name, **families[name]} for name in sorted(families)],
            [{"stages before the cut": cut, "pipelines": count,
              "share %": 100 * count / pipelines} for cut, count in sorted(cuts.items())]]


def family(name):
    """LNVns of LNV6s, DIMn of DIM8, ZE of ZE."""
    digits = "".join(character for character in name if character.isdigit())
    return name.replace(digits, "n") if digits else name


def draw(context, item, bars):
    figure, (left, right) = style.new(style.PAGE, 2.4, ncols=2,
                                      gridspec_kw={"width_ratios": [1.7, 1]})
    names = sorted({row["family"] for _, tables in bars for row in tables[1] if row["total"]})
    colours = ["#FFFFFF", style.BLUE, style.ORANGE, style.GREEN, style.PURPLE]
    width = 0.8 / len(bars)
    for number, (source, tables) in enumerate(bars):
        colour = colours[number % len(colours)]
        style_of = {"color": colour, "edgecolor": "black", "linewidth": 0.5, "label": source,
                    "hatch": style.PUBLISHED_HATCH if source == "published" else None}
        offset = width * (number - (len(bars) - 1) / 2)
        total = sum(row["total"] for row in tables[1])
        shares = {row["family"]: 100 * row["total"] / total for row in tables[1]} if total else {}
        left.bar([place + offset for place in range(len(names))],
                 [shares.get(name, 0) for name in names], width, **style_of)
        right.bar([row["stages before the cut"] + offset for row in tables[2]],
                  [row["share %"] for row in tables[2]], width, **style_of)
    left.set_xticks(range(len(names)), names)
    left.set_ylabel("share of all stages, %")
    left.set_xlabel("family")
    right.set_ylabel("share of the pipelines, %")
    right.set_xlabel("stages before the cut (words), then bytes")
    for axes in (left, right):
        axes.grid(axis="y")
    left.legend(ncol=len(bars), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    item.figure("", figure, ["Of the best pipeline of every data set, double and single. Published: "
                             "MPC paper, Table II."] + context.samples())


def cross_validation(context):
    item = Item("mpc-va-cross-validation", "mpc", "Section V.A: cross-validation",
                "The pipeline that is best over the other data sets of a study, on the one that "
                "was left out, and how far it stays behind that one's own best.")
    table = Table(item.title, [("left out", 0), ("study", 0), ("precision", 0),
                               ("best of the others", 0), ("CR on the left out", 3),
                               ("its best CR", 3), ("short of it %", 1)])
    ranked = Table("Best over all data sets of a study",
                   [("study", 0), ("precision", 0), ("rank", 0), ("pipeline", 0),
                    ("harmonic mean CR", 3), ("lowest CR", 3), ("lowest on", 0)])
    points = {precision: [] for precision in PRECISIONS}
    studies = context.need(item, "overall")
    crossed = [study for study in studies if study.rows("overall", 1)]
    for study in studies:
        for row in study.rows("overall", 1):
            table.add(row["excluded"], study.name, row["precision"], row["best of the others"],
                      row["CR on the excluded"], row["its best CR"], row["short of it %"])
            if row["short of it %"] is not None:
                points[row["precision"]].append((row["excluded"], row["short of it %"]))
        for row in study.rows("overall"):
            ranked.add(study.name, row["precision"], row["rank"], row["pipeline"],
                       row["harmonic mean CR"], row["lowest CR"], row["lowest on"])
        item.note(f"{study.name}: {note}" for table_ in study.tables("overall")
                  for note in table_["notes"])
    names = list(dict.fromkeys(name for precision in PRECISIONS for name, _ in points[precision]))
    if names:
        figure, axes = style.new(style.COLUMN, 2.3)
        for precision, colour, offset in (("double", style.BLUE, -0.2), ("single", style.ORANGE, 0.2)):
            axes.bar([names.index(name) + offset for name, _ in points[precision]],
                     [short for _, short in points[precision]], 0.38, color=colour, label=precision)
        axes.set_xticks(range(len(names)), names, rotation=50, ha="right", rotation_mode="anchor")
        axes.set_ylabel("short of the set's own best, %")
        axes.grid(axis="y")
        axes.legend(ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        item.figure("", figure, context.samples(crossed))
    item.table("", table)
    item.table("overall", ranked)
    return item


def heat_map(context):
    item = Item("ours-heat-map", "ours", "Component by stage in the best hundred",
                "How often each component stands in each stage of the 100 best pipelines of every "
                "data set and precision, in percent of the pipelines counted.")
    for study in context.need(item, "components-100"):
        rows = [row for row in study.rows("components-100")]
        stages = [stage for stage in STAGES if rows and stage in rows[0]]
        counted_pipelines = sum(row[stages[0]] for row in rows) if stages else 0
        if not counted_pipelines:
            item.lack(f"{study.name}: no ranked pipelines", "search its data sets")
            continue
        item.figure(study.name, draw_heat(rows, stages, counted_pipelines),
                    [f"{study.name}: {counted_pipelines} pipelines."] + context.samples([study]))
        table = Table(f"{study.name}: counts", [("component", 0)] + [(name, 0) for name in stages]
                      + [("total", 0)])
        for row in rows:
            table.add(row["component"], *(row[stage] for stage in stages), row["total"])
        item.table(study.name, table)
        item.note(f"{study.name}: {note}" for note in study.notes("components-100"))
    return item


def draw_heat(rows, stages, pipelines):
    figure, axes = style.new(style.COLUMN, 0.135 * len(rows) + 0.7)
    shares = [[100 * row[stage] / pipelines for stage in stages] for row in rows]
    top = max(map(max, shares))
    # The last stage has two components to choose from, the others 24: so a scale of roots.
    image = axes.imshow(shares, aspect="auto", cmap=style.SHADES + "_r", interpolation="nearest",
                        norm=PowerNorm(0.5, 0, top))
    middle = top / 4
    for y, line in enumerate(shares):
        for x, share in enumerate(line):
            if share >= 0.5:
                axes.text(x, y, f"{share:.0f}", ha="center", va="center", fontsize=5.5,
                          color="white" if share > middle else "black")
    axes.set_xticks(range(len(stages)), stages)
    axes.set_yticks(range(len(rows)), [row["component"] for row in rows])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    bar = figure.colorbar(image, ax=axes, pad=0.02, aspect=35)
    bar.set_label("share of the pipelines, %")
    bar.outline.set_linewidth(0.4)
    return figure
