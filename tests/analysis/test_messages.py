"""Messages and exit statuses for missing, damaged and too new documents and for usage errors."""

import json
import os
import resource
import subprocess
import sys

import synthetic_documents
from support import ROOT, Folder, compared, tables


class Messages(Folder):
    def setUp(self):
        super().setUp()
        self.good = tables("query best", ("Best", [
            "data_set", "double_ratio", "double_pipeline", "single_ratio", "single_pipeline"],
            [["a", 1.5, "BIT ZE", None, None]]))

    def test_no_directory(self):
        said = self.call(runs=os.path.join(self.folder, "none"), status=1)
        self.assertIn("is not a directory", said)
        self.assertIn("--runs", said)

    def test_nothing_to_draw_from(self):
        self.assertIn("no documents to draw from", self.call(status=1))

    def test_documents_that_are_not_what_they_must_be(self):
        table = self.good["tables"][0]
        lacking = {key: value for key, value in table["rows"][0].items() if key != "double_ratio"}
        compare = compared(("num_control", "double", 16384, {"MPC": 1.5}))
        for message, stem, content in (
                ("is not complete JSON", "best", json.dumps(self.good)[:-20]),
                ("has version 3 of fpsynth-tables, but this program reads versions up to 2; update", "best",
                 {**self.good, "version": 3}),
                ("has the schema 'something'", "best", {**self.good, "schema": "something"}),
                ("has the schema ['x']", "best", {**self.good, "schema": ["x"]}),
                ("has the schema None", "best", [1, 2]),
                ("has the schema fpsynth-comparison", "pfpc", compared()),
                ("contains the tables of 'sweep gfc'", "holt", {**self.good, "kind": "sweep gfc"}),
                ("tables is missing", "best",
                 {key: value for key, value in self.good.items() if key != "tables"}),
                ("tables is None", "best", {**self.good, "tables": None}),
                ("has 0 tables instead of 2", "overall",
                 {**self.good, "kind": "query overall", "tables": []}),
                ("tables 1 rows is", "best", {**self.good, "tables": [{**table, "rows": 7}]}),
                ("row 1 does not have the table's columns", "best",
                 {**self.good, "tables": [{**table, "rows": [lacking]}]}),
                ("the column 'double_ratio' is missing", "best", {**self.good, "tables": [
                    {**table, "rows": [lacking], "columns": [
                        one for one in table["columns"] if one["key"] != "double_ratio"]}]}),
                ("data_sets 1 rows 1 compressor is missing", "compare",
                 {**compare, "data_sets": [{**compare["data_sets"][0], "rows": [{"ratio": 1}]}]}),
                ("machine cpu is missing", "compare", {**compare, "machine": {"threads": 2}}),
                ("means 1 of is '13'", "compare",
                 {**compare, "means": [{**compare["means"][0], "of": "13"}]}),
                ("means is missing", "compare",
                 {key: value for key, value in compare.items() if key != "means"})):
            with self.subTest(message):
                path = self.document(stem, content)
                said = self.call(status=1)
                self.assertIn(path, said)
                self.assertIn(message, said)
                os.remove(path)

    def process(self, **how):
        """The package in a process of its own, in which it fails."""
        done = subprocess.run(
            [sys.executable, "-m", "analysis", "--study", self.config, "--runs", self.runs, "--out",
             self.out], cwd=ROOT, capture_output=True, encoding="utf-8", check=False, **how)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr

    def test_no_matplotlib(self):
        self.document("best", self.good)
        self.write("matplotlib.py", "raise ImportError('there is none')")
        said = self.process(env={**os.environ, "PYTHONPATH": self.folder})
        self.assertIn("has no matplotlib", said)
        self.assertIn("python3-matplotlib", said)

    def test_full_disk(self):
        self.document("best", self.good)

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

        said = self.process(preexec_fn=small_files)
        self.assertIn("File too large; free some space", said)
        self.assertFalse([name for _, _, names in os.walk(self.out) for name in names
                          if name.endswith(".part")])

    def test_unknown_component(self):
        stages = ["component", "stage_1", "stage_2", "total"]
        tally = [("Components", stages, [["BIT", 1, 0, 1]]),
                 ("Families", ["family", *stages[1:], "share_percent"],
                  [["BIT", 1, 0, 1, 50.0], ["LNVns", 0, 0, 0, 0.0], ["ZE", 0, 1, 1, 50.0]]),
                 ("Cuts", ["stages_before_cut", "pipelines", "share_percent"], [[1, 1, 100.0]]),
                 ("Shares", ["component", "stage_1_percent", "stage_2_percent"],
                  [["BIT", 100.0, 0.0]])]
        self.document("components-1", tables("query components", *tally, *tally))
        said = self.call("--pipeline", "FOO9 BIT", status=2)
        self.assertIn("unknown component 'FOO9'; known components are BIT, LNVns, ZE", said)
        self.call("--pipeline", "LNV7s BIT ZE")

    def test_files_of_earlier_calls_are_removed(self):
        self.document("best", self.good)
        self.call()
        old = [os.path.join(self.out, "figures", "ours-pareto-small-double.png"),
               os.path.join(self.out, "tables", "ours-heat-map-gone.csv")]
        own = [os.path.join(self.out, "figures", "mine.png"),
               os.path.join(self.out, "tables", "mpc-table-2.txt")]
        for path in old + own:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("x")
        self.call()
        self.assertEqual([path for path in old + own if os.path.exists(path)], own)
        self.assertTrue(os.path.exists(os.path.join(self.out, "tables", "mpc-table-2.csv")))

    def test_a_study_without_documents_beside_one_that_has_them(self):
        self.document("best", self.good)
        other = self.write("other.json", {"name": "other", "data": [{"made": "msg_heat"}]})
        empty = os.path.join(self.folder, "empty")
        os.makedirs(empty)
        self.call("--study", self.config, other, "--runs", self.runs, empty)
        self.assertIn("other: no documents in empty/documents. `./run figures` or",
                      self.text("REPORT.md"))
        self.assertNotIn(". .", self.text("REPORT.md"))

    def test_a_missing_document_pareto_is_reported(self):
        self.document("compare", compared(("num_control", "double", 16384, {"MPC": 1.5})))
        self.call()
        self.assertIn("no document pareto in runs/documents", self.text("REPORT.md"))

    def test_no_study(self):
        self.write("study.json", {"name": "x"})
        self.assertIn("is not a study file", self.call(status=1))

    def test_wrong_calls(self):
        self.assertIn("one --runs directory for each", self.call("--study", "a", "b", status=2))
        self.assertIn("'no-way' is not a component",
                      self.call("--pipeline", "BIT no-way", status=2))
        self.call("--unknown", status=2)

    def test_few_documents_are_drawn_and_the_rest_is_named(self):
        self.document("statistics", synthetic_documents.statistics())
        self.call()
        report = self.text("REPORT.md")
        for stem in ("best", "compare", "gfc", "holt", "pfpc", "overall", "distribution"):
            self.assertIn(f"no document {stem}", report)
        self.assertIn("Our figures of 13 of the papers' 13 data sets", report)
        self.assertIn("configs/datasets/fetch.py", report)
        # A data set of the same name but another size is not the paper's.
        lines = self.text("tables", "mpc-table-1.csv").splitlines()
        self.assertIn("num_control,published,152.1,19.94,98.5,24.14,99.6", lines)
        self.assertIn("num_control,ours (small),0.015625,0.002048,97.65,10.9,99.5", lines)
