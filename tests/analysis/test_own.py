"""Reports on results alone, without a study and without the papers."""

import json
import os
import subprocess
import sys
import unittest

import support
import synthetic_documents
from analysis import answer, documents
from analysis.context import Context
from analysis.published import Published

PROGRAM = os.environ.get("FPSYNTH", "")
NAMES = ["pressure", "velocity"]


class Own(support.Folder):
    def alone(self, *more, **how):
        return self.draw("--runs", self.runs, *more, **how)

    def test_results_are_drawn_without_a_study(self):
        synthetic_documents.put_many(self, NAMES)
        self.alone(painted=True)
        text, page = self.text("REPORT.md"), self.text("index.html")
        for one in (text, page):
            for word in ("cannot be tested", "Our figures of", "The paper", "published"):
                self.assertNotIn(word, one)
        self.assertEqual([row["ratio"] for row in self.rows("own-winners")
                          if row["data set"] == "velocity"], ["1.0725", "1.0925"])
        names = os.listdir(os.path.join(self.out, "figures"))
        for name in ("answer.svg", "own-stages-double.svg", "ours-distribution-single.svg"):
            self.assertIn(name, names)

    def test_the_answer_says_what_was_measured_where(self):
        synthetic_documents.put_many(self, NAMES)
        study = documents.Study(None, self.runs)
        self.assertEqual((study.name, study.searched()), ("runs", NAMES))
        item = answer.item(Context([study], Published(), []), papers=False)
        said = dict(item.tables[0][1].rows)
        self.assertEqual(said["searched"], "2 data sets of runs, 18 pipelines on each of 4 inputs; 4 of "
                                           "4 searches verified, 0 failures")
        self.assertIn("zstd -19, the others' highest ratio, 400.00 at 1 GB/s", said["ratio, speed"])
        where = "on a CPU, GB/s: of the first 4096 bytes of each data set, where it has more: zstd -19"
        study.tables("peers")[1]["notes"] = ["the mean of the ratios is geometric", where]
        item = answer.item(Context([study], Published(), []), papers=False)
        self.assertIn(where, item.figures[0].lines[0])
        del study.documents["peers"]
        item = answer.item(Context([study], Published(), []), papers=False)
        self.assertEqual(item.figures, [])
        self.assertIn("no document peers", item.missing[0])

    def test_wrong_calls(self):
        self.assertIn("needs a --study", self.alone("--pipeline", "BIT ZE", status=2))
        self.assertIn("no documents to draw from", self.alone(status=1))

    @unittest.skipUnless(os.path.exists(PROGRAM), "set FPSYNTH to the program")
    def test_documents_are_made_of_results(self):
        data = self.write("tiny.f64", "0123456789abcdef" * 256)
        space = self.write("space.json", {"stages": 2, "components": ["BIT", "LNV1s", "ZE"]})
        subprocess.run([PROGRAM, "search", data, "--space", space, "--out", self.runs], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-m", "analysis.make", "--runs", self.runs, "--fpsynth",
                        os.path.abspath(PROGRAM)], cwd=support.ROOT, check=True, capture_output=True)
        self.alone()
        with open(os.path.join(self.runs, "tiny.double.json"), encoding="utf-8") as stream:
            best = json.load(stream)["top"][0]
        row, = self.rows("own-winners")
        self.assertEqual((row["pipeline"], float(row["ratio"])), (best["pipeline"], best["ratio"]))
        self.assertGreater(float(row["compress GB/s"]), 0)
        self.assertIn("answer.svg", os.listdir(os.path.join(self.out, "figures")))
