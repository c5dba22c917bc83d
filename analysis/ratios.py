"""The MPC paper's Tables III and IV: the compressors' ratios on every data set."""

from analysis.absent import NOT_PRINTED, NOT_SEARCHED, Absent, of_compressor
from analysis.context import PRECISIONS, TABLE_ROWS
from analysis.documents import MARK
from analysis.items import Item, Table
from analysis.published import BEST, MEAN

OWN, ONE = "best searched", "Best (one for all)"
ROWS = (*TABLE_ROWS, ONE)
MEAN_LINE = "HarMean"
COPY = "memcpy"  # no compressor


class Line:
    """A line of the tables: a data set of a study, or the mean over a study's data sets."""

    def __init__(self, name, study, ours=None, printed=None, mark="", extent=None):
        self.name, self.study, self.mark, self.extent = name, study, mark, extent
        self.ours, self.printed = ours or {}, printed or {}


def tables_3_4(context):
    item = Item("mpc-tables-3-4", "mpc", "Tables III and IV: compression ratios",
                "Ratios of the papers' compressors, general-purpose ones and the best searched "
                "pipeline, by data set, with the highest of each line in bold. HarMean is the "
                "harmonic mean over the data sets of the line's study or of the paper. In this "
                f"line, '{OWN}' is the mean of each data set's own best, which no single pipeline "
                f"reaches, and '{ONE}' is the highest mean of a single pipeline (the last row of "
                "Table II).")
    studies = context.need(item, "compare")
    context.need(item, "best-published")
    for precision, number in zip(PRECISIONS, ("III", "IV")):
        item.table(precision, table(ratio_lines(context, precision), precision, number))
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
            part = found_in_part(study, one, row) if row["compressor"] == OWN else ""
            if part:
                item.note(f"{one['name']}, {one['precision']}: the {OWN} is {row.get('pipeline')}, "
                          f"found in {part}; its ratio is on the whole data")
            for key in ("refused", "failure"):
                if key in row:
                    item.note(f"{one['name']}: {row['compressor']}: {row[key]}")


def found_in_part(study, one, row):
    """The part of the data in which the search found a compared pipeline; empty: the whole data."""
    step = row.get("searched_one_chunk_in")
    if step is None:
        return study.part(one["name"], one["precision"])
    return f"one chunk in {step}" if step > 1 else ""


def ratio_lines(context, precision):
    """The lines of the studies' data sets, compared or only searched, and of the paper's others."""
    lines, seen = [], set()
    for study in context.studies:
        compared = {one["name"]: one for one in study.compared(precision)}
        searched = {row["data_set"]: row[f"{precision}_ratio"] for row in study.rows("best")
                    if row["data_set"] != BEST and row[f"{precision}_ratio"] is not None}
        names, parts = dict.fromkeys([*compared, *searched]), set()
        for name in names:
            rows = compared[name]["rows"] if name in compared else []
            ours = {row["compressor"]: row["ratio"] for row in rows if "ratio" in row}
            printed = {}
            if context.is_papers(study, name, precision):
                printed = printed_ratios(context, precision, name)
                seen.add(name)
            part = next((found_in_part(study, compared[name], row) for row in rows
                         if row["compressor"] == OWN), None)
            if OWN not in ours and name in searched:  # the ratio on what was searched
                ours[OWN], part = searched[name], study.part(name, precision)
            parts |= {part} if part else set()
            lines.append(Line(name, study, ours, printed, MARK if part else "", extent(part)))
        if len(names) > 1:
            ours = means_of(study, precision, len(names))
            lines.append(Line(MEAN_LINE, study, ours, None, MARK if parts else "",
                              ", ".join(sorted(parts)) or extent("" if OWN in ours else None)))
    for name in context.published.sets:
        if name not in seen:
            lines.append(Line(name, None, printed=printed_ratios(context, precision, name)))
    lines.append(Line(MEAN_LINE, None, printed=printed_means(context, precision)))
    return lines


def means_of(study, precision, sets):
    """The harmonic means over all of a study's data sets, of which there are `sets`."""
    ours = {mean["compressor"]: mean["harmonic_mean_ratio"] for mean in study.means(precision)
            if mean["data_sets"] == sets}
    for name, row in zip((ONE, OWN), study.rows("best-published", 1, precision=precision)):
        if row["ratio"] is not None and row["data_sets"] == sets:
            ours.setdefault(name, row["ratio"])
    return ours


def extent(part):
    return None if part is None else part or "all chunks"


def printed_ratios(context, precision, name):
    found = {one: context.published.ratio(precision, one, name) for one in TABLE_ROWS}
    return {one: ratio for one, ratio in found.items() if ratio is not None}


def printed_means(context, precision):
    """The paper's means, which does not print that of each set's own best."""
    found = {one: context.published.ratio(precision, one, MEAN) for one in TABLE_ROWS if one != OWN}
    found[ONE] = context.published.best(precision, BEST)[0]
    return {one: ratio for one, ratio in found.items() if ratio is not None}


def table(lines, precision, number):
    order = list(ROWS)
    for line in lines:
        order += [name for name in line.ours if name not in order and name != COPY]
    order = [name for name in order if any(name in line.ours or name in line.printed
                                           for line in lines)]
    result = Table(f"Table {number}: ratios in {precision} precision",
                   [("data set", 0), ("study", 0), ("from", 0)] + [(name, 3) for name in order]
                   + [("best searched in", 0, NOT_SEARCHED)])
    for line in lines:
        if line.ours:
            result.add(line.name + line.mark, line.study.name, "ours",
                       *(line.ours.get(one) or why(line, one, precision) for one in order),
                       line.extent)
            highlight_best(result, order, line.ours)
        if line.printed:
            result.add(line.name, line.study.name if line.study else "the paper's", "published",
                       *(line.printed.get(one) for one in order), None, why=NOT_PRINTED)
            highlight_best(result, order, line.printed)
    return result


def why(line, compressor, precision):
    """Why a line has no ratio of ours."""
    if compressor == ONE:
        return Absent("not searched, or not on all data sets" if line.name == MEAN_LINE
                      else "one for all: HarMean has its mean")
    if compressor == OWN:
        return Absent(NOT_SEARCHED)
    return of_compressor(line.study, compressor, precision,
                         None if line.name == MEAN_LINE else line.name)


def highlight_best(result, order, ratios):
    """Makes the highest of the last row's ratios stand out, as the paper does; all of them if
    several are equal as shown."""
    known = [f"{ratios[name]:.3f}" if name in ratios else "" for name in order]
    best = max(known, key=lambda text: float(text or 0), default="")
    for column, text in enumerate(known, 3):
        if text and text == best:
            result.highlight(column)
