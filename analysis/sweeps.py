"""What figures share that are drawn from sweeps of the papers' compressors: which settings the data
warrant, and means over data sets."""

from analysis.gpu import HARMONIC

CHUNK = 1024  # values that a chunk of GFC has at least where throughputs are shown
SPEEDS = ("compress_gb_per_s", "decompress_gb_per_s")


def harmonic(values):
    return len(values) / sum(1 / value for value in values)


def by_set(rows):
    """The rows of data sets, without those of means."""
    return [row for row in rows if row["data_set"] != HARMONIC]


def tables_of(rows):
    """Table sizes of a sweep, in bytes per thread, ascending."""
    return sorted({row["table_bytes"] for row in rows})


def large_enough(rows):
    """The rows of data sets that are at least as large as the largest tables of a sweep of pFPC;
    and the names of the others. Tables that are larger than the data are mostly empty, and the time
    goes into clearing them."""
    rows = by_set(rows)
    largest = max(tables_of(rows), default=0)
    small = list(dict.fromkeys(row["data_set"] for row in rows if row["bytes"] < largest))
    return [row for row in rows if row["data_set"] not in small], small


def means(rows, settings, quantities):
    """Harmonic means of `quantities` over the data sets, for each combination of `settings`: rows of
    these and of `sets`, the number of data sets."""
    groups = {}
    for row in by_set(rows):
        groups.setdefault(tuple(row[key] for key in settings), []).append(row)
    return [{**dict(zip(settings, values)), "sets": len(group),
             **{key: harmonic([row[key] for row in group]) for key in quantities
                if all(row[key] for row in group)}} for values, group in groups.items()]


def chunks_that_fit(rows, published):
    """The most of the paper's numbers of chunks that leave every chunk of every data set CHUNK
    values; if none does, the smallest."""
    rows = by_set(rows)
    swept = sorted({row["chunks"] for row in rows})
    swept = [chunks for chunks in swept if chunks in published] or swept
    smallest = min((row["bytes"] // 8 for row in rows), default=0)
    fitting = [chunks for chunks in swept if smallest >= CHUNK * chunks]
    return max(fitting, default=min(swept, default=None))


def without_small(study, small, size):
    """A sentence on the data sets that are left out of means because they are small."""
    return f"{study.name}: without {', '.join(small)}: smaller than {size} of tables." if small \
        else ""
