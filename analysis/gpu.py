"""What was timed on GPUs: rows of `fpsynth query timed`."""

from analysis.context import DRAW, GPU

BACKEND = "cuda"
DIRECTIONS = ("compress", "decompress")
HARMONIC, MEAN = "harmonic mean", "mean"


def rows(context, compressor, precision):
    """(study, row) of a compressor on GPUs, its settings among them: of each data set, and where
    there are several, of their harmonic mean."""
    return [(study, row) for study in context.studies
            for row in study.rows("timed", backend=BACKEND, precision=precision)
            if is_one(row["compressor"], compressor) and row["data_set"] != MEAN]


def is_one(name, compressor):
    """Whether "GFC, 1000 chunks" is GFC."""
    return name.split(",")[0] == compressor


def over_sets(found):
    """Of rows(): the harmonic means, or what has but one data set."""
    means = [(study, row) for study, row in found if row["data_set"] == HARMONIC]
    return means + [(study, row) for study, row in found
                    if row["data_set"] != HARMONIC and not any(
                        other is study and same_setting(mean, row) for other, mean in means)]


def same_setting(one, other):
    return all(one[key] == other[key] for key in ("device", "compressor", "how", "threads"))


def has_kernels(row):
    return all(row[f"{way}_kernels_gb_per_s"] is not None for way in DIRECTIONS)


def need(context, item, compressor, precision):
    """Says what is missing where no GPU's rows of a compressor are there."""
    if rows(context, compressor, precision):
        return
    what = f"{compressor} on a GPU, {precision} precision"
    timed = [study for study in context.studies
             if any(document["run"]["backend"] == BACKEND for document in study.throughput)]
    untold = [study.name for study in timed if not study.tables("timed")]
    if untold:
        item.lack(f"{what}: documents of a GPU are there, but not the table of them, timed, of "
                  f"{', '.join(untold)}", f"`fpsynth query timed --runs DIR --out "
                  f"DIR/documents/timed.json` makes it, and so do {DRAW}")
    elif timed:
        item.lack(f"{what}: the documents of a GPU do not have it",
                  "`fpsynth bench pipelines --backend cuda --baselines` times it too")
    else:
        item.lack(what, GPU)


def devices(found):
    """The GPUs of rows, as a caption names them."""
    return ", ".join(dict.fromkeys(row["device"] for _, row in found))
