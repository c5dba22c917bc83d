"""A card for each data set: what it is, the best pipelines and compressors, commands to copy."""

import glob
import os
import re

from analysis.absent import NOT_TIMED
from analysis.context import PRECISIONS
from analysis.documents import item_name, read_json
from analysis.items import Item, Table
from analysis.ratios import COPY, OWN

MPC = "MPC"
CONFIGS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "configs",
                       "datasets")
COLUMNS = [("precision", 0), ("compressor", 0), ("CR", 3), ("compress GB/s", 2, NOT_TIMED),
           ("decompress GB/s", 2, NOT_TIMED)]


class Card:
    def __init__(self, name, study, lines, table, commands):
        self.name, self.study, self.lines = name, study, lines
        self.table, self.commands = table, commands


def item(context):
    item = Item("sets", "sets", "A card per data set",
                "The best searched pipeline of each data set, MPC, and the best of the other "
                "compressors that were compared, with commands to search, compress and generate a "
                "codec. Throughputs are from memory to memory, where they were measured.")
    described = descriptions()
    whole = Table("All cards as a table", [("data set", 0), ("study", 0), *COLUMNS])
    for study in context.studies:
        for entry in study.entries:
            name = item_name(entry)
            if name not in study.absent():
                winners = {precision: winners_of(study, name, precision)
                           for precision in PRECISIONS}
                # A synthetic set may have the name of one of the papers'.
                description = {} if "made" in entry else described.get(name, {})
                card = card_of(study, entry, description, winners)
                item.cards.append(card)
                for row in card.table.rows:
                    whole.add(name, study.name, *row)
    item.table("", whole)
    item.note(context.samples() + context.machines())
    return item


def descriptions():
    """The descriptions of data sets in configs/datasets/, by name."""
    found = {}
    for path in sorted(glob.glob(os.path.join(CONFIGS, "*.json"))):
        for one in read_json(path).get("sets", []):
            found[one["name"]] = one
    return found


def winners_of(study, name, precision):
    """(compressor, ratio, GB/s compressing, decompressing) of the best pipeline, of MPC, and of the
    best of the others. The pipeline's text stands for the best searched."""
    rows = next((one["rows"] for one in study.compared(precision) if one["name"] == name), [])
    measured = {row["compressor"]: row for row in rows if row.get("ratio")}
    found = []
    for row in study.rows("best", data_set=name):
        if row[f"{precision}_ratio"] is not None:
            own = measured.get(OWN, {})
            same = own.get("pipeline") == row[f"{precision}_pipeline"]
            found.append((row[f"{precision}_pipeline"] + study.mark(name, precision),
                          row[f"{precision}_ratio"], *speeds(own if same else {})))
    others = [one for one in measured if one not in (OWN, COPY)]
    best = max((one for one in others if one != MPC), key=lambda one: measured[one]["ratio"],
               default=None)
    return found + [(one, measured[one]["ratio"], *speeds(measured[one]))
                    for one in (MPC, best) if one in measured]


def speeds(row):
    return [row.get(way, {}).get("gb_per_s") for way in ("compress", "decompress")]


def card_of(study, entry, description, winners):
    name = item_name(entry)
    table = Table(name, COLUMNS)
    for precision, rows in winners.items():
        best = max((row[1] for row in rows), default=None)
        for row in rows:
            table.add(precision, *row)
            if row[1] == best:
                table.highlight(2)
    return Card(name, study.name, lines_of(study, name, description), table,
                commands_of(study, entry, description))


def lines_of(study, name, description):
    """What the data are, as far as it is known."""
    whose = [description[key] for key in ("description", "field", "license", "licence", "package")
             if isinstance(description.get(key), str)]
    lines = ["; ".join(whose) + "."] if whose else []
    rows = study.rows("statistics", data_set=name)
    for row in rows[:1]:
        lines.append(f"{row['bytes']:,} bytes as {row['precision']}s; {row['unique_percent']:.1f} "
                     f"% of the values unique, entropy {row['entropy_bits']:.1f} bits, randomness "
                     f"{row['randomness_percent']:.1f} %.")
    return lines


def commands_of(study, entry, description):
    """(what it does, command) to copy: get the data, search, compress, generate."""
    name = item_name(entry)
    folder, commands = "data", []
    if "made" in entry:
        size = f" --bytes {entry['bytes']}" if "bytes" in entry else ""
        file, native = f"{folder}/{entry['made']}.f64", "double"
        commands.append(("make the data", f"fpsynth data make {entry['made']}{size}"))
    else:
        file = f"{folder}/" + (description.get("file") or
                               os.path.basename(entry.get("file") or f"{name}.f64"))
        native = description.get("native") or \
            ("single" if file.endswith((".f32", ".sp", ".float")) else "double")
        if description.get("address") or description.get("package"):
            commands.append(("fetch the data", f"fpsynth data fetch {name}"))
    both = " --precision both" if native == "double" else ""  # singles have no doubles
    commands.append(("search", f"fpsynth search {file}{both} --out results/runs/{name}"))
    pipeline = next((row[f"{native}_pipeline"] for row in study.rows("best", data_set=name)), None)
    if pipeline:
        commands += with_pipeline(name, file, native, pipeline)
    return commands


def with_pipeline(name, file, native, pipeline):
    commands = []
    stem = re.sub(r"\W", "_", name)
    if file.endswith(".fpc"):
        raw = f"{stem}.f64"
        commands.append(("as raw values", f"fpsynth data decode {file} {raw}"))
        file = raw
    return commands + [
        ("compress with its best pipeline", f'fpsynth compress "{pipeline}" {file} {stem}.fps'),
        ("generate a codec", f'fpsynth generate "{pipeline}" --precision {native} '
                             f"--name {stem} --out {stem}_codec")]
