"""The data of all figures: the studies, the papers' figures, and common queries on them."""

from analysis.documents import MARK

FETCH = "`configs/datasets/fetch.py {}` downloads it (or set FPSYNTH_DATA to its folder)"
DRAW = "`./run figures` or `python3 -m analysis.make --study FILE --runs DIR` creates the documents"
GPU = ("No document of the runs is from a GPU (run.backend \"cuda\"). On a machine with an NVIDIA "
       "GPU and the CUDA Toolkit, run `cmake --preset cuda && cmake --build --preset cuda`, then "
       "`fpsynth bench pipelines --backend cuda --baselines --runs DIR`, and draw again")
PICTURE_ONLY = ("The paper prints this only as a picture, so results/reference/ does not have its "
                "numbers.")
PRECISIONS = ("double", "single")
FEW = 3  # data sets; means and counts of fewer are no study's
SMALL = 1 << 20  # bytes; of smaller data sets, the start of threads is all that is timed
# The compressors of the papers' tables, and ours.
TABLE_ROWS = ("bzip2 --best", "gzip --best", "lzop -9", "FPC", "pFPC -1M", "GFC", "Holt", "MPC",
              "best searched")


class Context:
    def __init__(self, studies, published, pipelines):
        self.studies, self.published, self.pipelines = studies, published, pipelines

    def papers_sets(self, precision="double"):
        """Names of the papers' data sets in the documents, without others of the same name."""
        return {name for name in self.published.sets for study in self.studies
                if self.is_papers(study, name, precision)}

    def is_papers(self, study, name, precision="double"):
        """Whether a study's data set is the papers' data set of that name."""
        rows = [*study.rows("runs", data_set=name, precision=precision),
                *study.rows("statistics", data_set=name, precision=precision),
                *(one for one in study.compared(precision) if one["name"] == name)]
        with_checksum = [row for row in rows if row.get("xxh3")]
        return any(self.published.is_papers(name, row["bytes"], precision, row.get("xxh3"))
                   for row in with_checksum or rows)

    def note_absent(self, item, names=None):
        """Reports which of the papers' data sets are missing."""
        names = self.published.sets if names is None else names
        missing = [name for name in names if name not in self.papers_sets()]
        if missing:
            item.lack(f"Our figures of {len(missing)} of the papers' {len(names)} data sets: "
                      + ", ".join(missing), FETCH.format("NAME"))
        for study in self.studies:
            absent = [name for name in study.absent() if name not in self.published.sets]
            if absent:
                item.lack(f"{study.name}: {', '.join(absent)}", FETCH.format("NAME"))

    def need(self, item, *stems):
        """The studies that have the documents `stems`; reports those that lack some."""
        complete = []
        for study in self.studies:
            missing = [stem for stem in stems if stem not in study.documents]
            if not missing:
                complete.append(study)
            elif study.documents:
                item.lack(f"{study.name}: no document {', '.join(missing)} in "
                          f"{study_folder(study)}", DRAW)
        return complete

    def broad(self, studies):
        """The studies of several data sets, for figures of means and counts; all of them where none
        has so many."""
        return [study for study in studies if len(study.searched()) >= FEW] or list(studies)

    def large(self, item, study, rows, small="their speeds are those of starting"):
        """Whether a study's data sets are worth a figure; if not, a note says why: `small`."""
        largest = max((row["bytes"] or 0 for row in rows), default=0)  # means have none
        if rows and largest < SMALL:
            item.note(f"{study.name}: no figure, because its data sets have at most {largest:,} "
                      f"bytes: {small}")
        return largest >= SMALL

    def machines(self):
        """The machines on which our values were measured, a line for each."""
        lines = []
        for study in self.studies:
            machine = study.machine()
            if machine and f"Ours: {machine}." not in lines:
                lines.append(f"Ours: {machine}.")
        return lines

    def samples(self, studies=None):
        """The meaning of MARK, for each study whose search did not cover all chunks, or all
        pipelines on all chunks."""
        return [f"{MARK.strip()} {study.name}: searched in {study.part()}; its ratios and ranks "
                "are those on the searched chunks"
                f"{' and among what a race has left' if 'race' in study.part() else ''}."
                for study in (self.studies if studies is None else studies) if study.part()]


def study_folder(study):
    """The folder of a study's documents, without the parent path, because pages are passed on."""
    import os
    return os.path.join(os.path.basename(os.path.normpath(study.runs)), "documents")
