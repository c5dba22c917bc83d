"""From a search to the page: the numbers in the drawn tables are those of the documents and of the
program's queries. Needs the program, named by FPSYNTH; takes some seconds."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from support import Folder

from analysis.documents import KINDS
from analysis.first_tables import key_of

# Documents that exist since version 2 of their schema alone.
LATER = {"best-published", "cards", "claims", "dimensionality", "patterns-1", "peers", "scorecard",
         "top-1"}
PROGRAM = os.environ.get("FPSYNTH", "")


@unittest.skipUnless(os.path.exists(PROGRAM), "set FPSYNTH to the program")
class Drawing(Folder):
    drawn = None  # the folder in which all documents and figures were created once

    def setUp(self):
        if not Drawing.drawn:
            holder = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(holder.cleanup)
            self.make(holder.name)
            self.make_documents(program=PROGRAM)
            self.call(painted=True)
            Drawing.drawn = holder.name
        self.make(Drawing.drawn)

    def elsewhere(self):
        """Makes the next call write to another folder."""
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.out = holder.name

    def fpsynth(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, encoding="utf-8",
                              stdout=subprocess.PIPE, check=True).stdout

    def read(self, stem):
        with open(os.path.join(self.runs, "documents", stem + ".json"), encoding="utf-8") as stream:
            return json.load(stream)

    def test_values_equal_the_programs(self):
        asked = json.loads(self.fpsynth("query", "best", "--runs", self.runs, "--json"))
        drawn = {(row["data set"], row["precision"]): row for row in self.rows("mpc-table-2")
                 if row["study"] == "small"}
        self.assertEqual(len(drawn), 6)
        for row in asked[0]["rows"]:
            for precision in ("double", "single"):
                mine = drawn[row["data_set"], precision]
                self.assertEqual(float(mine["CR"]), row[f"{precision}_ratio"])
                self.assertEqual(mine["pipeline"], row[f"{precision}_pipeline"])
                self.assertEqual(mine["published CR"], "")  # a synthetic set is not the paper's
        with open(os.path.join(self.runs, "msg_hydro.double.json"), encoding="utf-8") as stream:
            document = json.load(stream)
        self.assertEqual(float(drawn["msg_hydro", "double"]["CR"]), document["top"][0]["ratio"])

        compared = self.read("compare")
        lines = {(row["data set"], row["study"]): row for row in self.rows("mpc-tables-3-4-double")}
        for one in compared["data_sets"]:
            if one["precision"] == "double":
                for row in one["rows"]:
                    if row["compressor"] != "memcpy":
                        self.assertEqual(float(lines[one["name"], "small"][row["compressor"]]),
                                         row["ratio"])
        for mean in compared["means"]:
            if mean["precision"] == "double" and mean["compressor"] != "memcpy":
                self.assertEqual(float(lines["HarMean", "small"][mean["compressor"]]),
                                 mean["harmonic_mean_ratio"])

        counts = json.loads(self.fpsynth("query", "components", "--top", "100", "--runs", self.runs,
                                         "--json"))
        heat = {row["component"]: row for row in self.rows("ours-heat-map-small")}
        self.assertEqual({row["component"]: row["total"] for row in counts[0]["rows"]},
                         {name: int(row["total"]) for name, row in heat.items()})
        self.assertEqual({row["component"]: row["stage_1_percent"] for row in counts[3]["rows"]},
                         {name: float(row["stage 1 %"]) for name, row in heat.items()})
        asked = json.loads(self.fpsynth("query", "best", "--published", "--runs", self.runs,
                                        "--json"))[1]["rows"]
        self.assertEqual([float(lines["HarMean", "small"][what]) for what in
                          ("Best (one for all)", "best searched")], [row["ratio"] for row in asked[:2]])
        self.assertEqual(float(lines["HarMean", "the paper's"]["Best (one for all)"]),
                         asked[0]["paper_ratio"])
        self.assertNotIn("\u2020", self.text("tables", "mpc-table-2.csv"))
        shares = {row["data set"]: row for row in self.rows("gfc-fig-2")}
        for row in self.read("gfc")["tables"][1]["rows"]:
            self.assertEqual(float(shares[row["data_set"]][f"{row['leading_zero_bytes']} bytes %"]),
                             row["share_percent"])

    def test_columns_of_version_1_get_the_current_keys(self):
        titles = 0
        for stem, (kind, tables) in KINDS.items():
            document = self.read(stem) if stem in self.drawn_stems() - LATER else {"tables": []}
            # None stands for a table that is newer than version 1.
            for table in (table for table, known in zip(document["tables"], tables) if known):
                self.assertEqual(document["version"], 2)
                for column in table["columns"]:
                    titles += 1
                    self.assertEqual(key_of(column["title"], table["title"]), column["key"], kind)
        self.assertGreater(titles, 100)

    def drawn_stems(self):
        return {os.path.splitext(name)[0]
                for name in os.listdir(os.path.join(self.runs, "documents"))}

    def test_published_values_equal_the_reference(self):
        with open(os.path.join(os.path.dirname(__file__), "..", "..", "results", "reference",
                               "paper_tables.json"), encoding="utf-8") as stream:
            papers = json.load(stream)
        for precision, key in (("double", "mpc_table_3_double"), ("single", "mpc_table_4_single")):
            lines = {row["data set"]: row for row in self.rows(f"mpc-tables-3-4-{precision}")
                     if row["from"] == "published"}
            # The pipeline of Table II's last row is not each data set's own best.
            best = papers["mpc_table_2"][precision]["Best"]["ratio"]
            self.assertEqual(float(lines["HarMean"]["Best (one for all)"]), best)
            self.assertEqual(lines["HarMean"]["best searched"], "")
            self.assertEqual(set(lines), {*papers["datasets"], "HarMean"})
            for compressor, ratios in papers[key].items():
                for name, ratio in ratios.items():
                    name = "HarMean" if name == "har_mean" else name
                    self.assertEqual(float(lines[name][compressor]), ratio)
        chunks = {row["data set"]: row for row in self.rows("gfc-table-2")
                  if row["from"] == "published"}
        self.assertEqual(float(chunks["msg_sppm"]["1000 chunks"]), papers["gfc_table_2"]["msg_sppm"][3])
        holt = {row["data set"]: row for row in self.rows("holt-table-2")}
        self.assertEqual(float(holt["Bloweybq"]["compressed / original"]), 0.44)
        self.assertAlmostEqual(float(holt["Bloweybq"]["ratio"]), 1 / 0.44)

    def test_same_input_gives_the_same_bytes(self):
        first = self.out
        self.elsewhere()
        self.call(painted=True)  # from the documents alone
        names = [os.path.relpath(os.path.join(folder, name), first)
                 for folder, _, files in os.walk(first) for name in files]
        self.assertTrue(any(name.endswith(".pdf") for name in names))
        for name in names:
            with open(os.path.join(first, name), "rb") as one, \
                    open(os.path.join(self.out, name), "rb") as other:
                self.assertEqual(one.read(), other.read(), name)
        self.assertEqual(sum(map(len, (files for _, _, files in os.walk(self.out)))), len(names))
        page = self.text("index.html")
        self.assertNotIn(self.folder, page)
        self.assertNotIn('src="figures', page)  # self-contained

    def test_documents_of_a_gpu_are_drawn(self):
        self.assertIn("- MPC on a GPU, double precision", self.text("REPORT.md"))

        def times(kernel, transfer):
            seconds = kernel + transfer
            return {"gb_per_s": 16384 / seconds / 1e9, "median_seconds": seconds, "spread": 0.0,
                    "seconds": [seconds], "kernel_gb_per_s": 16384 / kernel / 1e9,
                    "kernel_spread": 0.0, "kernel_seconds": [kernel],
                    "transfer_seconds": [transfer]}

        with open(os.path.join(self.runs, "msg_hydro.double.cpu.throughput.json"),
                  encoding="utf-8") as stream:
            document = json.load(stream)
        document["run"].update(backend="cuda", device="a GPU", instruction_set="sm_90")
        document["rows"] = [
            {"name": name, "kind": "baseline", "how": "library", "version": "0", "threads": 1,
             "input_bytes": 16384, "compressed_bytes": 8192, "ratio": 2.0,
             "compress": times(0.001, 0.003), "decompress": times(0.002, 0.004)}
            for name in ("GFC", "MPC")]
        for stem in ("claims", "pareto", "timed"):  # created again, only for this test
            document_path = os.path.join(self.runs, "documents", stem + ".json")
            self.addCleanup(shutil.copy2, shutil.copy2(document_path, self.folder), document_path)
        path = self.write(os.path.join("runs", "msg_hydro.double.cuda.throughput.json"), document)
        self.addCleanup(os.remove, path)
        self.elsewhere()
        said = self.make_documents(program=PROGRAM)
        self.assertIn("query timed", said)
        self.call()
        self.assertNotIn("MPC on a GPU", self.text("REPORT.md"))
        rows = {row["on"]: row for row in self.rows("mpc-table-5")
                if row["compressor"] == "MPC" and row["from"] == "ours (small)"}
        self.assertAlmostEqual(
            float(rows["a GPU, without transfers"]["double decompress GB/s"]), 16384 / 0.002 / 1e9)
        self.assertAlmostEqual(
            float(rows["a GPU, with transfers"]["double compress GB/s"]), 16384 / 0.004 / 1e9)
        self.assertIn("msg_hydro (double), cuda", self.text("tables", "ours-pareto.csv"))


@unittest.skipUnless(os.path.exists(PROGRAM), "set FPSYNTH to the program")
class Empty(Folder):
    def test_a_study_without_data_says_so(self):
        self.write("study.json", {"name": "none", "data": [{"file": "nowhere.f64"}],
                                  "precisions": ["double"]})
        empty = os.path.join(self.folder, "empty")
        said = self.make_documents(program=PROGRAM, runs=empty)
        self.assertIn("none of its data sets is available", said)
        self.assertIn("no documents to draw from", self.call(runs=empty, status=1))
