"""The picture of the corpus for README.md, drawn from results/measured/."""

import json
import os
import re
import tempfile
import unittest

from support import ROOT
from analysis import corpus, overview
from analysis.problems import Problem

MEASURED = os.path.join(ROOT, "results", "measured")


def row(ratio, speed):
    return {"ratio": ratio, "compress": {"gb_per_s": speed}, "decompress": {"gb_per_s": speed}}


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

    def test_methods_are_compared_on_the_inputs_that_all_have(self):
        methods = {"xz": {"a": row(2.0, 0.1), "b": row(8.0, 0.4)}, "pco": {"a": row(3.0, 0.2)}}
        ratios = {mark.name: round(mark.ratio, 9) for mark in overview.marks_of(methods)}
        self.assertEqual(ratios, {"xz": 2.0, "pco": 3.0})
        self.assertEqual(overview.marks_of({"xz": {"a": row(2, 1)}, "pco": {"b": row(3, 1)}}), [])

    def test_the_front_has_no_mark_that_another_exceeds(self):
        marks = overview.marks_of({"slow": {"a": row(3.0, 0.1)}, "worse": {"a": row(2.0, 0.1)},
                                   "fast": {"a": row(1.5, 4.0)}, "hidden": {"a": row(1.4, 2.0)}})
        self.assertEqual([mark.name for mark in overview.front(marks, "compress")],
                         ["slow", "fast"])

    def test_documents_of_several_processors_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(Problem, "no such document; name the folder"):
                corpus.methods_in(folder)
            for number, kind in enumerate(("paper", "preludes", "wide", "longer", "peers", "pco")):
                with open(corpus_document(MEASURED, kind), encoding="utf-8") as stream:
                    document = json.load(stream)
                document["machine"]["cpu"] = f"processor {min(number, 1)}"
                with open(os.path.join(folder, f"compare_corpus_{kind}-x-2026-01-01.json"), "w",
                          encoding="utf-8") as stream:
                    json.dump(document, stream)
            with self.assertRaisesRegex(Problem, "of several processors"):
                corpus.methods_in(folder)


def corpus_document(folder, kind):
    return next(os.path.join(folder, name) for name in sorted(os.listdir(folder))
                if name.startswith(f"compare_corpus_{kind}-"))


if __name__ == "__main__":
    unittest.main()
