"""Adding what further programs compared to a study's comparison, and pcodec as such a program. Only the
last test needs its wheel."""

import importlib.util
import os
import subprocess
import sys
import unittest

import support

from analysis.documents import Study

PCO = os.path.join(support.ROOT, "configs", "peers", "pco.py")


class Joining(support.Folder):
    def setUp(self):
        super().setUp()
        self.sets = [("num_control", "double", 16384, {"MPC": 1.5}),
                     ("msg_hydro", "double", 16384, {"MPC": 1.5})]
        self.further = support.compared(*((*one[:3], {"pco -8": 2.0 + place, "MPC": 9.0})
                                          for place, one in enumerate(self.sets)))

    def study(self):
        self.document("compare", support.compared(*self.sets))
        self.document("compare-pco", self.further)
        return Study(self.config, self.runs)

    def test_rows_and_means(self):
        study = self.study()
        self.assertNotIn("compare-pco", study.documents)
        self.assertEqual([{row["compressor"]: row["ratio"] for row in one["rows"]}
                          for one in study.compared("double")],
                         [{"MPC": 1.5, "pco -8": 2.0}, {"MPC": 1.5, "pco -8": 3.0}])
        means = {mean["compressor"]: mean for mean in study.means("double")}
        self.assertAlmostEqual(means["pco -8"]["harmonic_mean_ratio"], 2.4)
        self.assertEqual(means["MPC"]["harmonic_mean_ratio"], 1.5)

    def test_other_values_and_other_machines(self):
        self.further["data_sets"][0]["xxh3"] = "0123456789abcdef"
        self.further["machine"] = {"cpu": "another CPU", "threads": 2}
        study = self.study()
        self.assertEqual([len(one["rows"]) for one in study.compared("double")], [1, 2])
        notes = study.comparison()["notes"]
        self.assertTrue(any("num_control (double) is left out" in note for note in notes), notes)
        self.assertTrue(any("another CPU" in note for note in notes), notes)
        self.assertEqual([mean["compressor"] for mean in study.means("double")], ["MPC"])

    def test_damaged(self):
        self.further["data_sets"][0]["rows"][0]["ratio"] = "2"
        self.document("compare-pco", self.further)
        self.assertIn("data_sets 1 rows 1 ratio is '2'", self.call(status=1))
        self.document("compare-pco", support.tables("query best", ("Best", ["data_set"], [])))
        self.assertIn("has the schema fpsynth-tables, not fpsynth-comparison",
                      self.call(status=1))


class Pco(support.Folder):
    def call_pco(self, *arguments, path=""):
        return subprocess.run([sys.executable, PCO, *arguments], capture_output=True, check=False,
                              encoding="utf-8", env={**os.environ, "PYTHONPATH": path})

    def test_without_the_wheel(self):
        self.write("pcodec.py", "raise ImportError('there is none')")
        done = self.call_pco("--version", path=self.folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("there is none", done.stderr)
        self.assertIn("-m pip install pcodec", done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("pcodec"),
                         "pcodec is not here; `python3 -m pip install pcodec`")
    def test_files_of_any_length(self):
        names = [os.path.join(self.folder, name) for name in ("in", "packed", "out", "seconds")]
        for kind in ("f64", "f32"):
            for size in (0, 3, 8, 8003, 16000):
                with open(names[0], "wb") as stream:
                    stream.write(bytes(i * i % 251 for i in range(size)))
                for way, one, two in (("compress", 0, 1), ("decompress", 1, 2)):
                    done = self.call_pco(way, kind, names[one], names[two], names[3])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    with open(names[3], encoding="ascii") as stream:
                        self.assertGreater(float(stream.read()), 0)
                with open(names[0], "rb") as first, open(names[2], "rb") as second:
                    self.assertEqual(first.read(), second.read())


if __name__ == "__main__":
    unittest.main()
