"""The picture of the corpus for README.md, drawn from results/measured/."""

import json
import os
import re
import subprocess
import tempfile
import unittest

from support import ROOT
from analysis import corpus, overview
from analysis.problems import Problem

PROGRAM = os.environ.get("FPSYNTH", "")
MEASURED = os.path.join(ROOT, "results", "measured")


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


if __name__ == "__main__":
    unittest.main()
