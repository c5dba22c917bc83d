"""Synthetic documents of a GPU, in the form of `bench pipelines`, are drawn in the papers' figures.
Needs the program, named by FPSYNTH."""

import os
import subprocess
import tempfile
import unittest

import synthetic_documents as synthetic
from support import Folder

PROGRAM = os.environ.get("FPSYNTH", "")
WAYS = ("compress", "decompress")


SIZE = 1 << 26  # bytes that were timed


class Documents(Folder):
    """A study with sweeps on a CPU."""

    def setUp(self):
        super().setUp()
        self.sweeps()

    def sweeps(self):
        self.document("gfc", synthetic.gfc(("num_control", 1000, 1.5, 4.0, 5.0),
                                           ("msg_hydro", 1000, 1.5, 2.0, 3.0),
                                           ("harmonic mean", 1000, 1.5, 2.7, 3.7)))
        self.document("pfpc-modes", synthetic.pfpc((9, 2, 1024, 1.2, 1.0), (17, 2, 1024, 1.4, 0.5)))
        self.document("holt", synthetic.holt(("num_control", 4096, 1.0),
                                             ("num_control", 8192, 2.0)))

    def time(self):
        for name, faster in (("num_control", 1), ("msg_hydro", 2)):
            synthetic.put_throughput(
                self.runs, name, "double",
                synthetic.timed_row("GFC, 1000 chunks", 2 * faster, [0.004 / faster] * 3,
                                    [0.01] * 3),
                synthetic.timed_row("Holt", 1, [9.0], [9.0]))
            synthetic.put_throughput(
                self.runs, name, "single",
                synthetic.timed_row("Holt", 2, [0.005, 0.001, 0.003], [0.01, 0.02, 0.03]))

    def query(self):
        subprocess.run([PROGRAM, "query", "timed", "--runs", self.runs, "--out",
                        os.path.join(self.runs, "documents", "timed.json")], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


@unittest.skipUnless(os.path.exists(PROGRAM), "set FPSYNTH to the program")
class Missing(Documents):
    def test_a_missing_gpu_is_reported(self):
        self.call()
        report = self.text("REPORT.md")
        for line in ("GFC on a GPU, double precision", "Holt on a GPU, single precision"):
            self.assertEqual(report.count(f"- {line}"), 1)
        self.assertEqual([row for row in self.rows("gfc-fig-5") if "a GPU" in row["on"]], [])
        self.assertIn("bench pipelines --backend cuda --baselines", report)

    def test_documents_without_their_table_are_named(self):
        self.time()
        self.call()
        self.assertIn("query timed --runs", self.text("REPORT.md"))

    def test_documents_without_a_compressor_are_named(self):
        synthetic.put_throughput(self.runs, "num_control", "double",
                                 synthetic.timed_row("Holt", 2, [0.1], [0.1]))
        self.query()
        self.call()
        self.assertIn("GFC on a GPU, double precision: the documents of a GPU do not contain it",
                      self.text("REPORT.md"))


@unittest.skipUnless(os.path.exists(PROGRAM), "set FPSYNTH to the program")
class Gpu(Documents):
    drawn = None  # the folder in which everything was drawn once

    def setUp(self):
        if Gpu.drawn:
            self.make(Gpu.drawn)
            return
        holder = tempfile.TemporaryDirectory()
        unittest.addModuleCleanup(holder.cleanup)
        self.make(holder.name)
        self.sweeps()
        self.time()
        self.query()
        self.call(painted=True)
        Gpu.drawn = holder.name

    def test_figure_5_of_gfc_has_the_kernels_harmonic_mean(self):
        report = self.text("REPORT.md")
        self.assertNotIn("GFC on a GPU", report)
        gpu, = (row for row in self.rows("gfc-fig-5") if row["on"] == "a GPU")
        self.assertEqual(gpu["compressor"], "GFC, 1000 chunks")
        self.assertEqual(gpu["data sets"], "2")
        self.assertAlmostEqual(float(gpu["ratio"]), 2 / (1 / 2 + 1 / 4))
        self.assertAlmostEqual(float(gpu["compress GB/s"]), SIZE / 0.003 / 1e9)
        self.assertAlmostEqual(float(gpu["decompress GB/s"]), SIZE / 0.006 / 1e9)
        cpu, = (row for row in self.rows("gfc-fig-5")
                if row["compressor"] == "GFC" and row["from"] == "small")
        self.assertEqual(float(cpu["compress GB/s"]), 2.7)  # as the sweep has it
        self.assertEqual(cpu["data sets"], "2")

    def test_figure_6_of_gfc_has_kernels_and_transfers_apart(self):
        rows = {(row["data set"], row["where"]): row for row in self.rows("gfc-fig-6")}
        alone = rows["num_control", "gpu, kernels alone, 1000 chunks"]
        self.assertAlmostEqual(float(alone["compress GB/s"]), SIZE / 0.004 / 1e9)
        wall = rows["num_control", "gpu, with transfers, 1000 chunks"]
        self.assertAlmostEqual(float(wall["compress GB/s"]), SIZE / 0.014 / 1e9)
        mean = rows["harmonic mean", "gpu, kernels alone, 1000 chunks"]
        self.assertAlmostEqual(float(mean["compress GB/s"]), SIZE / 0.003 / 1e9)
        self.assertEqual(float(rows["harmonic mean", "cpu, 1000 chunks"]["compress GB/s"]), 2.7)

    def test_holts_figures_are_of_single_precision(self):
        splits = self.rows("holt-figs-5-6")
        self.assertEqual(len(splits), 4)  # two data sets in two directions, each once
        for row in splits:
            self.assertEqual(row["on"], "a GPU")
            self.assertEqual(float(row["kernels ms"]), 3 if row["direction"] == "compression" else 6)
            self.assertEqual(float(row["transfers ms"]), 20)
        rows = [row for row in self.rows("holt-fig-4") if row["on"] == "a GPU"]
        kernels = [row for row in rows if row["where"] == "gpu, kernels alone"]
        self.assertEqual(len(kernels), 2)
        for row in kernels:
            self.assertAlmostEqual(float(row["compress GB/s"]), SIZE / 0.003 / 1e9)
        for row in rows:
            self.assertLess(float(row["compress GB/s"]), 30)  # doubles took seconds
            self.assertGreater(float(row["compress GB/s"]), 1)


class HoltBySize(Folder):
    def test_a_sweep_on_a_gpu_is_drawn(self):
        self.document("holt", synthetic.holt(("num_control", 4096, 1.0),
                                             ("num_control", 8192, 2.0)))
        self.document("holt-gpu", synthetic.holt(("num_control", 4096, 3.0),
                                                 ("num_control", 8192, 6.0), gpu="a GPU"))
        self.call()
        kernels = [(int(row["bytes"]), float(row["compress GB/s"]))
                   for row in self.rows("holt-fig-4") if row["where"] == "gpu, kernels alone"]
        self.assertEqual(kernels, [(4096, 30.0), (8192, 60.0)])
        splits = {row["direction"]: row for row in self.rows("holt-figs-5-6")}
        self.assertEqual(float(splits["compression"]["transfers ms"]), 3)
        self.assertEqual(splits["decompression"]["bytes"], "8192")
        self.assertNotIn("Holt on a GPU", self.text("REPORT.md"))
