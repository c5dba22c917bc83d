"""What figures share that are drawn from sweeps of the papers' compressors: which of their rows are
shown. The sweeps have the means, and say which settings the data fit."""

from analysis.gpu import HARMONIC

CHUNK = 1024  # values that a chunk of GFC has at least where it fits
SPEEDS = ("compress_gb_per_s", "decompress_gb_per_s")


def by_set(rows):
    """The rows of data sets, without those of means."""
    return [row for row in rows if row["data_set"] != HARMONIC]


def tables_of(rows):
    """Table sizes of a sweep, in bytes per thread, ascending."""
    return sorted({row["table_bytes"] for row in rows})


def over_sets(rows):
    """The rows of means over the most data sets; those of the only one."""
    most = max((row["data_sets"] for row in rows), default=0)
    return [row for row in rows if row["data_sets"] == most]


def fitting(rows):
    """Those of the data sets that fit."""
    return over_sets([row for row in rows if row["fits"] == "yes"])


def chunks_that_fit(rows, published):
    """The most of the paper's numbers of chunks that fit; if none does, the smallest."""
    rows = [row for row in rows if row["chunks"] in published] or rows
    return max((row["chunks"] for row in rows if row["fits"] == "yes"),
               default=min((row["chunks"] for row in rows), default=None))


def without_small(study, stem, size):
    """A sentence on the data sets that are left out of means because they are small."""
    small = dict.fromkeys(row["data_set"] for row in by_set(study.rows(stem)) if row["fits"] == "no")
    return f"{study.name}: without {', '.join(small)}: smaller than {size} of tables." if small \
        else ""
