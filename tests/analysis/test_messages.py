"""What is missing, damaged, too new or wrongly called is said so, with the exit status for it."""

import json
import os

from support import Folder, tables


class Messages(Folder):
    def setUp(self):
        super().setUp()
        self.good = tables("query best", ("Best", ["data set", "double CR"], [["a", 1.5]]))

    def test_no_directory(self):
        said = self.call(runs=os.path.join(self.folder, "none"), status=1)
        self.assertIn("is no directory", said)
        self.assertIn("--runs", said)

    def test_nothing_to_draw_from(self):
        self.assertIn("no documents to draw from", self.call(status=1))

    def test_half_written(self):
        path = self.document("best", json.dumps(self.good)[:-20])
        said = self.call(status=1)
        self.assertIn(path, said)
        self.assertIn("is not whole JSON", said)

    def test_newer_version(self):
        path = self.document("best", {**self.good, "version": 2})
        said = self.call(status=1)
        self.assertIn(path, said)
        self.assertIn("has version 2 of fpsynth-tables, this program knows up to 1; update", said)

    def test_other_schema(self):
        self.document("best", {**self.good, "schema": "something"})
        self.assertIn("has the schema 'something'", self.call(status=1))

    def test_missing_field(self):
        del self.good["tables"]
        self.document("best", self.good)
        self.assertIn("tables is missing", self.call(status=1))

    def test_row_without_a_column(self):
        del self.good["tables"][0]["rows"][0]["double CR"]
        self.document("best", self.good)
        self.assertIn("row 1 does not have the table's columns", self.call(status=1))

    def test_no_study(self):
        self.write("study.json", {"name": "x"})
        self.assertIn("is no study file", self.call(status=1))

    def test_wrong_calls(self):
        self.assertIn("one --runs directory for each", self.call("--study", "a", "b", status=2))
        self.assertIn("--sample N needs", self.call("--sample", "4", status=2))
        self.assertIn("'no-way' is no component", self.call("--pipeline", "BIT no-way", status=2))
        self.call("--unknown", status=2)

    def test_no_program(self):
        self.assertIn("--fpsynth", self.call("--fpsynth", "/no/such/program", status=1))

    def test_few_documents_are_drawn_and_the_rest_is_named(self):
        self.document("statistics", tables("data info", ("Statistics", [
            "data set", "precision", "bytes", "size MB", "values", "values millions", "unique",
            "unique %", "entropy bits", "randomness %"],
            [["num_control", "double", 16384, 0.015625, 2048, 0.002048, 2000, 97.65, 10.9, 99.5]])))
        self.call()
        report = self.text("REPORT.md")
        for stem in ("best", "compare", "gfc", "holt", "pfpc", "overall", "distribution"):
            self.assertIn(f"no document {stem}", report)
        self.assertIn("Our figures of 13 of the papers' 13 data sets", report)
        self.assertIn("fpsynth data fetch", report)
        # A namesake of another size is not the paper's data set.
        lines = self.text("tables", "mpc-table-1.csv").splitlines()
        self.assertIn("num_control,published,152.1,19.94,98.5,24.14,99.6", lines)
        self.assertIn("num_control,ours (small),0.015625,0.002048,97.65,10.9,99.5", lines)


if __name__ == "__main__":
    import unittest
    unittest.main()
