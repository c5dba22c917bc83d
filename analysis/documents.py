"""The documents that figures are drawn from, read and checked."""

import json
import os
import shlex

from analysis.first_tables import FIRST_TABLES, with_keys
from analysis.problems import Problem

NUMBER = (int, float)
TIMES = {"gb_per_s": NUMBER}
# What this program can read: schema name -> newest version, and the fields that it relies on. "?"
# stands behind those that may be missing.
SCHEMAS = {
    "fpsynth-tables": (2, {
        "kind": str, "program": {"version": str, "commit": str},
        "machine": {"cpu": str, "threads": int}, "command": str,
        "tables": [{"title": str, "columns": [{"key": str, "title": str}], "rows": [dict],
                    "notes": [str]}]}),
    "fpsynth-comparison": (1, {
        "program": {"version": str, "commit": str}, "machine": {"cpu": str, "threads": int},
        "data_sets": [{"name": str, "precision": str, "bytes": int, "rows": [
            {"compressor": str, "ratio?": NUMBER, "pipeline?": str, "threads?": int,
             "compress?": TIMES, "decompress?": TIMES, "searched_one_chunk_in?": int}]}],
        "means": [{"compressor": str, "precision": str, "data_sets": int, "of": int,
                   "harmonic_mean_ratio": NUMBER, "mean_compress_gb_per_s": NUMBER,
                   "mean_decompress_gb_per_s": NUMBER, "on_front?": dict}],
        "missing": [{"compressor": str, "reason": str}], "notes": [str], "repetitions": int}),
    "fpsynth-throughput": (1, {
        "dataset": {"name": str, "precision": str},
        "run": {"backend": str, "device": str, "threads": int},
        "rows": [{"name": str, "compress": TIMES, "decompress": TIMES}]}),
}
# What the documents of a study are, by their names: the kind, and of each table the columns that
# figures are drawn from, by key. The columns of the last table are also those of all that follow.
PIPELINES = ["precision", "rank", "pipeline", "harmonic_mean_ratio", "lowest_ratio", "lowest_on"]
LEFT_OUT = ["excluded", "precision", "best_of_the_others", "excluded_ratio", "own_best_ratio",
            "shortfall_percent"]
TALLY = [["component", "total"], ["family", "total", "share_percent"],
         ["stages_before_cut", "pipelines", "share_percent"], ["component"]]
SPEEDS = ["compress_gb_per_s", "decompress_gb_per_s"]
GPU_TIMES = ["compress_kernels_gb_per_s", "decompress_kernels_gb_per_s", "compress_kernels_ms",
             "compress_transfers_ms", "decompress_kernels_ms", "decompress_transfers_ms"]
PFPC = [["data_set", "table_bits", "table_bytes", "threads", "chunk_values", "ratio", *SPEEDS,
         "compress_spread", "decompress_spread"]]
HOLT = ["data_set", "bytes", "ratio", "compressed_per_original", *SPEEDS]
KINDS = {
    "runs": ("query runs", [["data_set", "precision", "bytes", "pipelines", "one_chunk_in",
                             "complete", "verification", "failures", "backend", "device",
                             "threads", "seconds", "giga_pipeline_bytes_per_s"]]),
    "best": ("query best", [["data_set", "double_ratio", "double_pipeline", "single_ratio",
                             "single_pipeline"]]),
    "means": ("query means", [["precision", "what", "data_sets", "ratio", "paper_ratio"]]),
    "overall": ("query overall", [PIPELINES, LEFT_OUT]),
    "stages": ("query stages", [["data_set", "precision"]]),
    "components-1": ("query components", TALLY + TALLY),
    "components-100": ("query components", TALLY),
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
    "gfc": ("sweep gfc", [["data_set", "dimensionality", "chunks", "ratio", *SPEEDS],
                          ["data_set", "dimensionality", "leading_zero_bytes", "share_percent"]]),
    "holt": ("sweep holt", [HOLT]),
    "holt-gpu": ("sweep holt", [[*HOLT, "device", *GPU_TIMES]]),
    "pfpc": ("sweep pfpc", PFPC),
    "pfpc-modes": ("sweep pfpc", PFPC),
}
ANEW = "remove it and make it anew"
MARK = " \u2020"  # behind what a search that was not of all chunks found
FOLDER = "documents"  # of a directory of runs
BEST = "Best"  # the pipeline with the highest harmonic mean, in place of a data set


def read_json(path):
    """The JSON of a file. Throws Problem for what is missing or not whole."""
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path}: is not text; remove it and make it anew") from error
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Problem(f"{path}: is not whole JSON (line {error.lineno}: {error.msg}); remove it "
                      "and make it anew") from error


def read_document(path):
    """A document of a schema that this program knows, with all that figures need of it."""
    document = read_json(path)
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, str) or schema not in SCHEMAS:
        raise Problem(f"{path}: has the schema {schema!r}, known are {', '.join(sorted(SCHEMAS))}; "
                      "take it away, or make it with `fpsynth ... --out`")
    newest, shape = SCHEMAS[schema]
    version = document.get("version")
    if not isinstance(version, int) or version < 1:
        raise Problem(f"{path}: its version is {version!r}; {ANEW}")
    if version > newest:
        raise Problem(f"{path}: has version {version} of {schema}, this program knows up to "
                      f"{newest}; update it, or make the document anew")
    if schema == "fpsynth-tables" and version == 1:
        check_shape(path, "", document, FIRST_TABLES)
        with_keys(document)
    check_shape(path, "", document, shape)
    stem = os.path.splitext(os.path.basename(path))[0]
    if stem == "compare" and schema != "fpsynth-comparison":
        raise Problem(f"{path}: is no comparison but has the schema {schema}; {ANEW}")
    if schema == "fpsynth-tables":
        check_tables(path, document, *KINDS.get(stem, (None, [[]])))
    elif stem in KINDS:
        raise Problem(f"{path}: has the schema {schema}, not fpsynth-tables; {ANEW}")
    return document


def check_shape(path, where, value, shape):
    """Whether a value has the fields of a shape, and they the types."""
    if isinstance(shape, list):
        check_shape(path, where, value, list)
        for number, entry in enumerate(value, 1):
            check_shape(path, f"{where} {number}", entry, shape[0])
    elif isinstance(shape, dict):
        check_shape(path, where, value, dict)
        for name, inner in shape.items():
            key = name.rstrip("?")
            if key in value:
                check_shape(path, f"{where} {key}".strip(), value[key], inner)
            elif key == name:
                raise Problem(f"{path}: {f'{where} {key}'.strip()} is missing; {ANEW}")
    elif not isinstance(value, shape):
        raise Problem(f"{path}: {where} is {value!r:.40}, which it cannot be; {ANEW}")


def check_tables(path, document, kind, columns):
    """Whether it is what its name says, with the tables and columns for it, in every row."""
    if kind and document["kind"] != kind:
        raise Problem(f"{path}: holds the tables of '{document['kind']}', its name is for those of "
                      f"'{kind}'; {ANEW}")
    tables = document["tables"]
    if len(tables) < len(columns):
        raise Problem(f"{path}: has {len(tables)} tables instead of {len(columns)}; {ANEW}")
    for number, table in enumerate(tables):
        keys = keys_of(table)
        for column in columns[min(number, len(columns) - 1)]:
            if column not in keys:
                raise Problem(f"{path}: {table['title']}: the column '{column}' is missing; {ANEW}")
        for row_number, row in enumerate(table["rows"], 1):
            if list(row) != keys:
                raise Problem(f"{path}: {table['title']}: row {row_number} does not have the "
                              f"table's columns; {ANEW}")


def keys_of(table):
    """The keys of a table's columns, in their order."""
    return [column["key"] for column in table["columns"]]


class Study:
    """A study file and the documents of its directory of runs."""

    def __init__(self, config, runs):
        self.config, self.runs = config, runs
        description = read_json(config)
        try:
            self.name = description["name"]
            self.items = [item_name(item) for item in description["data"]]
        except (KeyError, TypeError) as error:
            raise Problem(f"{config}: is no study file ({error}); see configs/README.md") from error
        self.documents, self.throughput = {}, []
        folder = os.path.join(runs, FOLDER)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            stem, ending = os.path.splitext(name)
            if ending == ".json" and stem != "study":
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
        """The tables of a document, or none where it is missing."""
        return self.documents.get(stem, {}).get("tables", [])

    def rows(self, stem, table=0, **where):
        """Rows of a document's table in which columns have given values."""
        tables = self.tables(stem)
        if table >= len(tables):
            return []
        return [row for row in tables[table]["rows"]
                if all(row.get(key) == value for key, value in where.items())]

    def notes(self, stem):
        """What a reader must know of a document's first table."""
        tables = self.tables(stem)
        return tables[0]["notes"] if tables else []

    def comparison(self):
        return self.documents.get("compare")

    def compared(self, precision):
        """The compared data sets of a precision, in the order of the study."""
        comparison = self.comparison()
        return [one for one in comparison["data_sets"] if one["precision"] == precision] \
            if comparison else []

    def means(self, precision):
        """The means over the data sets of compressors that have them all."""
        comparison = self.comparison()
        return [mean for mean in comparison["means"]
                if mean["precision"] == precision and mean["data_sets"] == mean["of"]] \
            if comparison else []

    def searched(self):
        """The names of the data sets with results, in the order of the study."""
        found = {row["data_set"] for row in self.rows("runs")}
        return [name for name in self.items if name in found] + \
            sorted(name for name in found if name not in self.items)

    def absent(self):
        """The study's data sets of which there is nothing."""
        here = set(self.searched()) | {row["data_set"] for row in self.rows("statistics")}
        for precision in ("double", "single"):
            here |= {one["name"] for one in self.compared(precision)}
        return [name for name in self.items if name not in here]

    def part(self, name=None, precision=None):
        """Of what a search was that is not of the whole data: 'one chunk in 32', 'not complete';
        else nothing. Of the named data set and precision, or of any where none is named (BEST is
        over all of them)."""
        found = {}
        for row in self.rows("runs"):
            if name in (None, BEST, row["data_set"]) and precision in (None, row["precision"]):
                text = f"one chunk in {row['one_chunk_in']}" if row["one_chunk_in"] > 1 else \
                    "not complete" if row["complete"] == "no" else ""
                found.setdefault(text, set()).add(row["data_set"])
        sets = len(set().union(*found.values()))
        return ", ".join(text if len(found[text]) == sets else
                         f"{text} on {len(found[text])} of {sets} data sets"
                         for text in sorted(found) if text)

    def mark(self, name=None, precision=None):
        """What stands behind figures that come from a part of the data."""
        return MARK if self.part(name, precision) else ""

    def extent(self, name, precision):
        """What a table says of the search that its figures come from."""
        if not self.rows("runs"):
            return None
        return self.part(name, precision) or "all chunks"

    def timed_on(self, backend, precision):
        """Rows of `query timed`: means over the data sets that were timed on a backend, or those
        of the only one."""
        rows = self.rows("timed", backend=backend, precision=precision)
        names = {row["data_set"] for row in rows}
        return rows if len(names) == 1 else [row for row in rows if row["data_set"] == "mean"]

    def machine(self, *stems):
        """What the measurements of a document, or most of them, ran on."""
        for stem in stems or ("compare", "pfpc", "gfc", "holt"):
            machine = self.documents.get(stem, {}).get("machine")
            if machine:
                return f"{machine['cpu']}, {machine['threads']} threads"
        return ""


def item_name(item):
    """What results call a data set of a study file."""
    if "name" in item:
        return item["name"]
    if "file" in item:
        return os.path.basename(item["file"]).split(".")[0]
    return item.get("dataset") or item["made"]


def arguments_of(document):
    """The command line that made a document, without the program."""
    return document["command"].split(" ", 1)[-1]


def shown(command):
    """A command as a person would type it."""
    return " ".join(shlex.quote(part) for part in command)
