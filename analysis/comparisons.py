"""What comparisons of several programs have in common: means over the data sets, and joining them."""

import re
from statistics import fmean, harmonic_mean

FURTHER = "compare-"  # begins the names of documents that are added to the document `compare`


def timed_parts(document):
    """How many of the first bytes of each data set were timed, as all programs say whose figures the
    document joins; empty if all were."""
    return {int(size) for size in re.findall(r"of the first (\d+) bytes",
                                             "; ".join(document.get("notes", [])))}


def means_of(sets):
    """The means of each compressor and precision over the data sets, as `compare` makes them."""
    found, of = {}, {}
    for one in sets:
        of[one["precision"]] = of.get(one["precision"], 0) + 1
        for row in one["rows"]:
            if all(key in row for key in ("ratio", "compress", "decompress")):
                found.setdefault((one["precision"], row["compressor"]), []).append(row)
    return [{"compressor": name, "precision": precision, "data_sets": len(rows),
             "of": of[precision],
             "harmonic_mean_ratio": harmonic_mean([row["ratio"] for row in rows]),
             **{f"mean_{way}_gb_per_s": fmean(row[way]["gb_per_s"] for row in rows)
                for way in ("compress", "decompress")}} for (precision, name), rows in found.items()]


def add(comparison, further, name):
    """Adds the rows of another comparison to those of the same data; says in the notes which were
    measured on other data or on another machine."""
    known = {row["compressor"] for one in comparison["data_sets"] for row in one["rows"]}
    its = {(one["name"], one["precision"]): one for one in further["data_sets"]}
    for one in comparison["data_sets"]:
        other = its.get((one["name"], one["precision"]))
        if other is None:
            continue
        if any(one.get(key) != other.get(key) for key in ("bytes", "xxh3")):
            comparison["notes"].append(f"{name}: {one['name']} ({one['precision']}) is left out, "
                                       "because it was measured on other values; measure it again")
            continue
        one["rows"] += [row for row in other["rows"] if row["compressor"] not in known]
    comparison["means"] += [mean for mean in means_of(comparison["data_sets"])
                            if mean["compressor"] not in known]
    comparison["missing"] += further["missing"]
    comparison["notes"] += [note for note in further["notes"] if note not in comparison["notes"]]
    if further["machine"] != comparison["machine"]:
        comparison["notes"].append(f"{name}: its GB/s are of another machine, "
                                   f"{further['machine']['cpu']}")
