"""What all figures are drawn from: the studies, the papers' figures, and common questions to
them."""

from analysis.documents import MARK

FETCH = "`fpsynth data fetch {}` downloads it (or set FPSYNTH_DATA to the folder that has it)"
DRAW = "`./run figures` makes the documents, or `python3 -m analysis --fpsynth PROGRAM ...`"
GPU = ("No document of a GPU (run.backend \"cuda\") is among the runs. On a machine with an NVIDIA "
       "GPU and the CUDA Toolkit: `cmake --preset cuda && cmake --build --preset cuda`, then "
       "`fpsynth bench pipelines --backend cuda --baselines --runs DIR`, and draw again")
PICTURE_ONLY = "The paper prints this as a picture only; its numbers are not in results/reference/."
PRECISIONS = ("double", "single")
# The compressors of the papers' tables, and ours.
TABLE_ROWS = ("bzip2 --best", "gzip --best", "lzop -9", "FPC", "pFPC -1M", "GFC", "Holt", "MPC",
              "best searched")


class Context:
    def __init__(self, studies, published, pipelines):
        self.studies, self.published, self.pipelines = studies, published, pipelines

    def papers_sets(self, precision="double"):
        """Names of the papers' data sets that the documents hold: not namesakes."""
        found = set()
        for study in self.studies:
            for row in study.rows("runs"):
                if self.published.is_papers(row["data_set"], row["bytes"], row["precision"]):
                    found.add((row["data_set"], row["precision"]))
            for one in study.compared(precision):
                if self.published.is_papers(one["name"], one["bytes"], precision):
                    found.add((one["name"], precision))
            for row in study.rows("statistics"):
                if self.published.is_papers(row["data_set"], row["bytes"], row["precision"]):
                    found.add((row["data_set"], row["precision"]))
        return {name for name, its in found if its == precision}

    def is_papers(self, study, name, precision="double"):
        """Whether a study's data set is the papers' of that name."""
        sizes = [row["bytes"] for row in study.rows("runs", data_set=name, precision=precision)]
        sizes += [row["bytes"] for row in study.rows("statistics", data_set=name,
                                                     precision=precision)]
        sizes += [one["bytes"] for one in study.compared(precision) if one["name"] == name]
        return any(self.published.is_papers(name, size, precision) for size in sizes)

    def note_absent(self, item, names=None):
        """Says which of the papers' data sets are missing."""
        names = self.published.sets if names is None else names
        gone = [name for name in names if name not in self.papers_sets()]
        if gone:
            item.lack(f"Our figures of {len(gone)} of the papers' {len(names)} data sets: "
                      + ", ".join(gone), FETCH.format("NAME"))
        for study in self.studies:
            absent = [name for name in study.absent() if name not in self.published.sets]
            if absent:
                item.lack(f"{study.name}: {', '.join(absent)}", FETCH.format("NAME"))

    def need(self, item, *stems):
        """The studies that have documents; of the others says that they are missing."""
        have = []
        for study in self.studies:
            gone = [stem for stem in stems if stem not in study.documents]
            if not gone:
                have.append(study)
            elif study.documents:
                item.lack(f"{study.name}: no document {', '.join(gone)} in {study_folder(study)}",
                          DRAW)
        return have

    def machines(self):
        """What ours was measured on, a line for each machine."""
        lines = []
        for study in self.studies:
            machine = study.machine()
            if machine and f"Ours: {machine}." not in lines:
                lines.append(f"Ours: {machine}.")
        return lines

    def samples(self, studies=None):
        """What the mark behind figures means, for each study whose search was not of all chunks."""
        return [f"{MARK.strip()} {study.name}: searched in {study.part()}; its ratios and ranks "
                "are of the chunks searched."
                for study in (self.studies if studies is None else studies) if study.part()]


def study_folder(study):
    """Where a study's documents are, without the way to it: pages travel."""
    import os
    return os.path.join(os.path.basename(os.path.normpath(study.runs)), "documents")
