"""Timings on GPUs: rows of `fpsynth query timed`."""

from analysis.context import DRAW, GPU

BACKEND = "cuda"
DIRECTIONS = ("compress", "decompress")
HARMONIC, MEAN = "harmonic mean", "mean"


def rows(context, compressor, precision):
    """(study, row) for a compressor with any settings on GPUs: a row for each data set and, if
    there are several, one for their harmonic mean."""
    return [(study, row) for study in context.studies
            for row in study.rows("timed", backend=BACKEND, precision=precision)
            if is_one(row["compressor"], compressor) and row["data_set"] != MEAN]


def is_one(name, compressor):
    """Whether a name with settings, such as "GFC, 1000 chunks", is of a compressor, such as GFC."""
    return name.split(",")[0] == compressor


def over_sets(found):
    """The rows of harmonic means, and the rows of settings that have only one data set."""
    means = [(study, row) for study, row in found if row["data_set"] == HARMONIC]
    return means + [(study, row) for study, row in found
                    if row["data_set"] != HARMONIC and not any(
                        other is study and same_setting(mean, row) for other, mean in means)]


def same_setting(one, other):
    return all(one[key] == other[key] for key in ("device", "compressor", "how", "threads"))


def has_kernels(row):
    return all(row[f"{way}_kernels_gb_per_s"] is not None for way in DIRECTIONS)


def need(context, item, compressor, precision):
    """Reports what is missing if there are no rows of a compressor on a GPU."""
    if rows(context, compressor, precision):
        return
    what = f"{compressor} on a GPU, {precision} precision"
    timed = [study for study in context.studies
             if any(document["run"]["backend"] == BACKEND for document in study.throughput)]
    without_table = [study.name for study in timed if not study.tables("timed")]
    if without_table:
        item.lack(f"{what}: there are documents of a GPU, but no document timed of "
                  f"{', '.join(without_table)}", f"`fpsynth query timed --runs DIR --out "
                  f"DIR/documents/timed.json` creates it; {DRAW}, too")
    elif timed:
        item.lack(f"{what}: the documents of a GPU do not contain it",
                  "`fpsynth bench pipelines --backend cuda --baselines` times it")
    else:
        item.lack(what, GPU)


def devices(found):
    """The names of the GPUs of rows, for a caption."""
    return ", ".join(dict.fromkeys(row["device"] for _, row in found))
