"""The picture of what each step of a method makes of the data."""

import glob
import json
import os
import tempfile
import unittest

from analysis import explain
from analysis.problems import Problem
from support import ROOT, compared

STEPS = [{"name": "", "word_bytes": 1, "bytes": 4, "beside_bytes": 0, "ratio": 1.0,
          "shown_words": 4, "ones": ["00ff00ff"] * 8},
         {"name": "ZE", "word_bytes": 1, "bytes": 0, "beside_bytes": 2, "ratio": 2.0,
          "shown_words": 0, "ones": [""] * 8}]


class Explain(unittest.TestCase):
    def drawn(self, text, *more):
        """The picture of a document, the only file beside it."""
        with tempfile.TemporaryDirectory() as folder:
            path, out = (os.path.join(folder, name) for name in ("document.json", "picture.svg"))
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
            try:
                self.assertEqual(explain.main([path, out, *more]), 0)
                with open(out, encoding="utf-8") as stream:
                    return stream.read()
            finally:
                self.assertLessEqual(set(os.listdir(folder)), {"document.json", "picture.svg"})

    def test_a_strip_for_each_step(self):
        text = self.drawn(json.dumps({"schema": explain.SCHEMA, "data_set": "small",
                                      "steps": STEPS}))
        for part in ("small", "4 bytes, ratio 1.00", "ZE", "2 bytes, ratio 2.00"):
            self.assertIn(part, text)

    def test_the_speed_of_the_method_is_that_of_a_comparison(self):
        document = {"schema": explain.SCHEMA, "data_set": "small", "method": "LNV1s ZE",
                    "steps": STEPS}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as stream:
            json.dump(compared(("small", "double", 4, {"best searched": 2.0})), stream)
            stream.flush()
            text = self.drawn(json.dumps(document), "--compared", stream.name)
            self.assertIn("compresses 1.0 GB/s and decompresses 1.0 GB/s on 1 thread of a CPU", text)
            for other in ({"data_set": "large"}, {"method": "RLE"}):
                with self.assertRaisesRegex(Problem, "has no speed of .*fpsynth compare"):
                    self.drawn(json.dumps({**document, **other}), "--compared", stream.name)

    def test_the_speed_in_the_readme_is_a_measured_one(self):
        path, = glob.glob(os.path.join(ROOT, "results", "measured", "compare_track-*.json"))
        with open(os.path.join(ROOT, "docs", "images", "track.svg"), encoding="utf-8") as stream:
            self.assertIn(explain.speed_in(path, {
                "data_set": "obs_track",
                "method": "DEC:2 LAGs:60 LAGs:60 / BIT RLE | LNV8s ZE"}), stream.read())

    def test_other_documents_are_refused(self):
        for text in ('{"schema": "fpsynth-tables"}', "[]", '{"schema": '):
            with self.assertRaisesRegex(Problem, "document.json.*fpsynth explain"):
                self.drawn(text)


if __name__ == "__main__":
    unittest.main()
