"""The scorecard: published numbers beside ours, from small made documents."""

import support

from analysis import scorecard
from analysis.context import Context
from analysis.documents import Study
from analysis.published import Published

BYTES = {"double": 35089600, "single": 17544800}  # of num_plasma
PAPERS = "LNV2s LNV2s LNV2x | ZE"
SWEPT = ["data_set", "bytes", "table_bits", "table_bytes", "threads", "chunk_values", "ratio",
         "compress_gb_per_s", "decompress_gb_per_s", "compress_spread", "decompress_spread"]


class Scorecard(support.Folder):
    def setUp(self):
        super().setUp()
        self.config = self.write("study.json", {
            "name": "small", "data": [{"file": "num_plasma.f64"}],
            "precisions": ["double", "single"]})
        self.document("runs", support.runs(*(("num_plasma", precision, size, 1, "yes")
                                             for precision, size in BYTES.items())))

    def item(self):
        return scorecard.items(Context([Study(self.config, self.runs)], Published(), []))[0]

    def rows(self, item):
        """(what, precision) -> row by the names of the columns."""
        table = dict(item.tables).get("findings-scorecard")
        names = [name for name, _ in table.columns]
        rows = [dict(zip(names, row)) for row in table.rows]
        return {(row["what"], row["precision"]): row for row in rows}

    def best(self, single, paper_pipelines_ratio=1.978, rank=5):
        keys = [f"{precision}_{figure}" for precision in BYTES for figure in
                ("ratio", "pipeline", "paper_pipeline", "paper_pipeline_ratio",
                 "paper_pipeline_rank")]
        self.document("best-published", support.tables("query best", ("Best", ["data_set", *keys], [
            ["num_plasma", 1.4602, PAPERS, PAPERS, 1.4602, 1, 2.041, single, PAPERS,
             paper_pipelines_ratio, rank],
            ["Best", 1.3, PAPERS, "LNV6s BIT LNV1s ZE", 1.2, 9, None, None, None, None, None]])))

    def test_a_number_that_two_studies_found_stands_once(self):
        self.best("LNV2s LNV2s | DIM8 RLE")
        studies = [Study(self.config, self.runs), Study(self.config, self.runs)]
        item = scorecard.items(Context(studies, Published(), []))[0]
        self.assertEqual(len(dict(item.tables)["findings-scorecard"].rows), 3)

    def test_the_best_and_why_it_is_another(self):
        self.best("LNV2s LNV2s | DIM8 RLE")
        found = self.rows(self.item())
        self.assertEqual(len(found), 3)  # Best is over other data sets than the paper's
        double = found[f"best pipeline: {PAPERS}", "double"]
        self.assertEqual((double["published"], double["ours"]), ("1.454", "1.460"))
        self.assertAlmostEqual(double["difference %"], 0.43, places=2)
        self.assertIn("bytes more for each chunk of 1,024 values", double["cause"])
        single = found["best pipeline: LNV2s LNV2s | DIM8 RLE", "single"]
        self.assertIn("another winner; the paper's has rank 5 here", single["cause"])
        self.assertIn("RLE's layout open", single["cause"])
        theirs = found[f"best of the paper: {PAPERS}", "single"]
        self.assertEqual(theirs["cause"], scorecard.EQUAL)
        self.best("LNV2s LNV2s | DIM8 ZE", None, None)
        found = self.rows(self.item())
        self.assertEqual(len(found), 2)
        self.assertNotIn("RLE", found["best pipeline: LNV2s LNV2s | DIM8 ZE", "single"]["cause"])

    def test_compressors_and_the_papers_settings(self):
        self.document("compare", support.compared(("num_plasma", "double", BYTES["double"], {
            "bzip2 --best": 5.7891, "gzip --best": 1.61, "pFPC -1M": 7.206, "GFC": 1.128,
            "MPC": 1.1665, "zstd -19": 400.0})))
        self.document("pfpc-paper", support.tables("sweep pfpc", ("pFPC", SWEPT, [
            ["num_plasma", BYTES["double"], 20, 1 << 24, 20, 4096, 7.0417, 1.0, 1.0, 0.1, 0.1]])))
        gfc = ("GFC", ["data_set", "dimensionality", "chunks", "bytes", "ratio",
                       "compress_gb_per_s", "decompress_gb_per_s"])
        self.document("gfc-paper", support.tables(
            "sweep gfc", (*gfc, [["num_plasma", 2, 2880, BYTES["double"], 1.12472, 1.0, 1.0]]),
            ("Zeros", ["data_set"], [])))
        item = self.item()
        found = self.rows(item)
        self.assertEqual(len(found), 7)  # the paper prints nothing of zstd
        self.assertEqual(found["bzip2 --best", "double"]["cause"], scorecard.EQUAL)
        self.assertIn("gzip program", found["gzip --best", "double"]["cause"])
        self.assertAlmostEqual(found["pFPC -1M", "double"]["difference %"], 2.33, places=2)
        self.assertIn("20 cores", found["pFPC -1M", "double"]["cause"])
        for (what, _), row in found.items():
            if ", with " in what:
                self.assertEqual(row["cause"], scorecard.EQUAL, row)
                self.assertIn(row["published"], ("7.042", "1.125"))
        self.assertTrue(any(note.startswith("7 numbers: 3 equal to the printed digits")
                            for note in item.notes), item.notes)
        speeds = dict(item.tables)["findings-scorecard-speeds"]
        self.assertTrue(any("20 cores" in row[-1] for row in speeds.rows))

    def test_gfc_has_the_papers_header_and_equal_rows_are_not_the_largest_difference(self):
        ratios = {1: 1.12984, 10: 1.12}  # the first is the printed one
        self.document("gfc", support.tables(
            "sweep gfc", ("GFC", ["data_set", "dimensionality", "chunks", "bytes", "ratio",
                                  "compress_gb_per_s", "decompress_gb_per_s"],
                          [["num_plasma", 2, chunks, BYTES["double"], ratio, 1.0, 1.0]
                           for chunks, ratio in ratios.items()]),
            ("Zeros", ["data_set", "dimensionality", "leading_zero_bytes",
                                    "share_percent"], [])))
        item = self.item()
        found = self.rows(item)
        self.assertEqual(found["GFC, 1 chunk", "double"]["cause"], scorecard.EQUAL)
        self.assertRegex(found["GFC, 10 chunks", "double"]["cause"],
                         r"^not known: the header is the paper's, 4 \+ 1 .*27[0-9]{4} bytes of")
        self.assertTrue(any("1 without a known cause. The largest difference behind the printed "
                            "digits is -0.87 % (GFC, 10 chunks" in note for note in item.notes),
                        item.notes)

    def test_synthetic_sets_are_not_the_papers(self):
        self.best(PAPERS)
        self.assertEqual(len(self.rows(self.item())), 2)
        self.config = self.write("study.json", {"name": "small", "precisions": ["double"],
                                                "data": [{"made": "num_plasma", "bytes": 8192}]})
        item = self.item()
        self.assertEqual(item.tables, [])
        self.assertTrue(any("data fetch" in line for line in item.missing))

    def test_others_of_that_name_are_not_the_papers(self):
        self.best(PAPERS)
        self.document("runs", support.runs(("num_plasma", "double", 16384, 1, "yes"),
                                           ("num_plasma", "single", 8192, 1, "yes")))
        self.assertEqual(self.item().tables, [])
