"""Context past the chunk: searches with preludes beside other compressors, from small made
documents."""

import json
import os
import subprocess
import unittest

import support

from analysis import documents, peers, prepare
from analysis.context import Context
from analysis.documents import PRELUDES, WIDE, Study
from analysis.published import Published
from analysis.verdicts import CANNOT, HOLDS, NOT, PART

BEST = ["data_set", "double_ratio", "double_pipeline", "single_ratio", "single_pipeline"]
SIZES = {"double": 16384, "single": 8192}
PROGRAM = os.environ.get("FPSYNTH", "")
PLAIN, PRELUDE = "LNV1s BIT | ZE", "LAGx:18200 / LNV1s ZE | RLE"


class Peers(support.Folder):
    def searched(self, folder, ratios, text, speed=2.0, sizes=None):
        """The documents of a search: (data set, precision) -> ratio, all of one pipeline."""
        names = list(dict.fromkeys(name for name, _ in ratios))
        sizes = sizes or SIZES
        write = self.writer(folder)
        write("runs", support.runs(*((name, precision, sizes[precision], 1, "yes")
                                     for name, precision in ratios)))
        write("best", support.tables("query best", ("Best", BEST, [
            [name, *(cell for precision in SIZES for cell in
                     ((ratios[name, precision], text) if (name, precision) in ratios
                      else (None, None)))] for name in names] + [["Best", 1.1, PLAIN, 1.1, PLAIN]])))
        document = support.compared(*((name, precision, sizes[precision], {"best searched": ratio})
                                      for (name, precision), ratio in ratios.items()))
        for one in document["data_sets"]:
            one["rows"][0].update(pipeline=text, threads=1, compress={"gb_per_s": speed},
                                  decompress={"gb_per_s": speed})
        write("one-core", document)
        return os.path.join(self.folder, folder)

    def writer(self, folder):
        os.makedirs(os.path.join(self.folder, folder, "documents"), exist_ok=True)
        return lambda stem, content: self.write(
            os.path.join(folder, "documents", stem + ".json"), content)

    def compared(self, *sets):
        self.document("compare", support.compared(*(
            (name, precision, SIZES[precision], ratios) for name, precision, ratios in sets)))

    def study(self, **beyond):
        study = Study(self.config, self.runs)
        for what, runs in beyond.items():
            study.beyond[{"preludes": PRELUDES, "wide": WIDE}[what]] = Study(self.config, runs)
        return study

    def item(self, study):
        return peers.item(Context([study], Published(), []))

    def rows(self, item, name):
        """The rows of a table by the names of its columns."""
        table = dict(item.tables)[f"beyond-peers-{name}"]
        names = [name for name, _ in table.columns]
        return [dict(zip(names, row)) for row in table.rows]

    def both(self, **others):
        """Two data sets in both precisions, with preludes; `others` compressed each of them."""
        plain = {(name, precision): 1.5 for name in ("num_control", "msg_hydro")
                 for precision in SIZES}
        self.searched("runs", plain, PLAIN)
        preludes = self.searched("preludes", {**plain, ("num_control", "double"): 4.0,
                                              ("msg_hydro", "double"): 2.0}, PRELUDE, 0.7)
        self.compared(*((*one, others) for one in plain))
        return self.study(preludes=preludes)

    def test_without_a_search_it_says_how_to_make_one(self):
        self.searched("runs", {("num_control", "double"): 1.5}, PLAIN)
        item = self.item(self.study())
        self.assertEqual((item.tables, item.figures), ([], []))
        for option in ("--preludes-runs", "--wide-runs"):
            self.assertTrue(any(option in line for line in item.missing), item.missing)

    def test_ratios_and_speeds_of_the_best(self):
        item = self.item(self.both(**{"pco -8": 1.6, "pco -12": 1.7, "zstd -19": 1.1, "GFC": 9.0}))
        first = self.rows(item, "double")[0]
        self.assertEqual((first["data set"], first[peers.PAPERS], first[PRELUDES], first[WIDE]),
                         ("num_control", 1.5, 4.0, None))
        self.assertEqual((first["best of ours"], first["compress GB/s"]), (PRELUDE, 0.7))
        self.assertEqual((first["pco"], first["zstd"], first["xz"]), (1.7, 1.1, None))
        single = self.rows(item, "single")[0]
        self.assertEqual(single["best of ours"], PLAIN)  # of equal ones, the simpler
        table = dict(item.tables)["beyond-peers-double"]
        self.assertIn("**4.000**", table.markdown())
        self.assertTrue(any(WIDE in line and "wide.json" in line for line in item.missing))
        self.assertEqual(len(item.figures), 2)

    def test_verdicts_follow_their_rules(self):
        def of(**others):
            item = self.item(self.both(**{name.replace("_", " "): ratio
                                          for name, ratio in others.items()}))
            return {row["what"].split(" both")[0]: row for row in self.rows(item, "verdicts")}

        shuffles = {peers.SHUFFLE: 1.0, peers.BITSHUFFLE: 1.4}
        found = of(**shuffles, pco=1.5)
        ahead = found["ahead of the better of shuffle and bitshuffle with zstd -9"]
        self.assertEqual((ahead["verdict"], ahead["best of ours"]),
                         (HOLDS, "4 of 4 (double 2 of 2, single 2 of 2)"))
        self.assertIsNone(ahead[WIDE])
        self.assertEqual((found["ahead of pco"]["verdict"], found["ahead of pco"][peers.PAPERS]),
                         (HOLDS, "0 of 4 (double 0 of 2, single 0 of 2)"))  # equal is not ahead
        self.assertEqual(found["at 1 GB/s or more"]["verdict"], NOT)
        self.assertEqual(found["at 0.6 GB/s or more"]["best of ours"], "4 of 4")
        found = of(**{peers.SHUFFLE: 1.45, peers.BITSHUFFLE: 1.6}, pco=3.0)
        self.assertEqual(found["ahead of the better of shuffle and bitshuffle with zstd -9"]
                         ["verdict"], NOT)  # two of four are not more than half
        self.assertEqual(found["ahead of pco"]["verdict"], PART)
        found = of(**{peers.SHUFFLE: 1.0})
        self.assertEqual(found["ahead of the better of shuffle and bitshuffle with zstd -9"]
                         ["verdict"], CANNOT)  # one of the two alone says nothing of the better
        self.assertEqual(found["ahead of pco"]["verdict"], CANNOT)

    def test_what_was_searched_or_timed_otherwise(self):
        study = self.both(pco=1.1)
        other = self.searched("wide", {("num_control", "double"): 9.0}, PRELUDE,
                              sizes={"double": 8, "single": 4})
        study.beyond[WIDE] = Study(self.config, other)
        item = self.item(study)
        self.assertIsNone(self.rows(item, "double")[0][WIDE])
        self.assertTrue(any("data of another size" in note for note in item.notes), item.notes)
        path = os.path.join(self.folder, "preludes", "documents", "one-core.json")
        with open(path, encoding="utf-8") as stream:
            document = json.load(stream)
        for one in document["data_sets"]:
            one["rows"][0]["pipeline"] = "BIT ZE"
        self.write(path, document)
        item = self.item(self.study(preludes=os.path.join(self.folder, "preludes")))
        self.assertIsNone(self.rows(item, "double")[0]["compress GB/s"])
        self.assertTrue(any("BIT ZE, was timed" in note for note in item.notes), item.notes)

    def test_marks_beyond_the_axis(self):
        study = self.both()
        line = peers.Line(study, "a", "double", {peers.PAPERS: peers.Found(1.4, PLAIN),
                                                 PRELUDES: peers.Found(100.0, PRELUDE),
                                                 WIDE: peers.Found(120.0, PRELUDE)},
                          {"pco": 12.0, "xz": 457.0, "zfp": 1.03})
        on_axis, far = peers.marks_of(line, 5)
        self.assertEqual(on_axis, {peers.PAPERS: 1.4, "zfp": 1.03})
        self.assertEqual(far, [(WIDE, 120.0), ("xz", 457.0)])

    def test_the_report_has_it(self):
        self.both(**{"pco -8": 1.6, peers.SHUFFLE: 1.2, peers.BITSHUFFLE: 1.3})
        preludes = os.path.join(self.folder, "preludes")
        self.call("--preludes-runs", preludes)
        self.assertIn(PRELUDE, self.text("tables", "beyond-peers-double.csv"))
        self.assertIn("Context past the chunk", self.text("REPORT.md"))
        os.stat(os.path.join(self.out, "figures", "beyond-peers-single.svg"))
        said = self.call("--wide-runs", preludes, preludes, status=2)
        self.assertIn("1 studies and 2 directories of --wide-runs", said)
        self.call("--preludes-runs", os.path.join(self.folder, "none"), "--wide-runs", "-")
        self.assertIn("--preludes-runs", self.text("REPORT.md"))

    @unittest.skipUnless(os.path.exists(PROGRAM), "set FPSYNTH to the program")
    def test_documents_of_a_wider_search_are_made_once(self):
        folder, beyond = (os.path.join(self.folder, name) for name in ("runs", "beyond"))
        with open(self.config, encoding="utf-8") as stream:
            study = self.document("study", stream.read())
        for command in (["search", "--study", study, "--out", beyond],
                        ["data", "info", "--study", study, "--out",
                         os.path.join(folder, "documents", "statistics.json")]):
            subprocess.run([PROGRAM, *command], check=True, capture_output=True)
        prepare.prepare_beyond(PROGRAM, folder, os.path.join(self.folder, "none"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "none")))
        prepare.prepare_beyond(PROGRAM, folder, beyond)
        searched = Study(self.config, beyond)
        self.assertEqual(sorted(searched.documents), ["best", "one-core", "runs"])
        row = searched.on_one_core("num_control", "single")
        self.assertEqual(row["pipeline"],
                         searched.rows("best", data_set="num_control")[0]["single_pipeline"])
        path = os.path.join(beyond, documents.FOLDER, "one-core.json")
        before = os.stat(path).st_mtime_ns
        prepare.prepare_beyond(PROGRAM, folder, beyond)
        self.assertEqual(os.stat(path).st_mtime_ns, before)
