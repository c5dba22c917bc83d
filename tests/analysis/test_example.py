"""The example of results/example: it is as new as what it is drawn from, and has every number that README.md
and docs/findings.md have in tables."""

import csv
import glob
import os
import re
import unittest

from support import ROOT
from analysis import example, measured


def numbers_of(cell):
    """The figures of a cell, as printed; names, and what is in code, are none."""
    cell = re.sub(r"`[^`]*`|\[[^]]*\]\([^)]*\)|\([^)]*[a-z]{4}[^)]*\)", "", cell)
    return re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w.-])", cell)


def tables_of(path):
    """(heading, cells) of each row of a page's tables, without their heads."""
    heading, rows = "", []
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        for line in stream:
            if line.startswith("#"):
                heading = line.strip("# \n")
            elif line.startswith("|") and not line.startswith("|-"):
                rows.append((heading, line.strip("| \n").split("|")))
    return rows


class Example(unittest.TestCase):
    def test_it_is_as_new_as_what_it_is_drawn_from(self):
        with open(os.path.join(example.EXAMPLE, "digest"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), example.digest(),
                             "draw it again: python3 -m analysis.example")

    def test_every_measured_document_has_a_table(self):
        item = measured.item(os.path.join(ROOT, "results", "measured"))
        tables = {name.rpartition("-")[0] for name, _ in item.tables}
        for path in glob.glob(os.path.join(ROOT, "results", "measured", "*.json")):
            self.assertIn(f"measured-{os.path.basename(path)[:-5]}", tables)
        races = next(table for name, table in item.tables if "strategies_corpus_whole" in name)
        self.assertEqual(races.rows[0][:3], (43, 129, 123))

    def test_every_number_of_a_table_is_in_it(self):
        texts, values = set(), set()
        for path in glob.glob(os.path.join(example.EXAMPLE, "**", "*.csv"), recursive=True):
            with open(path, encoding="utf-8", newline="") as stream:
                for cell in (cell for row in csv.reader(stream) for cell in row):
                    texts |= set(re.findall(r"\d+(?:\.\d+)?", cell))
                    if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", cell):
                        values |= {float(cell), float(cell) / 1e9}
        for page in ("README.md", "docs/findings.md"):
            for heading, cells in tables_of(page):
                for number in numbers_of(" | ".join(cells)):
                    places = len(number.partition(".")[2])
                    self.assertTrue(number in texts or any(
                        f"{value:.{places}f}" == number for value in values),
                        f"{page}, {heading}: {number} in {cells}")
