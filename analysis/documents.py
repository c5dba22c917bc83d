"""Reads and checks the documents from which figures are drawn."""

import json
import os
import re
import shlex
from statistics import fmean, harmonic_mean

from analysis.checks import COUNT, POSITIVE, RECREATE, check_shape, check_tables, recorded
from analysis.first_tables import FIRST_TABLES, with_keys
from analysis.items import counted
from analysis.problems import Problem

TIMES = {"gb_per_s": POSITIVE}
# The schemas that this program reads: name -> newest version, and the fields that it needs. Names
# of optional fields end in "?".
SCHEMAS = {
    "fpsynth-tables": (2, {
        "kind": str, "program": {"version": str, "commit": str},
        "machine": {"cpu": str, "threads": COUNT}, "command": str,
        "tables": [{"title": str, "columns": [{"key": str, "title": str}], "rows": [dict],
                    "notes": [str]}]}),
    "fpsynth-comparison": (1, {
        "program": {"version": str, "commit": str}, "machine": {"cpu": str, "threads": COUNT},
        "data_sets": [{"name": str, "precision": str, "bytes": COUNT, "xxh3?": str, "rows": [
            {"compressor": str, "ratio?": POSITIVE, "pipeline?": str, "threads?": COUNT,
             "compress?": TIMES, "decompress?": TIMES, "searched_one_chunk_in?": COUNT}]}],
        "means": [{"compressor": str, "precision": str, "data_sets": COUNT, "of": COUNT,
                   "harmonic_mean_ratio": POSITIVE, "mean_compress_gb_per_s": POSITIVE,
                   "mean_decompress_gb_per_s": POSITIVE,
                   "harmonic_mean_compress_gb_per_s?": POSITIVE}],
        "missing": [{"compressor": str, "reason": str}], "notes": [str], "repetitions": COUNT}),
    "fpsynth-throughput": (1, {
        "dataset": {"name": str, "precision": str},
        "run": {"backend": str, "device": str, "threads": COUNT},
        "rows": [{"name": str, "compress": TIMES, "decompress": TIMES}]}),
}
# The documents of a study by name: the kind and, for each table, the keys of the columns that
# figures need. The columns of the last table are also those of all further tables; None: of any.
PIPELINES = ["precision", "rank", "pipeline", "harmonic_mean_ratio", "lowest_ratio", "lowest_on"]
LEFT_OUT = ["excluded", "precision", "best_of_the_others", "excluded_ratio", "own_best_ratio",
            "shortfall_percent"]
TALLY = [["component", "total"], ["family", "total", "share_percent"],
         ["stages_before_cut", "pipelines", "share_percent"], ["component"]]
BY_PRECISION = ["double_pipelines", "single_pipelines", "pipelines", "share_percent"]
PATTERNS = [["pattern", *BY_PRECISION], ["kind", *BY_PRECISION, "twice_pipelines"],
            ["reducers_before_last", *BY_PRECISION], ["component", *BY_PRECISION],
            ["component", "stage", *BY_PRECISION]]
SPEEDS = ["compress_gb_per_s", "decompress_gb_per_s"]
GPU_TIMES = ["compress_kernels_gb_per_s", "decompress_kernels_gb_per_s", "compress_kernels_ms",
             "compress_transfers_ms", "decompress_kernels_ms", "decompress_transfers_ms"]
PFPC = [["data_set", "bytes", "table_bits", "table_bytes", "threads", "chunk_values", "ratio", *SPEEDS,
         "compress_spread", "decompress_spread", "data_sets", "fits"]]
HOLT = ["data_set", "bytes", "ratio", "compressed_per_original", *SPEEDS]
KINDS = {
    "runs": ("query runs", [["data_set", "precision", "bytes", "pipelines", "one_chunk_in",
                             "complete", "verification", "failures", "backend", "device",
                             "threads", "seconds", "giga_pipeline_bytes_per_s"], None]),
    "best": ("query best", [["data_set", "double_ratio", "double_pipeline", "single_ratio",
                             "single_pipeline"], None]),
    "best-published": ("query best", [
        ["data_set", *(f"{precision}_{figure}" for precision in ("double", "single")
                       for figure in ("ratio", "pipeline", "paper_pipeline", "paper_pipeline_ratio",
                                      "paper_pipeline_rank"))],
        ["precision", "what", "data_sets", "ratio", "paper_ratio"]]),
    "overall": ("query overall", [PIPELINES, LEFT_OUT, None]),
    "stages": ("query stages", [["data_set", "precision"]]),
    "deeper": ("query stages", [
        ["data_set", "precision"], ["precision", "data_sets"],
        ["data_set", "precision", "stages", "ratio", "gain_percent", "used_stages", "pipeline",
         "searched"],
        ["stages", "winners", "mean_used_stages", "mean_reducers", "all_on_words", "all_on_bytes",
         "cut_between", "mean_stages_before_cut"], ["stages", "kind", "total", "share_percent"]]),
    "components-1": ("query components", TALLY + TALLY),
    "components-100": ("query components", TALLY),
    "patterns-1": ("query patterns", PATTERNS + PATTERNS),
    "top-1": ("query top", [["data_set", "precision", "pipeline", "ratio"],
                            ["data_set", "precision", "pipeline", "ties", "tied_algorithms",
                             "next_below_percent"]]),
    "dimensionality": ("query dimensionality", [
        ["data_set", "precision", "dimensionality", "mpc_ratio", "best_ratio"],
        ["precision", "dimensionalities", "data_sets", "mpc_ahead", "mpc_ratio", "best_ratio"]]),
    "peers": ("query peers", [
        ["data_set", "precision", *(f"{what}_{figure}" for what in ("pipelines", "preludes", "wide")
                                    for figure in ("ratio", "method")), "best_of_ours", *SPEEDS],
        ["method", "searched_in", "inputs", "geometric_mean_ratio",
         *(f"median_{speed}" for speed in SPEEDS)],
        ["what", "verdict", "in_pipelines", "in_preludes", "in_wide", "best_of_ours", "true_on",
         "known_on", "holds_if"]]),
    "cards": ("query cards", [
        ["data_set", "precision", "kind", "compressor", "ratio", *SPEEDS, "highest"],
        ["data_set", "description", "type", "bytes", "unique_percent", "entropy_bits",
         "randomness_percent"], ["data_set", "what", "command"]]),
    "scorecard": ("query scorecard", [
        ["from", "what", "data_set", "precision", "published", "ours", "difference_percent", "cause",
         "printed_decimals", "searched_in"],
        ["paper", "printed_numbers", "equal", "within_1_percent", "cause_not_known",
         "largest_difference_percent", "largest_on"],
        ["from", "compressor", "precision", "direction", "published_gb_per_s", "ours_gb_per_s",
         "difference_percent", "cause"], None]),
    "claims": ("query claims", [["claim", "paper_verdict", "verdict_1", "section", "what",
                                 "holds_if"], ["claim", "of", "verdict", "numbers"]]),
    "distribution": ("query distribution", [
        ["data_set", "precision", "pipelines", "compressing_percent", "lowest_ratio",
         "first_quartile_ratio", "median_ratio", "third_quartile_ratio", "percentile_99_ratio",
         "highest_ratio"],
        ["data_set", "precision", "from_ratio", "to_ratio", "pipelines"]]),
    "pareto": ("query pareto", [["compressor", "kind", "how", "threads", "ratio", *SPEEDS,
                                 "front"]]),
    "timed": ("query timed", [["data_set", "precision", "backend", "device", "compressor", "how",
                               "threads", "data_sets", "input_bytes", "ratio", *SPEEDS,
                               *GPU_TIMES]]),
    "statistics": ("data info", [["data_set", "precision", "bytes", "size_mib", "values_millions",
                                  "unique_percent", "entropy_bits", "randomness_percent"]]),
    "gfc": ("sweep gfc", [["data_set", "dimensionality", "chunks", "bytes", "ratio", *SPEEDS,
                           "data_sets", "fits"],
                          ["data_set", "dimensionality", "leading_zero_bytes", "share_percent"]]),
    "holt": ("sweep holt", [HOLT, None]),
    "holt-gpu": ("sweep holt", [[*HOLT, "device", *GPU_TIMES]]),
    "pfpc": ("sweep pfpc", PFPC),
    "pfpc-modes": ("sweep pfpc", PFPC),
    "pfpc-paper": ("sweep pfpc", PFPC),
    "gfc-paper": ("sweep gfc", [["data_set", "chunks", "ratio"], ["data_set"]]),
}
COMPARED = ("compare", "one-core")  # the documents of `compare`
OURS = ("best searched", "auto")  # our methods in them
MARK = " \u2020"  # marks the results of a search that did not cover all chunks and pipelines
PRELUDES, WIDE = "preludes", "preludes, wide space"  # searches of a study in wider spaces
LONGER, AUTO = "preludes, longer chunks", "auto"  # raced in the wide space; what compress auto finds
FOLDER = "documents"  # of a directory of runs
BEST = "Best"  # the pipeline with the highest harmonic mean, in place of a data set


def read_json(path):
    """The JSON of a file. Raises Problem if the file is missing or damaged."""
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path}: is not text; {RECREATE}") from error
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Problem(f"{path}: is not complete JSON (line {error.lineno}: {error.msg}); "
                      f"{RECREATE}") from error
    except (RecursionError, ValueError) as error:  # nested too deep; a number of too many digits
        raise Problem(f"{path}: is not a document ({error}); {RECREATE}") from error


def read_document(path):
    """Reads a document and checks that it has a known schema and all fields that figures need."""
    document = read_json(path)
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, str) or schema not in SCHEMAS:
        raise Problem(f"{path}: has the schema {schema!r}, but known schemas are "
                      f"{', '.join(sorted(SCHEMAS))}; remove it, or create it with "
                      "`fpsynth ... --out`")
    newest, shape = SCHEMAS[schema]
    version = document.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise Problem(f"{path}: its version is {version!r}; {RECREATE}")
    if version > newest:
        raise Problem(f"{path}: has version {version} of {schema}, but this program reads versions "
                      f"up to {newest}; update it, or create the document again")
    if schema == "fpsynth-tables" and version == 1:
        check_shape(path, "", document, FIRST_TABLES)
        with_keys(document)
    check_shape(path, "", document, shape)
    stem = os.path.splitext(os.path.basename(path))[0]
    if stem in COMPARED and schema != "fpsynth-comparison":
        raise Problem(f"{path}: has the schema {schema}, not fpsynth-comparison; {RECREATE}")
    if schema == "fpsynth-tables":
        check_tables(path, document, *KINDS.get(stem, (None, [[]])))
    elif stem in KINDS:
        raise Problem(f"{path}: has the schema {schema}, not fpsynth-tables; {RECREATE}")
    return recorded(path, document)


def read_study(config):
    """A study file, checked as far as drawing needs it."""
    description = read_json(config)
    try:
        check_shape(config, "", description, {"name": str, "data": [dict], "precisions?": [str]})
        for number, item in enumerate(description["data"], 1):
            if not any(key in item for key in ("file", "made", "dataset")):
                raise Problem(f"{config}: data {number} has neither file nor made nor dataset")
            check_shape(config, f"data {number}", item,
                        {"name?": str, "file?": str, "made?": str, "dataset?": str})
    except Problem as problem:
        raise Problem(str(problem).replace(f"; {RECREATE}", "") + ": it is not a study file, see "
                      "configs/README.md") from problem
    return description


class Study:
    """A study file, or None, and the documents of its directory of runs. Without a file, the study has
    the directory's name, and the data sets that were searched."""

    def __init__(self, config, runs):
        self.config, self.runs = config, runs
        description = read_study(config) if config else \
            {"name": os.path.basename(os.path.abspath(runs)), "data": []}
        self.name = description["name"]
        self.entries = description["data"]
        self.items = [item_name(item) for item in self.entries]
        self.made = [item_name(item) for item in self.entries if "made" in item]
        self.documents, self.throughput = {}, []
        self.beyond = {}  # what -> Study of the same data sets, searched in a wider space
        folder = os.path.join(runs, FOLDER)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            stem, ending = os.path.splitext(name)
            if ending == ".json" and not stem.startswith("study"):
                self._add(stem, read_document(os.path.join(folder, name)))
        for name in sorted(os.listdir(runs)) if os.path.isdir(runs) else []:
            if name.endswith(".throughput.json"):
                self.throughput.append(read_document(os.path.join(runs, name)))

    def _add(self, stem, document):
        if document["schema"] == "fpsynth-throughput":
            self.throughput.append(document)
        else:
            self.documents[stem] = document

    def tables(self, stem):
        """The tables of a document; empty if it is missing."""
        return self.documents.get(stem, {}).get("tables", [])

    def rows(self, stem, table=0, **where):
        """Rows of a document's table in which columns have given values."""
        tables = self.tables(stem)
        if table >= len(tables):
            return []
        return [row for row in tables[table]["rows"]
                if all(row.get(key) == value for key, value in where.items())]

    def notes(self, stem):
        """The notes of a document's first table."""
        tables = self.tables(stem)
        return tables[0]["notes"] if tables else []

    def comparison(self):
        return self.documents.get("compare")

    def compared(self, precision):
        """The compared data sets of a precision, in the order of the study."""
        comparison = self.comparison()
        return [one for one in comparison["data_sets"] if one["precision"] == precision] \
            if comparison else []

    def on_one_core(self, name, precision):
        """The row of the best searched pipeline of a data set, timed on one core; None without."""
        document = self.documents.get("one-core", {"data_sets": []})
        return next((row for one in document["data_sets"]
                     if (one["name"], one["precision"]) == (name, precision)
                     for row in one["rows"] if row.get("threads") == 1), None)

    def means(self, precision):
        """The means over the data sets, of the compressors that ran on all of them: those of the comparison,
        and of ours those of documents ours-*, which may be on more data sets and on another machine."""
        comparison = self.comparison() or {"means": []}
        return [mean for mean in comparison["means"]
                if mean["precision"] == precision and mean["data_sets"] == mean["of"]] + \
            [mean for stem, document in self.documents.items() if stem.startswith("ours-")
             for mean in means_of(document, precision, [one["name"] for one in self.compared(precision)])]

    def searched(self):
        """The names of the data sets with results, in the order of the study."""
        found = {row["data_set"] for row in self.rows("runs")}
        return [name for name in self.items if name in found] + \
            sorted(name for name in found if name not in self.items)

    def real(self):
        """Whether none of its data sets is synthetic."""
        return not self.made

    def absent(self):
        """The study's data sets that no document contains."""
        known = set(self.searched()) | {row["data_set"] for row in self.rows("statistics")}
        for precision in ("double", "single"):
            known |= {one["name"] for one in self.compared(precision)}
        return [name for name in self.items if name not in known]

    def part(self, name=None, precision=None):
        """The part of the data that was searched: 'one chunk in 32', 'not complete'; 'a race' if all
        chunks were searched only with the pipelines that it left; empty if the search covered the
        whole data with all pipelines. Considers the named data set and precision, or all if they
        are None (BEST also means all data sets)."""
        found = {}
        for row in self.rows("runs"):
            if name in (None, BEST, row["data_set"]) and precision in (None, row["precision"]):
                text = f"one chunk in {row['one_chunk_in']}" if row["one_chunk_in"] > 1 else \
                    "not complete" if row["complete"] == "no" else ""
                if row.get("left_of") is not None:
                    text = f"a race, {text}" if text else "a race"
                found.setdefault(text, set()).add(row["data_set"])
        sets = len(set().union(*found.values()))
        return ", ".join(text if len(found[text]) == sets else
                         f"{text} on {len(found[text])} of {counted(sets, 'data set')}"
                         for text in sorted(found) if text)

    def mark(self, name=None, precision=None):
        """MARK if the values come from a part of the data, otherwise empty."""
        return MARK if self.part(name, precision) else ""

    def extent(self, name, precision):
        """The text in tables for the part of the data that was searched; None without a search."""
        if not self.rows("runs"):
            return None
        return self.part(name, precision) or "all chunks"

    def timed_on(self, backend, precision):
        """Rows of `query timed` for a backend: the means over its data sets, or the rows of the
        only data set."""
        rows = self.rows("timed", backend=backend, precision=precision)
        names = {row["data_set"] for row in rows}
        return rows if len(names) == 1 else [row for row in rows if row["data_set"] == "mean"]

    def machine(self, *stems):
        """The machine of the first of these documents that exists (default: those of sweeps)."""
        for stem in stems or ("compare", "pfpc", "gfc", "holt"):
            if stem in self.documents:
                return machine_of(self.documents[stem])
        return ""


def item_name(item):
    """The name of a study file's data set in results."""
    if "name" in item:
        return item["name"]
    if "file" in item:
        return os.path.basename(item["file"]).split(".")[0]
    return item.get("dataset") or item["made"]


def means_of(document, precision, names):
    """The means of ours in a comparison over the named data sets, if it has all of them."""
    rows = {}
    for one in document["data_sets"]:
        for row in one["rows"] if (one["name"] in names and one["precision"] == precision) else []:
            if row["compressor"].startswith(OURS) and "ratio" in row:
                rows.setdefault(row["compressor"], []).append(row)
    speeds = [(way, kind, mean) for way in ("compress", "decompress")
              for kind, mean in (("mean", fmean), ("harmonic_mean", harmonic_mean))]
    return [{"compressor": compressor, "precision": precision, "data_sets": len(names), "of": len(names),
             "on": machine_of(document), "harmonic_mean_ratio": harmonic_mean(row["ratio"] for row in its),
             **{f"{kind}_{way}_gb_per_s": mean(row[way]["gb_per_s"] for row in its)
                for way, kind, mean in speeds}}
            for compressor, its in rows.items() if len(its) == len(names)]


def machine_of(document):
    return f"{document['machine']['cpu']}, {counted(document['machine']['threads'], 'thread')}"


def timed_parts(document):
    """How many of the first bytes of each data set were timed, as all programs say whose figures the
    document has; empty if all were."""
    return {int(size) for size in re.findall(r"of the first (\d+) bytes",
                                             "; ".join(document.get("notes", [])))}


def arguments_of(document):
    """The command line that created a document, without the program."""
    return document["command"].split(" ", 1)[-1]


def shown(command):
    """A command as typed in a shell."""
    return " ".join(shlex.quote(part) for part in command)
