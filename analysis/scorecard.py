"""Every published number that can be set beside ours, which `query scorecard` gives on the results of
each study: the difference in percent, and its cause."""

from analysis.context import FETCH
from analysis.documents import MARK
from analysis.items import Item, Table, counted

STEM = "scorecard"


def items(context):
    return [scorecard(context)]


def scorecard(context):
    item = Item("findings-scorecard", "findings", "Scorecard: published numbers and ours",
                "Every number that a paper prints and that was measured here on the same data, with "
                "the difference in percent of the published one and its cause. Ratios are original "
                "/ compressed bytes.")
    table = Table("Published numbers and ours", [
        ("from", 0), ("what", 0), ("data set", 0), ("precision", 0), ("published", 3), ("ours", 3),
        ("difference %", 2), ("cause", 0)])
    speeds = Table("Published throughputs and ours, on other machines", [
        ("from", 0), ("compressor", 0), ("precision", 0), ("direction", 0), ("published GB/s", 2),
        ("ours GB/s", 2), ("difference %", 0), ("cause", 0)])
    for study in context.need(item, STEM):
        for row in study.rows(STEM):
            decimals = row["printed_decimals"]
            cells = (row["from"], row["what"], row["data_set"] + (MARK if row["searched_in"] else ""),
                     row["precision"], f"{row['published']:.{decimals}f}",
                     f"{row['ours']:.{max(decimals, 3)}f}", row["difference_percent"], row["cause"])
            if cells not in table.rows:  # two studies may have searched the same data
                table.add(*cells)
        for row in study.rows(STEM, 2):
            speeds.add(*row.values())
        item.note(summary(row) for row in counts(study))
    item.table("", table)
    item.table("speeds", speeds)
    item.note("Not set beside ours: what the papers print only as pictures, and means over all of "
              "their data sets, unless all are here")
    item.note(context.samples([study for study in context.studies if study.real()]))
    context.note_absent(item)
    if not table.rows:
        item.lack("Documents of the papers' data sets", FETCH.format("fpc"))
    return item


def counts(study):
    """How many of a study's numbers are equal: one row, or none."""
    return study.rows(STEM, 1, paper="all")


def summary(row):
    text = f"{counted(row['printed_numbers'], 'number')}: {row['equal']} equal to the printed digits, " \
        f"{row['within_1_percent']} within 1 %, {row['cause_not_known']} without a known cause."
    if row["largest_on"]:
        text += " The largest difference behind the printed digits is " \
            f"{row['largest_difference_percent']:.2f} % ({row['largest_on']})"
    return text
