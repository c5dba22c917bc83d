"""Context past the chunk: searches with preludes beside other compressors, as `query peers` gives
them."""

import os

import support
from synthetic_documents import peers_document

from analysis import answer, peers
from analysis.context import Context
from analysis.documents import MARK, PRELUDES, WIDE, Study
from analysis.published import Published

PLAIN, PRELUDE = "LNV1s BIT | ZE", "LAGx:18200 / LNV1s ZE | RLE"
INPUTS = [(name, precision) for name in ("num_control", "msg_hydro")
          for precision in ("double", "single")]


class Peers(support.Folder):
    def searched(self, folder, sample=1):
        """The documents of a search that the report needs of one with preludes."""
        os.makedirs(os.path.join(self.folder, folder, "documents"), exist_ok=True)
        for stem, content in (
                ("runs", support.runs(*((*one, 16384, sample, "yes") for one in INPUTS))),
                ("one-core", support.compared(*((*one, 16384, {"best searched": 1.5})
                                                for one in INPUTS)))):
            self.write(os.path.join(folder, "documents", stem + ".json"), content)
        return os.path.join(self.folder, folder)

    def both(self, sample=1, **others):
        """Two data sets in both precisions, of which preludes gain on one; `others` compressed each
        of them."""
        self.searched("runs")
        self.document("compare", support.compared(*((*one, 16384, others) for one in INPUTS)))
        self.document("peers", peers_document(
            [(name, precision, {"pipelines": (1.5, PLAIN), "preludes": (4.0, PRELUDE)
                                if (name, precision) == INPUTS[0] else (1.5, PLAIN)}, others)
             for name, precision in INPUTS]))
        study = Study(self.config, self.runs)
        study.beyond[PRELUDES] = Study(self.config, self.searched("preludes", sample))
        return study

    def item(self, study):
        return peers.item(Context([study], Published(), []))

    def rows(self, item, name):
        """The rows of a table by the names of its columns."""
        table = dict(item.tables)[f"beyond-peers-{name}"]
        names = [name for name, _ in table.columns]
        return [dict(zip(names, row)) for row in table.rows]

    def test_without_a_search_it_says_how_to_make_one(self):
        self.searched("runs")
        item = self.item(Study(self.config, self.runs))
        self.assertEqual((item.tables, item.figures), ([], []))
        for option in ("--preludes-runs", "--wide-runs"):
            self.assertTrue(any(option in line for line in item.missing), item.missing)

    def test_ratios_and_speeds_of_the_best(self):
        item = self.item(self.both(pco=1.7, zstd=1.1))
        first = self.rows(item, "double")[0]
        self.assertEqual((first["data set"], first[peers.PAPERS], first[PRELUDES], first[WIDE]),
                         ("num_control", 1.5, 4.0, None))
        self.assertEqual((first["best of ours"], first["compress GB/s"]), (PRELUDE, 1.0))
        self.assertEqual((first["pco"], first["zstd"]), (1.7, 1.1))
        self.assertEqual(self.rows(item, "single")[0]["best of ours"], PLAIN)
        table = dict(item.tables)["beyond-peers-double"]
        self.assertIn("**4.000**", table.markdown())
        self.assertTrue(any(WIDE in line and "wide.json" in line for line in item.missing))
        self.assertEqual(len(item.figures), 2)

    def test_verdicts_are_those_of_the_document(self):
        study = self.both(pco=1.7)
        row, = [row for row in self.rows(self.item(study), "verdicts")
                if row["what"] == "ahead of pco"]
        self.assertEqual((row["verdict"], row[PRELUDES], row[WIDE]), ("holds", "3 of 4", None))
        self.assertEqual(answer.preludes(study), "the median ratio grows 1.17 times; ahead of pco on 3 "
                                                 "of 4")

    def test_a_sampled_search_and_a_missing_compressor_are_told(self):
        item = self.item(self.both(sample=32, zstd=1.1))
        self.assertIn(MARK, self.rows(item, "double")[0]["data set"])
        self.assertTrue(any("pip install pcodec" in line for line in item.missing), item.missing)

    def test_marks_beyond_the_axis(self):
        self.both()
        document = peers_document([("a", "double", {
            "pipelines": (1.4, PLAIN), "preludes": (100.0, PRELUDE), "wide": (120.0, PRELUDE)},
            {"pco": 12.0, "xz": 457.0, "zfp": 1.03})])
        self.document("peers", document)
        study = Study(self.config, self.runs)
        line = peers.Line(study, study.rows("peers")[0], peers.others_of(study))
        on_axis, far = peers.marks_of(line, 5)
        self.assertEqual(on_axis, {peers.PAPERS: 1.4, "zfp": 1.03})
        self.assertEqual(far, [(WIDE, 120.0), ("xz", 457.0)])

    def test_the_report_has_it(self):
        self.both(pco=1.6)
        preludes = os.path.join(self.folder, "preludes")
        self.call("--preludes-runs", preludes)
        self.assertIn(PRELUDE, self.text("tables", "beyond-peers-double.csv"))
        self.assertIn("Context past the chunk", self.text("REPORT.md"))
        os.stat(os.path.join(self.out, "figures", "beyond-peers-single.svg"))
        said = self.call("--wide-runs", preludes, preludes, status=2)
        self.assertIn("1 studies and 2 directories of --wide-runs", said)
        self.call("--preludes-runs", os.path.join(self.folder, "none"), "--wide-runs", "-")
        self.assertIn("--wide-runs", self.text("REPORT.md"))

    def test_a_comparison_that_is_not_drawn_everywhere_is_named(self):
        self.both(pco=1.6)
        self.call()
        self.assertNotIn("compare-pco.json", self.text("REPORT.md"))
        self.document("compare-pco", support.compared(("msg_hydro", "double", 16384, {"pco -8": 1.6})))
        self.call()
        self.assertIn("small: of compare-pco.json, only the figures beside other compressors are "
                      "drawn; `python3 -m analysis.make` makes a compare.json with all",
                      self.text("REPORT.md"))
