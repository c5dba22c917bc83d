"""The documents that figures are drawn from, read and checked."""

import json
import os
import shlex

from analysis.problems import Problem

# What this program can read: schema name -> newest version, and the keys that it relies on.
SCHEMAS = {
    "fpsynth-tables": (1, ("kind", "program", "machine", "command", "tables")),
    "fpsynth-comparison": (1, ("program", "machine", "data_sets", "means", "missing", "notes",
                               "repetitions")),
    "fpsynth-throughput": (1, ("dataset", "run", "rows")),
}
FOLDER = "documents"  # of a directory of runs


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
    """A document of a schema that this program knows."""
    document = read_json(path)
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema not in SCHEMAS:
        raise Problem(f"{path}: has the schema {schema!r}, known are {', '.join(sorted(SCHEMAS))}; "
                      "take it away, or make it with `fpsynth ... --out`")
    newest, keys = SCHEMAS[schema]
    version = document.get("version")
    if not isinstance(version, int) or version < 1:
        raise Problem(f"{path}: its version is {version!r}; remove it and make it anew")
    if version > newest:
        raise Problem(f"{path}: has version {version} of {schema}, this program knows up to "
                      f"{newest}; update it, or make the document anew")
    for key in keys:
        if key not in document:
            raise Problem(f"{path}: {key} is missing; remove it and make it anew")
    for table in document.get("tables", []):
        check_table(path, table)
    return document


def check_table(path, table):
    """Every row of a table has every column."""
    for key in ("title", "columns", "rows", "notes"):
        if key not in table:
            raise Problem(f"{path}: a table without {key}; remove the file and make it anew")
    for number, row in enumerate(table["rows"], 1):
        if list(row) != table["columns"]:
            raise Problem(f"{path}: {table['title']}: row {number} does not have the table's "
                          "columns; remove the file and make it anew")


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
        """Rows of a document's table in which columns have given values ('_' stands for ' ')."""
        tables = self.tables(stem)
        if table >= len(tables):
            return []
        wanted = {key.replace("_", " "): value for key, value in where.items()}
        return [row for row in tables[table]["rows"]
                if all(row.get(key) == value for key, value in wanted.items())]

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
        found = {row["data set"] for row in self.rows("runs")}
        return [name for name in self.items if name in found] + \
            sorted(name for name in found if name not in self.items)

    def absent(self):
        """The study's data sets of which there is nothing."""
        here = set(self.searched()) | {row["data set"] for row in self.rows("statistics")}
        for precision in ("double", "single"):
            here |= {one["name"] for one in self.compared(precision)}
        return [name for name in self.items if name not in here]

    def sampled(self):
        """'one chunk in N' where the searches were sampled, else nothing."""
        steps = sorted({row["one chunk in"] for row in self.rows("runs")} - {1})
        return f"searched in one chunk of {steps[0]}" if steps else ""

    def machine(self):
        """What the measurements ran on."""
        for stem in ("compare", "pfpc", "gfc", "holt"):
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
