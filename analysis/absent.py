"""Empty cells of tables: each has a reason, which stands below the table behind the cell's mark."""

NO_VALUE = "the document has no value"  # where nothing else is known
NOT_PRINTED = "not printed in the paper"
NOT_PAPERS = "not of the paper: another data set, or a mean over others"
NO_DATA = "no data here"
NOT_TIMED = "not timed"
NOT_SEARCHED = "not searched"
FEWER_STAGES = "not known: searched with fewer stages, or what a race has left"
NONE_BEST = "one pipeline for all has a mean alone"
SUPERSCRIPTS = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


class Absent(str):
    """An empty cell, as the reason why it is empty."""


def mark(number):
    """What an empty cell shows: a dash and the number of its reason."""
    return "\u2013" + str(number).translate(SUPERSCRIPTS)


def of_compressor(study, compressor, precision, name=None):
    """Why the comparison of a study has no ratio or mean of a compressor, on a data set or over all
    of them."""
    rows = [(one["name"], row) for one in study.compared(precision) for row in one["rows"]
            if row["compressor"] == compressor]
    for where, row in rows:
        for key in ("refused", "failure"):
            if key in row and name in (None, where):
                return Absent(f"{key}: {row[key]}")
    if not study.compared(precision):
        return Absent(f"{NO_DATA}: nothing was compared in {precision} precision")
    if rows:
        return Absent(f"not measured on {'this data set' if name else 'all data sets'}")
    for absent in study.comparison()["missing"]:
        if absent["compressor"] == compressor:
            return Absent(f"not attempted: {absent['reason']}")
    other = "single" if precision == "double" else "double"
    if any(row["compressor"] == compressor for one in study.compared(other) for row in one["rows"]):
        return Absent(f"compared in {other} precision alone")
    return Absent("not measured in this study")
