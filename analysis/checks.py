"""Whether what documents hold is what figures are drawn from, and where a figure was read last."""

import math

from analysis.items import counted
from analysis.problems import Problem

RECREATE = "remove it and create it again"
# What a value must be.
COUNT = "a whole number from 0"
NUMBER = "a number"
POSITIVE = "a number above 0"
TEXT = "a text"
# Columns of texts; all others that figures need hold numbers.
TEXTS = {"data_set", "precision", "complete", "verification", "backend", "device", "what",
         "pipeline", "lowest_on", "excluded", "best_of_the_others", "component", "family",
         "compressor", "kind", "how", "front", "double_pipeline", "single_pipeline", "pattern",
         "double_paper_pipeline", "single_paper_pipeline",
         "dimensionalities", "xxh3", "file", "searched", "claim", "of", "section", "holds_if",
         "verdict", "verdict_1", "paper_verdict", "numbers", "from", "direction", "cause", "paper",
         "largest_on", "searched_in", "method", "best_of_ours", "in_pipelines", "in_preludes", "in_wide",
         "pipelines_method", "preludes_method", "wide_method", "fits", "highest",
         "description", "type", "command"}
COUNTS = {"bytes", "pipelines", "one_chunk_in", "failures", "threads", "rank", "data_sets",
          "table_bits", "table_bytes", "chunk_values", "chunks", "stages_before_cut",
          "dimensionality", "leading_zero_bytes", "input_bytes", "total", "ties",
          "tied_algorithms", "reducers_before_last", "double_pipelines", "single_pipelines",
          "double_paper_pipeline_rank", "single_paper_pipeline_rank", "twice_pipelines", "mpc_ahead",
          "double_rank", "single_rank", "stages", "used_stages", "winners", "all_on_words",
          "all_on_bytes", "cut_between", "printed_numbers", "printed_decimals", "equal",
          "within_1_percent", "cause_not_known", "inputs", "true_on", "known_on"}
# Columns that cannot be left empty, since rows are found by them or reckoned with.
NEEDED = {"data_set", "precision", "complete", "component", "family", "compressor", "kind", "how",
          "one_chunk_in", "rank", "pipelines", "from_ratio", "to_ratio", "pattern",
          "double_pipelines", "single_pipelines", "twice_pipelines", "reducers_before_last",
          "tied_algorithms", "stages", "used_stages", "searched"}


class Record(dict):
    """An object of a document. It notes where it was read last: what cannot be drawn despite all
    checks is most likely that."""

    last = ""

    def __init__(self, content, place):
        super().__init__(content)
        self.place = place

    def __getitem__(self, key):
        Record.last = f"{self.place}{key}"
        return super().__getitem__(key)

    def get(self, key, default=None):
        Record.last = f"{self.place}{key}"
        return super().get(key, default)


def recorded(path, value, where=""):
    """The value with Records in the place of its objects."""
    if isinstance(value, dict):
        return Record({key: recorded(path, inner, f"{where} {key}".strip())
                       for key, inner in value.items()}, f"{path}: {where} ".replace("  ", " "))
    if isinstance(value, list):
        return [recorded(path, inner, f"{where} {number}".strip())
                for number, inner in enumerate(value, 1)]
    return value


def is_a(value, what):
    if what == TEXT:
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    if what == COUNT:
        return isinstance(value, int) and 0 <= value < 1 << 64
    return abs(value) < 1e300 and math.isfinite(value) and (value > 0 or what != POSITIVE)


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
                raise Problem(f"{path}: {f'{where} {key}'.strip()} is missing; {RECREATE}")
    elif not (is_a(value, shape) if isinstance(shape, str) else isinstance(value, shape)):
        raise Problem(f"{path}: {where} is {value!r:.40}, which is not valid; {RECREATE}")


def keys_of(table):
    """The keys of a table's columns, in their order."""
    return [column["key"] for column in table["columns"]]


def check_tables(path, document, kind, columns):
    """Whether it is what its name says, with the tables and columns for it, in every row."""
    if kind and document["kind"] != kind:
        raise Problem(f"{path}: contains the tables of '{document['kind']}', but its name is for "
                      f"those of '{kind}'; {RECREATE}")
    tables = document["tables"]
    wanted = len(columns) - columns.count(None)
    if len(tables) < wanted:
        raise Problem(f"{path}: has {counted(len(tables), 'table')} instead of {wanted}; "
                      f"{RECREATE}")
    for number, table in enumerate(tables):
        keys, needed = keys_of(table), columns[min(number, len(columns) - 1)] or []
        for column in needed:
            if column not in keys:
                raise Problem(f"{path}: {table['title']}: the column '{column}' is missing; "
                              f"{RECREATE}")
        for row_number, row in enumerate(table["rows"], 1):
            if list(row) != keys:
                raise Problem(f"{path}: {table['title']}: row {row_number} does not have the "
                              f"table's columns; {RECREATE}")
            for key, cell in row.items():
                check_cell(f"{path}: {table['title']}: row {row_number}: {key}", key, cell,
                           key in needed)


def check_cell(place, key, cell, needed):
    """Whether a cell holds what a column of that key does, if figures need it, or else what may
    stand in any cell."""
    if not needed:
        fits = cell is None or is_a(cell, TEXT) or is_a(cell, NUMBER)
        what = "nothing, a text or a number"
    else:
        what = TEXT if key in TEXTS else COUNT if key in COUNTS else \
            POSITIVE if key.endswith(("ratio", "gb_per_s")) else NUMBER
        fits = is_a(cell, what) or (cell is None and key not in NEEDED)
    if not fits:
        raise Problem(f"{place} is {cell!r:.40} and not {what}; {RECREATE}")
