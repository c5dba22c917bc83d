"""Measuring pcodec, and adding what it compared to a study's comparison. Only the last test needs the
wheel, and only the two last need the program."""

import importlib.util
import json
import os
import subprocess
import sys
import unittest
import zlib

import numpy

import support

from analysis import comparisons, pco
from analysis.documents import Study
from analysis.problems import WrongCall

PROGRAM = os.environ.get("FPSYNTH")


class Deflate:
    """Has the functions of Pco."""

    name, library = "deflate", "zlib"

    def compress(self, words):
        return zlib.compress(words.tobytes())

    def decompress(self, file, words):
        words[:] = numpy.frombuffer(zlib.decompress(file), words.dtype)


class Lossy(Deflate):
    def decompress(self, file, words):
        super().decompress(file, words)
        words[3] = -words[3]


class Lazy(Deflate):
    """Does not write its last word."""

    def decompress(self, file, words):
        words[:-1] = numpy.frombuffer(zlib.decompress(file), words.dtype)[:-1]


class Refusing(Deflate):
    def compress(self, words):
        raise RuntimeError("no such type")


def specials(count=1000):
    """Doubles with NaN payloads, infinities, zeros of both signs and denormals among them."""
    words = numpy.linspace(1, 2, count)
    words.view(numpy.uint64)[:6] = [0x7FF8000000000001, 0xFFF0000000000001, 0x7FF0000000000000, 1,
                                    1 << 63, 0]
    return words


class Measuring(unittest.TestCase):
    def row(self, codec, words=None, tail=0, timed=1 << 20):
        return pco.row_of(codec, specials() if words is None else words, tail, 3, timed)

    def test_size_and_times(self):
        words = specials()
        row = self.row(Deflate(), words, tail=5)
        size = len(zlib.compress(words.tobytes())) + 5
        self.assertEqual((row["compressed_bytes"], row["ratio"]), (size, 8005 / size))
        for way in ("compress", "decompress"):
            times = row[way]
            self.assertEqual(len(times["seconds"]), 3)
            self.assertEqual(times["median_seconds"], sorted(times["seconds"])[1])
            self.assertAlmostEqual(times["gb_per_s"], 8000 / times["median_seconds"] / 1e9)

    def test_only_the_first_bytes_are_timed(self):
        row = self.row(Deflate(), timed=805)
        self.assertAlmostEqual(row["compress"]["gb_per_s"],
                               800 / row["compress"]["median_seconds"] / 1e9)
        self.assertEqual(row["ratio"], self.row(Deflate())["ratio"])

    def test_a_round_trip_that_fails_is_no_measurement(self):
        for codec, byte in ((Lossy(), 31), (Lazy(), 7992)):
            row = self.row(codec)
            self.assertFalse(row["verified"])
            self.assertIn(f"the first difference is at byte {byte}", row["failure"])
            self.assertNotIn("ratio", row)

    def test_what_is_refused(self):
        self.assertIn("no such type", self.row(Refusing())["refused"])
        self.assertIn("no whole word", self.row(Deflate(), numpy.empty(0))["refused"])

    def test_sizes(self):
        self.assertEqual([pco.bytes_of(text) for text in ("8", "64K", "8M", "1G")],
                         [8, 65536, 8 << 20, 1 << 30])
        for text in ("7", "M", "8MB", "-8M", "8.5M"):
            with self.assertRaises(WrongCall):
                pco.bytes_of(text)


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


class Program(support.Folder):
    def test_without_the_wheel(self):
        self.write("pcodec.py", "raise ImportError('there is none')")
        done = subprocess.run(
            [sys.executable, "-m", "analysis.pco", "--fpsynth", "no-program", "--study",
             self.config, "--runs", self.runs], cwd=support.ROOT, capture_output=True, check=False,
            encoding="utf-8", env={**os.environ, "PYTHONPATH": self.folder})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("there is none", done.stderr)
        self.assertIn("-m pip install pcodec", done.stderr)

    @unittest.skipUnless(PROGRAM, "FPSYNTH does not name the program")
    def test_the_words_are_those_that_compare_takes(self):
        with open(self.config, encoding="utf-8") as stream:
            description = json.load(stream)
        found = pco.comparison(PROGRAM, description, [Deflate()], 1, "", "a command")
        path = os.path.join(self.folder, "compared.json")
        subprocess.run([PROGRAM, "compare", "--study", self.config, "--only", "memcpy",
                        "--repetitions", "1", "--out", path], check=True, capture_output=True)
        with open(path, encoding="utf-8") as stream:
            theirs = json.load(stream)
        keys = ("name", "precision", "bytes", "xxh3")
        self.assertEqual([[one[key] for key in keys] for one in found["data_sets"]],
                         [[one[key] for key in keys] for one in theirs["data_sets"]])
        comparisons.add(theirs, found, "compare-pco")
        self.assertEqual([mean["of"] for mean in theirs["means"]
                          if mean["compressor"] == "deflate"], [2, 2])

    @unittest.skipUnless(PROGRAM and importlib.util.find_spec("pcodec"),
                         "pcodec is not here; `python3 -m pip install pcodec`")
    def test_the_wheel(self):
        for codec in pco.codecs():
            for kind in ("<f8", "<f4"):
                row = pco.row_of(codec, specials().view(kind), 0, 1, 1 << 20)
                self.assertGreater(row.get("ratio", 0), 1, row)


if __name__ == "__main__":
    unittest.main()
