"""Our heat map of the 100 best pipelines: components by stage."""

from matplotlib.colors import PowerNorm
from matplotlib.patches import Rectangle

from analysis import style, svg
from analysis.items import Item, Table
from analysis.observations import stages_of

LAST = ("ZE", "RLE")  # the only components of the last stage in the papers' space
DARK, LIGHT = "#010101", "#fefefe"  # texts on shades, in every style of the page
COLOURS = "Blues"  # from nearly white


def item(context):
    item = Item("ours-heat-map", "ours", "Components by stage of the 100 best pipelines",
                "How often each component occurs in each stage of the 100 best pipelines of every "
                "data set and precision, in percent of the pipelines counted. White: never. "
                "Without a cell: impossible, because the last stage of a searched pipeline is ZE or "
                "RLE.")
    studies = context.need(item, "components-100")
    # A picture of the study that says the most; the others have tables.
    drawn = sorted(context.broad(studies), key=lambda one: (not one.real(), -len(one.searched())))[:1]
    for study in studies:
        counts, shares = study.tables("components-100")[0], study.tables("components-100")[3]
        stages = stages_of([[counts]])
        if not any(row["total"] for row in counts["rows"]):
            item.lack(f"{study.name}: no ranked pipelines", "search its data sets")
            continue
        notes = study.tables("components-100")[2]["notes"]
        if study in drawn:
            item.figure(study.name, draw(shares["rows"], stages),
                        [f"{study.name}{study.mark()}: {'; '.join(notes)}."]
                        + context.samples([study]))
        item.table(study.name, table_of(study, counts["rows"], shares["rows"], stages))
        item.note(f"{study.name}: {note}" for note in study.notes("components-100"))
    return item


def table_of(study, counts, shares, stages):
    table = Table(f"{study.name}{study.mark()}: counts, and percent of the pipelines",
                  [("component", 0)] + [(f"stage {stage}", 0) for stage in stages]
                  + [("total", 0)] + [(f"stage {stage} %", 1) for stage in stages])
    for row, share in zip(counts, shares):
        table.add(row["component"], *(row[f"stage_{stage}"] for stage in stages),
                  row["total"], *(share[f"stage_{stage}_percent"] for stage in stages))
    return table


def is_possible(component, stage, stages):
    """Whether a component can be in a stage. The components of the last stage are those of a
    reducer, unless others were counted there (a pipeline of another space)."""
    return stage < max(stages) or component in LAST


def share_text(share):
    """A share in whole percents; "<1" if it is above 0 but below 1."""
    return "" if share == 0 else "<1" if share < 1 else f"{share:.0f}"


def draw(rows, stages):
    figure, axes = style.new(style.COLUMN, 0.15 * len(rows) + 0.7)
    top = max(row[f"stage_{stage}_percent"] for row in rows for stage in stages)
    # The last stage has a choice of 2 components, the others of 24; the square root compresses the
    # range of the shares.
    scale, colours = PowerNorm(0.5, 0, top), style.matplotlib.colormaps[COLOURS]
    for y, row in enumerate(rows):
        for x, stage in enumerate(stages):
            share = row[f"stage_{stage}_percent"]
            if share or is_possible(row["component"], stage, stages):
                draw_cell(axes, x, y, row["component"], stage, share,
                          colours(float(scale(share))) if share else "white", share > 0.4 * top)
    axes.set_xlim(-0.5, len(stages) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(stages)), [f"stage {stage}" for stage in stages])
    axes.set_yticks(range(len(rows)), [row["component"] for row in rows])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def draw_cell(axes, x, y, component, stage, share, colour, dark):
    cell = Rectangle((x - 0.49, y - 0.47), 0.98, 0.94, facecolor=colour, edgecolor=style.FRAME,
                     linewidth=0.4)
    axes.add_patch(svg.tip(cell, f"{component} in stage {stage}: {share:.2f} % of the pipelines"))
    if share:
        axes.text(x, y, share_text(share), ha="center", va="center", fontsize=6.5,
                  color=LIGHT if dark else DARK)
