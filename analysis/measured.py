"""The committed measurements: a table of each document of results/measured, so that every number that is
stated about this project has a row."""

import glob
import os
from statistics import median

from analysis.documents import read_json
from analysis.items import Item, Table

LONG = 2000  # rows; of longer documents, the means alone are shown
STRATEGIES = ("random_sampling", "genetic_algorithm", "beam_search")


def item(folder):
    item = Item("measured", "measured", "Every committed measurement",
                "Each document of `results/measured`, whose README has the command that made it. Speeds of "
                "different machines stand in different documents, whose names end with the machine and the date.")
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        stem = os.path.splitext(os.path.basename(path))[0]
        document = read_json(path)
        for number, (title, rows) in enumerate(parts_of(document), 1):
            rows = [flat(row) for row in rows]
            if rows and len(rows) < LONG:
                keys = list(dict.fromkeys(key for row in rows for key in row))
                table = Table(f"{stem}: {title}" if title else stem,
                              [(key.replace("_", " "), 4, "not in this row") for key in keys])
                for row in rows:
                    table.add(*(row.get(key) for key in keys))
                item.table(f"{stem}-{number}", table)
    return item


def parts_of(document):
    """(title, rows) of what a document is about."""
    if isinstance(document, list) or "tables" in document:
        return [(one["title"], one["rows"]) for one in
                (document if isinstance(document, list) else document["tables"])]
    if document.get("benchmark") == "strategies":
        return [("races, and others at their cost", [strategies(document["rows"])])]
    if "data_sets" in document:
        return [("means", document["means"])] if document["means"] and len(document["data_sets"]) > 2 else \
            [("", [{"data_set": one["name"], "precision": one["precision"], **row}
                   for one in document["data_sets"] for row in one["rows"]])]
    if "race" in document:
        return [("the best that is left", document["top"])]
    return [("", document.get("rows", document.get("top", [])))]


def strategies(rows):
    """How often races found the best, and how far below it the others were, in percent."""
    races = [race for row in rows for race in row["races"]]
    found = {"inputs": len(rows), "races": len(races),
             "found the best": sum(race["winner_found"] for race in races),
             "worst regret %": max(race["regret_percent"] for race in races),
             "saved, times (median)": median(row["saved_factor"] for row in rows),
             "saved, times (least)": min(row["saved_factor"] for row in rows)}
    for name in STRATEGIES:
        its = [row["strategies"][name] for row in rows]
        found[f"{name} regret % (median)"] = median(one["median_regret_percent"] for one in its)
        found[f"{name} regret % (worst)"] = max(one["worst_regret_percent"] for one in its)
    return found


def flat(row):
    """A row's values, with those of objects in it under both names; without lists."""
    found = {}
    for key, value in row.items():
        if isinstance(value, dict):
            found |= {f"{key} {name}": one for name, one in flat(value).items()}
        elif not isinstance(value, list):
            found[key] = value
    return found
