"""The MPC paper's Tables III and IV: the compressors' ratios on every data set."""

from math import inf, log2

from analysis import style
from analysis.context import PRECISIONS, TABLE_ROWS
from analysis.documents import MARK
from analysis.items import Item, Table
from analysis.mpc import legend, ratio_axis
from analysis.published import BEST, MEAN

OWN, ONE = "best searched", "Best (one for all)"
ROWS = (*TABLE_ROWS, ONE)
# Sizes of the figure in inches. Markers in a lane are at least APART apart, about their width.
LANE, PAD, APART, AXIS = 0.085, 0.07, 0.09, 4.7


class Line:
    """A line of the tables: a data set of a study, or the mean over a study's data sets."""

    def __init__(self, name, study, ours=None, printed=None, mark="", extent=None):
        self.name, self.study, self.mark, self.extent = name, study, mark, extent
        self.ours, self.printed = ours or {}, printed or {}

    def title(self):
        return (f"{self.name} ({self.study})" if self.name == "HarMean" else self.name) + self.mark


def tables_3_4(context):
    item = Item("mpc-tables-3-4", "mpc", "Tables III and IV: compression ratios",
                "Ratios of the papers' compressors, general-purpose ones and the best searched "
                "pipeline, by data set. In the figures, filled marks are ours, hollow ones "
                "published. HarMean is the harmonic mean over the data sets of the line's study or "
                f"of the paper. In this line, '{OWN}' is the mean of each data set's own best, "
                f"which no single pipeline reaches, and '{ONE}' is the highest mean of a single "
                "pipeline (the last row of Table II).")
    studies = context.need(item, "compare")
    context.need(item, "means")
    for precision, number in zip(PRECISIONS, ("III", "IV")):
        lines = ratio_lines(context, studies, precision)
        draw(context, item, lines, precision, number)
        table(item, lines, precision, number)
    for study in studies:
        notes(item, study)
    item.note(context.samples() + context.machines())
    context.note_absent(item)
    return item


def notes(item, study):
    for absent in study.comparison()["missing"]:
        item.lack(f"{study.name}: {absent['compressor']}", f"{absent['reason']}")
    item.note(f"{study.name}: {note}" for note in study.comparison()["notes"])
    for one in study.compared("double") + study.compared("single"):
        for row in one["rows"]:
            if row["compressor"] == OWN:
                part = found_in_part(study, one, row)
                item.note(f"{one['name']}, {one['precision']}: the {OWN} is "
                          f"{row.get('pipeline')}" + (f", found in {part}; its ratio is on the "
                                                      "whole data" if part else ""))
            for key in ("refused", "failure"):
                if key in row:
                    item.note(f"{one['name']}: {row['compressor']}: {row[key]}")


def found_in_part(study, one, row):
    """The part of the data in which the search found a compared pipeline; empty: the whole data."""
    step = row.get("searched_one_chunk_in")
    if step is None:
        return study.part(one["name"], one["precision"])
    return f"one chunk in {step}" if step > 1 else ""


def ratio_lines(context, studies, precision):
    lines, seen = [], set()
    for study in studies:
        sets = study.compared(precision)
        parts = set()
        for one in sets:
            ours = {row["compressor"]: row["ratio"] for row in one["rows"] if "ratio" in row}
            printed = {}
            if context.published.is_papers(one["name"], one["bytes"], precision):
                printed = printed_ratios(context, precision, one["name"])
                seen.add(one["name"])
            part = next((found_in_part(study, one, row) for row in one["rows"]
                         if row["compressor"] == OWN), None)
            parts |= {part} if part else set()
            lines.append(Line(one["name"], study.name, ours, printed, MARK if part else "",
                              extent(part)))
        if len(sets) > 1:
            ours = {mean["compressor"]: mean["harmonic_mean_ratio"]
                    for mean in study.means(precision)}
            one = one_for_all(study, precision)
            if one and one["ratio"] is not None and one["data_sets"] == len(sets):
                ours[ONE] = one["ratio"]
            lines.append(Line("HarMean", study.name, ours, None, MARK if parts else "",
                              ", ".join(sorted(parts)) or extent("" if OWN in ours else None)))
    for name in context.published.sets:
        if name not in seen:
            lines.append(Line(name, "the paper's",
                              printed=printed_ratios(context, precision, name)))
    lines.append(Line("HarMean", "the paper's", printed=printed_means(context, precision)))
    return lines


def extent(part):
    return None if part is None else part or "all chunks"


def one_for_all(study, precision):
    """The row of `query means` of the pipeline with the highest mean."""
    rows = study.rows("means", precision=precision)
    return rows[0] if rows else None


def printed_ratios(context, precision, name):
    found = {one: context.published.ratio(precision, one, name) for one in TABLE_ROWS}
    return {one: ratio for one, ratio in found.items() if ratio is not None}


def printed_means(context, precision):
    """The paper's means. The mean of each set's own best is not printed, but in `query means`."""
    found = {one: context.published.ratio(precision, one, MEAN) for one in TABLE_ROWS if one != OWN}
    found[ONE] = context.published.best(precision, BEST)[0]
    for study in context.studies:
        for row in study.rows("means", precision=precision)[1:]:
            found[OWN] = row["paper_ratio"]
    return {one: ratio for one, ratio in found.items() if ratio is not None}


def lanes(ratios, span):
    """Distributes marks over rows such that none hides another: lists of (compressor, ratio).
    `span` is the length of the axis in doublings."""
    rows = []
    for name, ratio in sorted(ratios.items(), key=lambda pair: (pair[1], pair[0])):
        for row in rows:
            if log2(ratio / row[-1][1]) >= APART * span / AXIS:
                row.append((name, ratio))
                break
        else:
            rows.append([(name, ratio)])
    return rows


def shown(ratios, limit=inf):
    return {name: ratio for name, ratio in ratios.items() if name in ROWS and ratio <= limit}


def axis_end(values):
    """The end of the axis. It excludes a few ratios that are far above all others, because these
    would be squeezed."""
    ordered = sorted(values)
    end = 1.1 * ordered[int(0.93 * (len(ordered) - 1))] if ordered else 2
    return end if ordered and ordered[-1] > 1.5 * end else 1.1 * max(ordered, default=2)


def draw(context, item, lines, precision, number):
    values = [value for line in lines for both in (line.ours, line.printed)
              for value in shown(both).values()]
    limit = axis_end(values)
    span = log2(limit / min(values, default=1))
    marks, far, tops, height = [], [], [0.0], 0.0
    for line in lines:
        height += PAD / 2
        for ratios, is_printed in ((line.ours, False), (line.printed, True)):
            rows = lanes(shown(ratios, limit), span) or ([[]] if shown(ratios) else [])
            if rows:
                far.append((height + LANE / 2, [(name, ratio, is_printed) for name, ratio
                                                in shown(ratios).items() if ratio > limit]))
            for row in rows:
                marks += [(name, ratio, height + LANE / 2, is_printed) for name, ratio in row]
                height += LANE
        height += PAD / 2
        tops.append(height)
    figure, axes = style.new(style.PAGE, height + 0.85)
    for line in range(0, len(lines), 2):
        axes.axhspan(tops[line], tops[line + 1], color="#F2F2F2", linewidth=0, zorder=0)
    for name, ratio, y, is_printed in marks:
        style.point(axes, ratio, y, name, is_printed, size=7 if name == OWN else 4.5)
    axes.set_yticks([(top + bottom) / 2 for top, bottom in zip(tops, tops[1:])],
                    [line.title() for line in lines])
    split_studies(axes, lines, tops)
    axes.set_ylim(height, 0)
    for y, ratios in far:
        style.beyond(axes, y, ratios)
    ratio_axis(axes, [min(values, default=1), limit / 1.08])
    axes.set_xlabel(f"compression ratio, {precision} precision (original / compressed bytes)")
    axes.grid(axis="x")
    compressors = [one for one in ROWS if any(one in line.ours or one in line.printed
                                              for line in lines)]
    legend(axes, compressors, ncol=len(compressors) if len(compressors) < 7 else 5)
    found = [f"{line.mark.strip()} {line.name} ({line.study}): the {OWN} was found in {line.extent}"
             "; its ratio is on the whole data." for line in lines if line.mark]
    item.figure(precision, figure,
                [f"Table {number}. Filled: ours. Hollow: published "
                 f"({context.published.citation('mpc')}). HarMean: '{OWN}' is the mean of each "
                 f"data set's own best, '{ONE}' that of a single pipeline. An arrow and the "
                 "ratio show values beyond the axis."] + found)


def split_studies(axes, lines, tops):
    """Draws a line between two studies, and the name of each study at its first line."""
    for place, line in enumerate(lines):
        if not place or lines[place - 1].study != line.study:
            axes.annotate(line.study, (0.985, tops[place]), xycoords=("axes fraction", "data"),
                          xytext=(0, -6), textcoords="offset points", fontsize=style.SMALL,
                          va="center", ha="right", style="italic", color="#444444")
            if place:
                axes.axhline(tops[place], color="#777777", linewidth=0.7)


def table(item, lines, precision, number):
    order = list(ROWS)
    for line in lines:
        order += [name for name in line.ours if name not in order and name != "memcpy"]
    result = Table(f"Table {number}: ratios in {precision} precision",
                   [("data set", 0), ("study", 0), ("from", 0)] + [(name, 3) for name in order]
                   + [("best searched in", 0)])
    for line in lines:
        if line.ours:
            result.add(line.name + line.mark, line.study, "ours",
                       *(line.ours.get(one) for one in order), line.extent)
        if line.printed:
            result.add(line.name, line.study, "published",
                       *(line.printed.get(one) for one in order), None)
    item.table(precision, result)
