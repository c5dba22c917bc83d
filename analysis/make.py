"""Makes the documents from which a report is drawn, in DIR/documents, with the program's commands. A
document that is newer than the program and the files of which it is made stays as it is."""

import argparse
import json
import os
import shutil
import subprocess
import sys

if not __package__:  # called as `python3 .../analysis/make.py`, from whatever directory
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from analysis.documents import FOLDER, item_name, read_json, read_study, shown
from analysis.items import counted
from analysis.problems import Problem, exit_with
from analysis.published import FILE as PAPERS

PEERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "configs", "peers")
# A document and the command that makes it. A word in capitals is one of Report.values; where it has no
# value, the document is left out. --compared=a,b is the option before each of these documents that exist.
RULES = """\
runs: query runs --runs RUNS
best: query best --runs RUNS
stages: query stages --runs RUNS
distribution: query distribution --runs RUNS
components-100: query components --top 100 --runs RUNS
overall: query overall --runs OF_STUDY
best-published: query best --published --runs OF_STUDY
components-1: query components --top 1 --published --runs OF_STUDY
patterns-1: query patterns --top 1 --published --runs OF_STUDY
top-1: query top 1 --runs OF_STUDY
compare: compare --study STUDY SEARCHED PART EXTERNAL --auto quick
one-core: compare --study STUDY --runs RUNS --only searched --threads 1 PART
dimensionality: query dimensionality --runs OF_STUDY --compared=compare
holt: baseline sweep holt --study WHOLE
pfpc-paper: baseline sweep pfpc --study DOUBLES PFPC_OF_MPC --repetitions 1 --timed-bytes 8M
gfc-paper: baseline sweep gfc --study DOUBLES GFC_OF_MPC --repetitions 1 --timed-bytes 8M
gfc: baseline sweep gfc --study DOUBLES FIRST
pfpc: baseline sweep pfpc --study DOUBLES PART --tables TABLES CHUNKS
pfpc-modes: baseline sweep pfpc --study DOUBLES --tables MODES --threads THREADS --chunks 1024 PART
holt-gpu: baseline sweep holt --study ON_GPU --backend cuda
pareto: query pareto --runs TIMED --compared=compare
timed: query timed --runs TIMED
cards: query cards --study WHOLE --runs DIR --compared=compare,statistics
claims: query claims --runs JUDGED --compared=compare,gfc,pfpc,holt
scorecard: query scorecard --runs OF_STUDY --compared=compare,gfc,pfpc,holt,statistics,pfpc-paper,gfc-paper
"""
BIG = 1 << 26  # bytes of a study, of more of which less is timed
# Exponents of pFPC's table sizes: the two of its paper, 8 KiB and 2 MiB, and the largest of its
# "progressively slower but better compressing modes" (GFC paper, Figure 5).
SMALL_TABLES, LARGE_TABLES, LARGEST_TABLES = 9, 17, 19


def files_ending(folder, *endings):
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names if name.endswith(endings)]


def results_in(runs):
    return files_ending(runs, ".double.json", ".single.json")


def timed_in(runs):
    return files_ending(runs, ".throughput.json")


def each(option, files):
    return [word for file in files for word in (option, file)]


def listed(numbers):
    return ",".join(str(number) for number in sorted(set(numbers)))


def tables_that_fit(sizes):
    """The largest exponent of tables that at least half of the data sets are as large as."""
    median = sorted(sizes)[(len(sizes) - 1) // 2]
    return min(max((median // 16).bit_length() - 1, SMALL_TABLES), LARGEST_TABLES)


def table_modes(largest):
    """Seven exponents or fewer from the smallest to the largest tables, the paper's among them."""
    steps = [SMALL_TABLES + round(step * (largest - SMALL_TABLES) / 6) for step in range(7)]
    return listed([min(LARGE_TABLES, largest), *steps])


def place_exists(place):
    """Whether FILE or FILE:VARIABLE is there."""
    ends = [end for end, letter in enumerate(place) if letter == ":" and end]
    return any(os.path.exists(place[:end]) for end in [len(place), *ends])


def resolved(file, study):
    """The absolute path of a study's file: beside the study, or in FPSYNTH_DATA."""
    beside, folder = os.path.join(os.path.dirname(study), file), os.environ.get("FPSYNTH_DATA")
    there = os.path.join(folder or "", file)
    return os.path.abspath(there if folder and not place_exists(beside) and place_exists(there)
                           else beside)


class Report:
    """The documents of a directory of runs."""

    def __init__(self, program, name, runs):
        self.program, self.name, self.runs = program, name, runs
        self.folder, self.made, self.kept = os.path.join(runs, FOLDER), 0, 0
        searched = [runs] if results_in(runs) else None
        self.values = {"RUNS": searched, "DIR": [runs], "SEARCHED": searched and ["--runs", runs],
                       "EXTERNAL": [], "PART": ["--timed-bytes", "8M"]}

    def note(self, text):
        print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    def path(self, stem):
        return os.path.join(self.folder, stem + ".json")

    def rows(self, stem):
        """The rows of a document's first table."""
        return read_json(self.path(stem))["tables"][0]["rows"]

    def output(self, *words):
        try:
            return subprocess.run([self.program, *words], stdin=subprocess.DEVNULL, encoding="utf-8",
                                  stdout=subprocess.PIPE, check=True).stdout
        except OSError as error:
            raise Problem(f"cannot run {self.program} ({error.strerror}); name the program with "
                          "--fpsynth") from error
        except subprocess.CalledProcessError as error:
            raise Problem(f"{shown(['fpsynth', *words])} failed; see its message above") from error

    def put(self, stem, content):
        """Writes a file unless it has this text: documents are older than a source that is written."""
        path, text = self.path(stem), json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        os.makedirs(self.folder, exist_ok=True)
        with open(path, "a+", encoding="utf-8") as stream:
            stream.seek(0)
            if stream.read() != text:
                stream.truncate(0)
                stream.write(text)
        return path

    def make(self, stem, words, sources):
        path = self.path(stem)
        made = os.path.getmtime(path) if os.path.exists(path) else 0
        newer = [one for one in [shutil.which(self.program), *sources]
                 if one and os.path.getmtime(one) > made]
        if not newer:
            self.kept += 1
            return
        why = f"older than {newer[0]}" if made else "not there"
        self.note(f"{stem}.json is {why}: {shown(['fpsynth', *words])}")
        os.makedirs(self.folder, exist_ok=True)
        self.output(*words, "--out", path)
        self.made += 1

    def follow(self, rule):
        """Makes the document of a rule, if all its values are there."""
        stem, words, sources = rule.split(":")[0], [], []
        for word in rule.split()[1:]:
            value = [word]
            if word.startswith("--compared="):
                value = each("--compared", [self.path(one) for one in word.split("=")[1].split(",")
                                            if os.path.exists(self.path(one))])
            elif word.isupper():
                value = self.values.get(word)
                if value is None:
                    return
                sources += results_in(self.runs) if word in ("RUNS", "OF_STUDY", "SEARCHED", "DIR") else []
                sources += timed_in(self.runs) if word in ("TIMED", "JUDGED") else []
            words += value
            sources += [one for one in value if os.sep in one and os.path.isfile(one)]
        self.make(stem, words, sources)

    def of_study(self, config):
        """A study, of whose data sets those that are not there are left out."""
        study, here = read_study(config), set()
        if "datasets" in study:
            study["datasets"] = [resolved(file, config) for file in study["datasets"]]
        described = sorted({one["dataset"] for one in study["data"] if "dataset" in one})
        if described:
            answer = self.output("data", "list", *described, "--json",
                                 *each("--registry", study.get("datasets", [])))
            here = {one["name"] for one in json.loads(answer) if one["here"]}
        data = []
        for one in study["data"]:
            if "file" in one:
                one["file"] = resolved(one["file"], config)
            if place_exists(one["file"]) if "file" in one else one.get("dataset") in {None, *here}:
                data.append(one)
            else:
                self.note(f"left out because its data are not available: {item_name(one)}")
        if not data:
            os.makedirs(self.folder, exist_ok=True)  # so that a report of several studies can be drawn
            self.note("none of its data sets is available")
            return
        there = self.put("study", {**study, "data": data})
        self.make("statistics", ["data", "info", "--study", there], [there])
        if not self.values["RUNS"]:
            self.note(f"{self.runs} has no results; search first: " +
                      shown(["fpsynth", "search", "--study", config, "--out", self.runs]))
        self.settings(study, data, there)
        for rule in RULES.splitlines():
            if rule.startswith("pareto:") and self.values["RUNS"]:
                self.speeds()
            try:
                self.follow(rule)
            except Problem as problem:
                if not rule.startswith("holt-gpu:"):
                    raise
                self.note(f"Holt by size on a GPU is left out: {problem}")

    def settings(self, study, data, there):
        """The values of measurements, which depend on the sizes of the data."""
        doubles, singles = ({row["data_set"]: row["bytes"] for row in self.rows("statistics")
                             if row["precision"] == precision} for precision in ("double", "single"))
        big = sum({**singles, **doubles}.values()) > BIG
        size = "2M" if big else "8M"
        on_gpu = files_ending(self.runs, ".cuda.throughput.json")
        self.values.update(
            STUDY=[there], WHOLE=[there], OF_STUDY=self.values["RUNS"], JUDGED=self.values["RUNS"],
            SEARCHED=self.values["SEARCHED"] or [],
            # There are many settings, and slow compressors: only the first bytes are timed.
            PART=["--timed-bytes", size] + (["--repetitions", "1"] if big else []),
            FIRST=["--timed-bytes", size] if big else [],
            EXTERNAL=each("--external", files_ending(os.path.relpath(PEERS), ".json")), ON_GPU=[there] if on_gpu else None)
        if not doubles:  # GFC and pFPC take no data sets of singles
            return
        data_of = [one for one in data if item_name(one) in doubles]
        if len(data_of) < len(data):
            there = self.put("study-doubles", {**study, "data": data_of})
        largest = tables_that_fit(doubles.values())
        self.values.update(
            DOUBLES=[there], TABLES=[listed([SMALL_TABLES, min(LARGE_TABLES, largest)])],
            MODES=[table_modes(largest)], THREADS=[f"1,{len(os.sched_getaffinity(0))}"],
            CHUNKS="--chunks 1,8,512,32768 --threads 1,2,3,4,5,6,8,12,16".split() if big else [])
        papers = read_json(PAPERS)
        if any("made" not in one and item_name(one) in papers["datasets"] for one in data_of):
            # The settings of the MPC paper depend on its machine.
            pfpc, gfc = (papers["mpc_settings"][one] for one in ("pFPC -1M", "GFC"))
            self.values["PFPC_OF_MPC"] = f"--tables {pfpc['table_bits']} --threads {pfpc['instances']} " \
                f"--chunks {pfpc['chunk_values']}".split()
            self.values["GFC_OF_MPC"] = ["--chunks", str(gfc["chunks"])]

    def speeds(self):
        """Times the three best pipelines over the data sets, unless some were timed on any device."""
        if not timed_in(self.runs):
            best = dict.fromkeys(row["pipeline"] for row in self.rows("overall") if row["rank"] <= 3)
            # As many bytes as of the compressors that stand beside them.
            words = ["bench", "pipelines", *best, "--runs", self.runs, "--bytes", self.values["PART"][1]]
            self.note(f"no pipelines were timed: {shown(['fpsynth', *words])}")
            self.output(*words)
        self.values["TIMED"] = [self.runs]

    def of_results(self):
        """Results alone, without the papers. Other compressors are measured as far as the files of the
        data are still there."""
        data, precisions = {}, set()
        for one in (read_json(path)["dataset"] for path in results_in(self.runs)):
            if place_exists(one.get("file", "")):
                data[one["name"]] = {"name": one["name"], "file": one["file"]}
                precisions.add(one["precision"])
        if data:
            self.values["STUDY"] = [self.put("study", {"name": "own", "data": [*data.values()],
                                                       "precisions": sorted(precisions)})]
        else:
            self.note("no speeds: the files of its data sets are not where they were searched")
        try:
            for rule in RULES.splitlines():
                self.follow(rule)
        except Problem as problem:  # a raw file whose name does not say its type, for one
            self.note(f"no speeds: {problem}")

    def beyond(self, others, deeper):
        """What searches in wider spaces and with more stages found, beside other compressors."""
        searched = {"pipelines": self}
        for what, runs in others.items():
            if runs and os.path.exists(self.path("study")):
                searched[what] = other = Report(self.program, runs, runs)
                other.values.update(STUDY=[self.path("study")], PART=self.values["PART"])
                for rule in RULES.splitlines():
                    if rule.startswith(("runs:", "one-core:")):
                        other.follow(rule)
                other.end()
        compared = [file for file in files_ending(self.folder, ".json")
                    if os.path.basename(file).startswith("compare")]
        ours = {what: one.path("one-core") for what, one in searched.items()
                if os.path.exists(one.path("one-core"))}
        if compared:
            self.make("peers", ["query", "peers", *compared, *each("--auto", compared),
                                *(word for what in ours for word in (f"--{what}", ours[what]))],
                      [*compared, *ours.values()])
        if deeper and self.values["RUNS"]:
            self.make("deeper", ["query", "stages", "--runs", self.runs, *each("--deeper", deeper)],
                      [file for runs in [self.runs, *deeper] for file in results_in(runs)])
        self.end()

    def end(self):
        print(f"{self.folder}: {counted(self.made, 'document')} made, {self.kept} up to date")


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m analysis.make", description=__doc__)
    parser.add_argument("--study", metavar="CONFIG", help="study file; without one, the report is on the "
                        "results alone, without the papers")
    parser.add_argument("--runs", metavar="DIR", required=True, help="directory of the study's results")
    parser.add_argument("--preludes-runs", metavar="DIR", help="of the same data sets with preludes")
    parser.add_argument("--wide-runs", metavar="DIR", help="the same in the wide space")
    parser.add_argument("--deeper-runs", metavar="DIR", nargs="+", default=[],
                        help="of the same data sets with more stages, of all pipelines or raced")
    parser.add_argument("--fpsynth", metavar="PROGRAM", default="fpsynth", help="the program to call")
    arguments = parser.parse_args(argv)
    others = {"preludes": arguments.preludes_runs, "wide": arguments.wide_runs}
    needed = [*others.values(), *arguments.deeper_runs, None if arguments.study else arguments.runs]
    for runs in needed:
        if runs and not results_in(runs):
            raise Problem(f"{runs} has no results of a search; leave it out, or search first")
    name = read_study(arguments.study)["name"] if arguments.study else arguments.runs
    report = Report(arguments.fpsynth, name, arguments.runs)
    if arguments.study:
        report.of_study(arguments.study)
    else:
        report.of_results()
    report.beyond(others, arguments.deeper_runs)


if __name__ == "__main__":
    exit_with(main, "analysis.make")
