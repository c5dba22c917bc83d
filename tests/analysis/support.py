"""Documents for tests, and functions that call the package as a user does."""

import contextlib
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from analysis import style, svg  # noqa: E402  (the package is found by its folder)
from analysis.__main__ import main  # noqa: E402
from analysis.problems import exit_with  # noqa: E402

UNPAINTED = ((style, "png", b""), (style, "pdf", b""), (style, "lay_out", None),
             (svg, "standalone", '<svg viewBox="0 0 1 1"></svg>'))


def tables(kind, *named):
    """A tables document of (title, keys of the columns, rows)."""
    document = first_tables(kind, *named)
    document["version"] = 2
    for table in document["tables"]:
        table["columns"] = [{"key": key, "title": key.replace("_", " ")}
                            for key in table["columns"]]
    return document


def first_tables(kind, *named):
    """A tables document of version 1, of (title, titles of the columns, rows)."""
    return {"schema": "fpsynth-tables", "version": 1, "kind": kind,
            "program": {"version": "0", "commit": "abc", "compiler": "a compiler"},
            "machine": {"cpu": "a CPU", "threads": 2}, "command": f"fpsynth {kind}",
            "tables": [{"title": title, "columns": columns,
                        "rows": [dict(zip(columns, row)) for row in rows], "notes": []}
                       for title, columns, rows in named]}


RUNS = ["data_set", "precision", "bytes", "pipelines", "one_chunk_in", "complete", "verification",
        "failures", "backend", "device", "threads", "seconds", "giga_pipeline_bytes_per_s"]


def runs(*sets):
    """`query runs` of (name, precision, bytes, one chunk in, complete)."""
    return tables("query runs", ("Searches", RUNS, [
        [name, precision, size, 18, step, complete, "all", 0, "cpu", "a CPU", 2, 0.1, 1.0]
        for name, precision, size, step, complete in sets]))


def means(*rows):
    """`query best --published`, of whose means are (precision, what, data sets, CR, paper's CR)."""
    best = ["data_set", *(f"{precision}_{figure}" for precision in ("double", "single") for figure in (
        "ratio", "pipeline", "paper_pipeline", "paper_pipeline_ratio", "paper_pipeline_rank"))]
    return tables("query best", ("Best", best, []),
                  ("Means", ["precision", "what", "data_sets", "ratio", "paper_ratio"], rows))


def compared(*sets):
    """`compare` of (name, precision, bytes, {compressor: ratio}); the means are the values of the
    first set, which suffices for the tests."""
    speed = {"gb_per_s": 1.0}
    names = {precision: [one[0] for one in sets if one[1] == precision]
             for precision in ("double", "single")}
    return {"schema": "fpsynth-comparison", "version": 1,
            "program": {"version": "0", "commit": "abc", "compiler": "a compiler"},
            "machine": {"cpu": "a CPU", "threads": 2}, "command": "fpsynth compare",
            "repetitions": 3, "missing": [], "notes": [],
            "data_sets": [{"name": name, "precision": precision, "bytes": size, "rows": [
                {"compressor": compressor, "threads": 2 if compressor == "GFC" else 1,
                 "ratio": ratio, "compress": speed, "decompress": speed,
                 **({"pipeline": "LNV1s ZE"} if compressor == "best searched" else {})}
                for compressor, ratio in ratios.items()]}
                for name, precision, size, ratios in sets],
            "means": [{"compressor": compressor, "precision": precision,
                       "data_sets": len(names[precision]), "of": len(names[precision]),
                       "harmonic_mean_ratio": ratio, "mean_compress_gb_per_s": 1.0,
                       "mean_decompress_gb_per_s": 2.0,
                       "harmonic_mean_compress_gb_per_s": 1.0}
                      for precision in names if names[precision]
                      for compressor, ratio in next(one[3] for one in sets
                                                    if one[1] == precision).items()]}


class Folder(unittest.TestCase):
    """A test with a temporary folder, which contains the runs of a study 'small'."""

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

    def call(self, *more, runs=None, status=0, painted=False):
        """Draws as `python3 -m analysis` does; returns what it wrote to standard error. If not `painted`,
        pictures are neither laid out nor painted, which takes most of the time and sees no document."""
        return self.draw("--study", self.config, "--runs", runs or self.runs, *more, status=status,
                         painted=painted)

    def draw(self, *arguments, status=0, painted=False):
        said = io.StringIO()
        with contextlib.ExitStack() as stack:
            for of, name, instead in () if painted else UNPAINTED:
                stack.enter_context(mock.patch.object(of, name, lambda *_, instead=instead: instead))
            stack.enter_context(mock.patch.object(sys, "argv", ["", *arguments, "--out", self.out]))
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            stack.enter_context(contextlib.redirect_stderr(said))
            ended = stack.enter_context(self.assertRaises(SystemExit))
            exit_with(main, "analysis")
        self.assertIn(ended.exception.code, status if isinstance(status, tuple) else (status,),
                      said.getvalue())
        return said.getvalue()

    def make_documents(self, *more, program, runs=None, config=None):
        """Searches, and makes the documents; returns what was written to standard error."""
        given = ["--study", config or self.config]
        subprocess.run([program, "search", *given, "--out", runs or self.runs, "--resume", "--skip-missing"],
                       stdin=subprocess.DEVNULL, capture_output=True, check=False)
        done = subprocess.run(
            [sys.executable, "-m", "analysis.make", *given, "--runs", runs or self.runs, "--fpsynth",
             os.path.abspath(program), *more], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False,
            env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def rows(self, name):
        """The rows of a table in the output."""
        return list(csv.DictReader(io.StringIO(self.text("tables", name + ".csv"))))

    def text(self, *parts):
        with open(os.path.join(self.out, *parts), encoding="utf-8") as stream:
            return stream.read()
