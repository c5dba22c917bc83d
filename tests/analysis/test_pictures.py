"""The pictures of README.md: the corpus, drawn from results/measured/, and what each step of a method makes
of the data."""

import glob
import json
import os
import re
import subprocess
import tempfile
import unittest

from support import ROOT, compared
from analysis import corpus, explain, overview
from analysis.problems import Problem

PROGRAM = os.environ.get("FPSYNTH", "")
MEASURED = os.path.join(ROOT, "results", "measured")

STEPS = [{"name": "", "word_bytes": 1, "bytes": 4, "beside_bytes": 0, "ratio": 1.0,
          "shown_words": 4, "ones": ["00ff00ff"] * 8},
         {"name": "ZE", "word_bytes": 1, "bytes": 0, "beside_bytes": 2, "ratio": 2.0,
          "shown_words": 0, "ones": [""] * 8}]


def row(method, ratio, speed):
    return {"method": method, "searched_in": None, "geometric_mean_ratio": ratio,
            "median_compress_gb_per_s": speed, "median_decompress_gb_per_s": speed}


class Corpus(unittest.TestCase):
    def test_the_picture_is_that_of_the_measurements(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "corpus.svg")
            self.assertEqual(corpus.main(["--out", path]), 0)
            texts = []
            for one in (path, os.path.join(ROOT, "docs", "images", "corpus.svg")):
                with open(one, encoding="utf-8") as stream:
                    texts.append(stream.read())
        titles = [re.findall("<title>(.*?)</title>", text) for text in texts]
        self.assertEqual(titles[0], titles[1], "draw docs/images/corpus.svg again")
        self.assertGreater(len(titles[0]), 12)
        self.assertLess(len(texts[0].encode()), 60_000)

    @unittest.skipUnless(os.path.exists(PROGRAM), "set FPSYNTH to the program")
    def test_the_means_are_those_of_the_comparisons(self):
        means = corpus.newest(MEASURED, "corpus_peers")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "peers.json")
            subprocess.run([os.path.abspath(PROGRAM), *means["command"].split()[1:-1], path], cwd=ROOT,
                           check=True, stdout=subprocess.DEVNULL)
            with open(path, encoding="utf-8") as stream:
                self.assertEqual(json.load(stream)["tables"], means["tables"])

    def test_the_front_has_no_mark_that_another_exceeds(self):
        marks = overview.marks_of([row("slow", 3.0, 0.1), row("worse", 2.0, 0.1),
                                   row("fast", 1.5, 4.0), row("hidden", 1.4, 2.0)])
        self.assertEqual([mark.name for mark in overview.front(marks, "compress")],
                         ["slow", "fast"])

    def test_documents_of_several_processors_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(Problem, "no such document; name the folder"):
                corpus.line_of(folder)
            for number, kind in enumerate(corpus.KINDS):
                with open(corpus_document(MEASURED, kind), encoding="utf-8") as stream:
                    document = json.load(stream)
                document["machine"]["cpu"] = f"processor {min(number, 1)}"
                with open(os.path.join(folder, f"compare_corpus_{kind}-x-2026-01-01.json"), "w",
                          encoding="utf-8") as stream:
                    json.dump(document, stream)
            with self.assertRaisesRegex(Problem, "of several processors"):
                corpus.line_of(folder)


def corpus_document(folder, kind):
    return next(os.path.join(folder, name) for name in sorted(os.listdir(folder))
                if name.startswith(f"compare_corpus_{kind}-"))


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
