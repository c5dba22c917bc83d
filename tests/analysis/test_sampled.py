"""Values from a search of a part of the data are marked in all figures and tables."""

import synthetic_documents
from support import Folder, compared, runs, tables

MARK = "\u2020"
IN = "one chunk in 32"


class Sampled(Folder):
    """num_control's search was sampled, msg_hydro's was not."""

    def setUp(self):
        super().setUp()
        synthetic_documents.put_sampled(self)

    def expect(self, table, key, column, of=("num_control",), whole=("msg_hydro",)):
        """Checks a table's marks of names in one column, and the searched part of the data."""
        rows = {row[key]: row for row in self.rows(table) if row.get("from") != "published"}
        for name in of:
            self.assertIn(f"{name} {MARK}", rows, table)
            self.assertIn(IN, rows[f"{name} {MARK}"][column], table)
        for name in whole:
            self.assertEqual(rows[name][column], "all chunks", table)

    def test_tables_are_marked(self):
        self.call()
        self.expect("mpc-table-2", "data set", "searched in", ("num_control", "Best"))
        self.expect("mpc-tables-3-4-double", "data set", "best searched in",
                    ("num_control", "HarMean"))
        self.expect("mpc-fig-2", "data set", "searched in", ("num_control", "Best"))
        self.expect("ours-distribution", "data set", "searched in")
        # The best of the others also depends on the sampled set.
        self.expect("mpc-va-cross-validation", "left out", "searched in",
                    ("num_control", "msg_hydro"), ())
        self.expect("mpc-va-cross-validation-overall", "study", "searched in", ("small",), ())
        self.assertIn(f"small {MARK}", {row["from"] for row in self.rows("mpc-va-components-cuts")})
        cards = {row["data set"]: row["compressor"] for row in self.rows("sets")
                 if row["compressor"].startswith("LNV1s")}
        self.assertEqual(cards, {"num_control": f"LNV1s ZE {MARK}", "msg_hydro": "LNV1s ZE"})
        report = self.text("REPORT.md")
        self.assertIn(f"small{' ' + MARK}: counts", report)
        self.assertIn("one chunk in 32 on 1 of 2 data sets", report)
        self.assertIn("num_control, double: the best searched is LNV1s ZE, found in one chunk in "
                      "32; its ratio is on the whole data", report)
        self.assertNotIn("msg_hydro, double: the best searched", report)

    def test_a_whole_search_is_not_marked(self):
        self.document("runs", runs(("msg_hydro", "double", 16384, 1, "yes"),
                                   ("num_control", "double", 16384, 1, "yes")))
        document = compared(("num_control", "double", 16384, {"best searched": 1.5}))
        document["data_sets"][0]["rows"][0]["searched_one_chunk_in"] = 1
        self.document("compare", document)
        self.call()
        for table in ("mpc-table-2", "mpc-tables-3-4-double", "ours-distribution"):
            self.assertNotIn(MARK, self.text("tables", table + ".csv"))
        self.assertEqual(self.text("REPORT.md").count(MARK), 1)  # where it is explained

    def test_means_compare_like_with_like(self):
        self.call()
        rows = {(row["study"], row["from"]): row for row in self.rows("mpc-tables-3-4-double")
                if row["data set"].startswith("HarMean")}
        ours, papers = rows["small", "ours"], rows["the paper's", "published"]
        self.assertEqual((ours["best searched"], ours["Best (one for all)"]), ("1.5", "1.7"))
        self.assertEqual((papers["best searched"], papers["Best (one for all)"]),
                         ("", "1.214"))  # the paper does not print the first
        single = [row for row in self.rows("mpc-tables-3-4-single") if row["data set"] == "HarMean"]
        self.assertEqual([(row["best searched"], row["Best (one for all)"]) for row in single],
                         [("", "1.265")])


class OnGpus(Folder):
    def test_throughputs_of_gpus(self):
        columns = ["data_set", "precision", "backend", "device", "compressor", "kind", "how",
                   "threads", "data_sets", "input_bytes", "ratio", "compress_gb_per_s",
                   "decompress_gb_per_s", "compress_kernels_gb_per_s",
                   "decompress_kernels_gb_per_s", "compress_spread", "decompress_spread",
                   "compress_kernels_ms", "compress_transfers_ms", "decompress_kernels_ms",
                   "decompress_transfers_ms"]
        rows = [[name, precision, "cuda", "a GPU", compressor, "baseline", "library", 1, 1, 64, 1.2,
                 speed, speed + 1, speed + 10, speed + 11] + [None] * 6
                for compressor, precision in (("MPC", "double"), ("MPC", "single"),
                                              ("GFC", "double"))
                for name, speed in (("msg_hydro", 3.0), ("num_control", 5.0), ("mean", 4.0),
                                    ("harmonic mean", 3.75))]
        self.document("timed", tables("query timed", ("Timed", columns, rows)))
        self.call()
        found = {(row["compressor"], row["on"]): row for row in self.rows("mpc-table-5")}
        kernels = found["MPC", "a GPU, without transfers"]
        self.assertEqual((kernels["double compress GB/s"], kernels["single decompress GB/s"]),
                         ("14.0", "15.0"))
        self.assertEqual(found["GFC", "a GPU, with transfers"]["double compress GB/s"], "4.0")
        self.assertEqual(found["GFC", "a GPU, with transfers"]["single compress GB/s"], "")
        self.assertEqual(found["MPC", "Tesla K40, without transfers"]["double compress GB/s"],
                         "10.78")
        self.assertNotIn("MPC on a GPU", self.text("REPORT.md"))

    def test_missing_gpus_are_reported(self):
        self.document("compare", compared(("num_control", "double", 16384,
                                           {"MPC": 1.5, "GFC": 1.2})))
        self.call()
        section = self.text("REPORT.md").split("## What is missing")[1]
        self.assertRegex(section, r"- MPC on a GPU.*Table V")
        on = {(row["compressor"], row["from"]): row["on"] for row in self.rows("mpc-table-5")}
        self.assertEqual(on["MPC", "ours (small)"], "a CPU, 1 thread")
        self.assertEqual(on["GFC", "ours (small)"], "a CPU, 2 threads")
        self.assertEqual(on["GFC", "published"], "Tesla K40, without transfers")
        self.assertEqual(on["pFPC -1M", "published"], "2x Xeon E5-2680 v2, 20 cores")
        self.assertRegex(section, r"- GFC on a GPU.*Table V")


class Raced(Folder):
    """num_control was raced over five stages, msg_hydro searched whole."""

    def setUp(self):
        super().setUp()
        synthetic_documents.put_sampled(self)
        found = runs(("num_control", "double", 16384, 1, "yes"),
                     ("msg_hydro", "double", 16384, 1, "yes"))
        table = found["tables"][0]
        table["columns"].append({"key": "left_of", "title": "left of"})
        for row, pipelines in zip(table["rows"], (3981312, None)):
            row["left_of"] = pipelines
        self.document("runs", found)
        self.document("stages", tables("query stages", ("Stages", [
            "data_set", "precision", *(f"ratio_{n}" for n in range(1, 6)),
            *(f"share_{n}_percent" for n in range(1, 5))], [
                ["num_control", "double", *[None] * 4, 1.75, *[None] * 4],
                ["msg_hydro", "double", 1.25, 1.5, 1.6, 1.75, 2.0, 62.5, 75.0, 80.0, 87.5]])))

    def test_races_are_marked(self):
        self.call()
        rows = {row["data set"]: row for row in self.rows("mpc-fig-2")}
        raced, whole = rows[f"num_control {MARK}"], rows["msg_hydro"]
        self.assertEqual((raced["searched in"], whole["searched in"]), ("a race", "all chunks"))
        report = self.text("REPORT.md")
        self.assertIn("searched in a race on 1 of 2 data sets", report)
        self.assertIn("among what a race has left", report)

    def test_five_stages(self):
        self.call(painted=True)
        rows = {row["data set"]: row for row in self.rows("mpc-fig-2")}
        raced, whole = rows[f"num_control {MARK}"], rows["msg_hydro"]
        self.assertEqual((raced["CR 4"], raced["CR 5"], raced["share 4 %"]), ("", "1.75", ""))
        self.assertEqual((whole["CR 5"], whole["share 1 %"], whole["share 4 %"]),
                         ("2.0", "62.5", "87.5"))
        picture = self.text("figures", "mpc-fig-2-double.svg")
        self.assertIn("msg_hydro: 87.5 % with 4 stages", picture)
        self.assertNotIn("num_control", picture)
