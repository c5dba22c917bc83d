"""The papers' first tables, which describe data sets: Table I of the MPC paper, Table 1 of pFPC's and
GFC's."""

from math import ceil

from analysis.items import Item, Table

STATISTICS = [("size MB", 1), ("values millions", 2), ("unique %", 1), ("entropy bits", 2),
              ("randomness %", 1)]
KEYS = ["size_mib", "values_millions", "unique_percent", "entropy_bits", "randomness_percent"]
PRINTED = ["size_mb", "doubles_millions", "unique_percent", "entropy_bits", "randomness_percent"]
SUBCHUNK = 32  # values


def mpc_table_1(context):
    item = Item("mpc-table-1", "mpc", "Table I: information about the data sets",
                "Size, unique values, first-order entropy and randomness of the data sets, in "
                "double precision.")
    return described(context, item, context.published.sets, STATISTICS, ours, printed)


def pfpc_table_1(context):
    names = context.published.pfpc_sets()
    item = Item("pfpc-table-1", "pfpc", "Table 1: information about the data sets",
                f"The {len(names)} data sets of the pFPC paper; the printed figures are those of "
                "the MPC paper's Table I.")
    return described(context, item, names, STATISTICS, ours, printed)


def gfc_table_1(context):
    item = Item("gfc-table-1", "gfc", "Table 1: statistical information about the data sets",
                f"As the MPC paper's Table I, but with the number of subchunks of {SUBCHUNK} values "
                "in place of the number of values, and rounded to one decimal.")
    rows = context.published.gfc_statistics()
    columns = [("size MB", 1), ("subchunks thousands", 1)] + \
        [(title, 1) for title, _ in STATISTICS[2:]]
    return described(context, item, list(rows), columns, ours_in_subchunks,
                     lambda context, name: rows[name])


def described(context, item, names, columns, ours_of, printed_of):
    """Adds the table of a paper's data sets, with published and our values, and of our others."""
    found, others = {}, []
    for study in context.need(item, "statistics"):
        for row in study.rows("statistics", precision="double"):
            if context.is_papers(study, row["data_set"]):
                found[row["data_set"]] = ours_of(row)
            else:
                others.append((row["data_set"], study.name, ours_of(row)))
        item.note(study.notes("statistics"))
    table = Table(item.title, [("data set", 0), ("from", 0)] + columns)
    for name in names:
        cells = printed_of(context, name)
        if cells:
            table.add(name, "published", *cells)
        if name in found:
            table.add(name, "ours", *found[name])
    for name, study, cells in others:
        table.add(name, f"ours ({study})", *cells)
    item.table("", table)
    context.note_absent(item, names)
    return item


def ours(row):
    return [float(row[key]) for key in KEYS]


def printed(context, name):
    row = context.published.statistics(name)
    return [float(row[key]) for key in PRINTED] if row else []


def ours_in_subchunks(row):
    size, _, *rest = ours(row)
    return [size, ceil(row["bytes"] // 8 / SUBCHUNK) / 1000, *rest]
