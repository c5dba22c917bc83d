"""Documents that are damaged in all manner of ways: what comes of it is a message that names the
document, or a drawing, and never a traceback. The package is called from other folders."""

import copy
import json
import os
import random
import subprocess
import sys

import synthetic_documents
from support import ROOT, Folder, tables

ROUNDS = 100
VALUES = (None, True, -1, 0, 10 ** 30, 1.5, float("nan"), float("inf"), "", "x", "7", [], [1], {},
          {"a": 1})


def places(value, way=()):
    """The ways to everything in a document."""
    yield way
    inner = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*way, key))


def damaged(dice, document):
    """A document with something else, more, or less somewhere."""
    document = copy.deepcopy(document)
    *way, last = dice.choice([place for place in places(document) if place])
    holder = document
    for key in way:
        holder = holder[key]
    action = dice.randrange(4)
    if action == 0:
        del holder[last]
    elif action == 1 and isinstance(holder, dict):
        holder[f"{last}_"] = holder.pop(last)
    elif action == 1:
        holder.append(copy.deepcopy(holder[last]))
    else:
        holder[last] = copy.deepcopy(dice.choice(VALUES))
    return document


class Damaged(Folder):
    def setUp(self):
        super().setUp()
        synthetic_documents.put_sampled(self)
        self.document("pfpc", synthetic_documents.pfpc((10, 1, 8, 1.2, 0.5), (10, 2, 8, 1.1, 0.6)))
        self.document("gfc", synthetic_documents.gfc(("num_control", 10, 1.1, 0.5, 0.6)))
        self.document("holt", synthetic_documents.holt(("num_control", 4096, 0.5),
                                                       ("num_control", 16384, 0.6)))
        self.document("statistics", synthetic_documents.statistics())
        synthetic_documents.put_throughput(self.runs, "num_control", "double",
                            synthetic_documents.timed_row("MPC", 2, [0.1, 0.2], [0.3, 0.4]))
        self.files = [os.path.join(folder, name) for folder, _, names in os.walk(self.runs)
                      for name in sorted(names)]
        self.assertEqual(len(self.files), 15)

    def expect_a_message(self, path):
        """Draws; whether it was refused, naming a document."""
        said = self.call(status=(0, 1))
        if said:
            self.assertRegex(said, r"^analysis: .*\w\.json: ")
            self.assertNotIn("\n", said.strip()[:60])
        return bool(said)

    def test_values_of_all_kinds(self):
        self.call()
        refused = 0
        dice = random.Random(13)
        for number in range(ROUNDS):
            path = dice.choice(self.files)
            with open(path, encoding="utf-8") as stream:
                good = stream.read()
            bad = json.dumps(damaged(dice, json.loads(good)))
            with self.subTest(round=number, path=path), open(path, "w", encoding="utf-8") as stream:
                stream.write(bad)
                stream.flush()
                refused += self.expect_a_message(path)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(good)
        self.assertGreater(refused, ROUNDS // 3)

    def test_truncated_and_overwritten_bytes(self):
        dice = random.Random(14)
        for number in range(40):
            path = dice.choice([*self.files, self.config])
            with open(path, "rb") as stream:
                good = stream.read()
            bad = bytearray(good[:dice.randrange(len(good))] if number % 2 else good)
            if bad:
                bad[dice.randrange(len(bad))] = dice.randrange(256)
            with open(path, "wb") as stream:
                stream.write(bad)
            with self.subTest(round=number, path=path):
                self.expect_a_message(path)
            with open(path, "wb") as stream:
                stream.write(good)

    def test_studies_that_are_none(self):
        for content, message in (([], "is []"), ({"name": 3}, "name is 3"),
                                 ({"name": "x", "data": ["y"]}, "data 1 is 'y'"),
                                 ({"name": "x", "data": [{}]}, "data 1 has neither"),
                                 ({"name": "x", "data": [{"file": 4}]}, "data 1 file is 4")):
            with self.subTest(message):
                self.write("study.json", content)
                said = self.call(status=1)
                self.assertIn("study.json: ", said)
                self.assertIn(message, said)
                self.assertIn("is not a study file, see configs/README.md", said)

    def test_nested_too_deep(self):
        path = self.document("best", "[" * 100000)
        self.assertIn(f"{path}: is not", self.call(status=1))

    def test_a_cell_is_named(self):
        path = self.document("best", tables("query best", ("Best", [
            "data_set", "double_ratio", "double_pipeline", "single_ratio", "single_pipeline"],
            [["num_control", "much", "ZE", None, None]])))
        self.assertIn(f"{path}: Best: row 1: double_ratio is 'much' and not a number above 0",
                      self.call(status=1))


class FromAnywhere(Folder):
    def test_the_folder_is_a_program(self):
        self.document("best", tables("query best", ("Best", [
            "data_set", "double_ratio", "double_pipeline", "single_ratio", "single_pipeline"],
            [["num_control", 1.5, "ZE", None, None]])))
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, "analysis"), "--study", "study.json", "--runs",
             "runs", "--out", "drawn"], cwd=self.folder, stdin=subprocess.DEVNULL,
            capture_output=True, encoding="utf-8", check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, os.path.join("drawn", "index.html") + "\n")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "drawn", "index.html")))
