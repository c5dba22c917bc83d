"""Documents for tests, and the package as its user calls it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)


def tables(kind, *named):
    """A tables document of (title, columns, rows)."""
    return {"schema": "fpsynth-tables", "version": 1, "kind": kind,
            "program": {"version": "0", "commit": "abc", "compiler": "a compiler"},
            "machine": {"cpu": "a CPU", "threads": 2}, "command": f"fpsynth {kind}",
            "tables": [{"title": title, "columns": columns,
                        "rows": [dict(zip(columns, row)) for row in rows], "notes": []}
                       for title, columns, rows in named]}


class Folder(unittest.TestCase):
    """A test with a folder of its own, in which a study 'small' has its runs."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.make(holder.name)

    def make(self, folder):
        self.folder = folder
        self.runs = os.path.join(self.folder, "runs")
        self.out = os.path.join(self.folder, "out")
        os.makedirs(os.path.join(self.runs, "documents"), exist_ok=True)
        self.config = self.write("study.json", {
            "name": "small", "data": [{"made": "num_control", "bytes": 16384},
                                      {"made": "msg_hydro", "bytes": 16384}],
            "precisions": ["double", "single"],
            "space": {"stages": 3, "components": ["NUL", "LNV1s", "BIT", "DIM5"]}})

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def document(self, stem, content):
        return self.write(os.path.join("runs", "documents", stem + ".json"), content)

    def call(self, *more, runs=None, status=0):
        """Draws; returns what was said on standard error."""
        done = subprocess.run(
            [sys.executable, "-m", "analysis", "--study", self.config, "--runs", runs or self.runs,
             "--out", self.out, *more], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr

    def text(self, *parts):
        with open(os.path.join(self.out, *parts), encoding="utf-8") as stream:
            return stream.read()
