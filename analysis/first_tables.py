"""Adds keys to the columns of documents of tables of version 1, which had only titles."""

import re

from analysis.checks import COUNT

# The fields of a document of tables of version 1; `documents.SCHEMAS` has those of the newest.
FIRST_TABLES = {
    "kind": str, "program": {"version": str, "commit": str},
    "machine": {"cpu": str, "threads": COUNT}, "command": str,
    "tables": [{"title": str, "columns": [str], "rows": [dict], "notes": [str]}]}
# The keys of columns whose title is not the key with blanks in place of underscores.
KEYS = {
    "% of best": "percent_of_best", "1st quartile": "first_quartile_ratio",
    "3rd quartile": "third_quartile_ratio", "CR": "ratio", "CR on the excluded": "excluded_ratio",
    "G pipeline-bytes/s": "giga_pipeline_bytes_per_s", "above 1 %": "compressing_percent",
    "best 1 %": "percentile_99_ratio", "best CR": "best_ratio", "chunk": "chunk_values",
    "compress GB/s": "compress_gb_per_s", "compressed": "compressed_bytes",
    "compressed / original": "compressed_per_original", "decompress GB/s": "decompress_gb_per_s",
    "from CR": "from_ratio", "harmonic mean CR": "harmonic_mean_ratio",
    "highest CR": "highest_ratio", "its best CR": "own_best_ratio",
    "kernels compress GB/s": "compress_kernels_gb_per_s",
    "kernels decompress GB/s": "decompress_kernels_gb_per_s", "lowest CR": "lowest_ratio",
    "median": "median_ratio", "paper's CR": "paper_ratio",
    "paper's data sets": "paper_data_sets", "paper's pipeline": "paper_pipeline",
    "randomness %": "randomness_percent", "share %": "share_percent",
    "short of it %": "shortfall_percent", "shortfall %": "shortfall_percent",
    "size MB": "size_mib", "size MiB": "size_mib",  # MB in documents of version 1
    "stages before the cut": "stages_before_cut", "to CR": "to_ratio", "unique %": "unique_percent",
}
# The keys of columns that exist for each precision or number of stages.
PATTERNS = [(r"(double|single) CR", r"\1_ratio"), (r"(double|single) paper", r"\1_paper_ratio"),
            (r"(double|single) paper's pipeline", r"\1_paper_pipeline"),
            (r"(double|single) difference %", r"\1_difference_percent"),
            (r"CR (\d+)", r"ratio_\1"), (r"share (\d+) %", r"share_\1_percent")]
IN_PERCENT = ", in percent of the pipelines"  # the end of the title of a table of shares by stage


def with_keys(document):
    """Adds keys to the columns and rows of a document of version 1, in place."""
    for table in document["tables"]:
        columns = [{"key": key_of(title, table["title"]), "title": title}
                   for title in table["columns"]]
        keys = {column["title"]: column["key"] for column in columns}
        table["columns"] = columns
        table["rows"] = [{keys.get(title, title): cell for title, cell in row.items()}
                         for row in table["rows"]]


def key_of(title, table=""):
    """The key of the column with a title, in the table with the title `table`."""
    if table.endswith(IN_PERCENT) and re.fullmatch(r"stage \d+", title):
        return title.replace(" ", "_") + "_percent"
    for pattern, key in PATTERNS:
        if re.fullmatch(pattern, title):
            return re.sub(pattern, key, title)
    return KEYS.get(title, title.replace(" ", "_"))
