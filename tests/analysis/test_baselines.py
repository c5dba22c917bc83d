"""Figures of the papers' compressors from synthetic sweeps; published values are drawn with the
settings to which they belong."""

import json
import os
import unittest

import synthetic_documents as synthetic
from support import ROOT, Folder, compared
from analysis import gfc, gfc_modes, pfpc
from analysis.context import Context
from analysis.documents import Study
from analysis.make import table_modes, tables_that_fit
from analysis.published import FILE, MEAN, Published

WAYS = ("compress", "decompress")


class Sweeps(Folder):
    def context(self):
        return Context([Study(self.config, self.runs)], Published(), [])

    def panels(self, item):
        """Title of each panel -> the height of its published line, or None."""
        found = {}
        for picture in item.figures:
            for axes in picture.figure.axes:
                lines = [line.get_ydata()[0] for line in axes.get_lines()
                         if list(line.get_xdata()) == [0, 1]]  # across the axes
                found[axes.get_title()] = lines[0] if lines else None
        return found

    def pfpc(self, *bits):
        self.document("pfpc", synthetic.pfpc(*((p, threads, chunk, 1.0 + p / 100, float(threads))
                                               for p in bits for threads in (1, 2, 4)
                                               for chunk in (1, 64))))

    def test_published_values_of_pfpc_are_drawn_at_their_table_sizes(self):
        modes, _ = Published().pfpc_modes()
        small, large = modes[8 << 10], modes[2 << 20]
        self.pfpc(17)
        self.assertEqual(self.panels(pfpc.figure_3(self.context())),
                         {"2 MiB of tables": large["ratio"]})
        self.pfpc(9, 12, 17)
        self.assertEqual(self.panels(pfpc.figure_3(self.context())),
                         {"8 KiB of tables": small["ratio"], "64 KiB of tables": None,
                          "2 MiB of tables": large["ratio"]})
        speeds = self.panels(pfpc.figure_4(self.context()))
        self.assertEqual(len(speeds), 6)
        self.assertEqual(speeds["decompression, 8 KiB of tables"], small["decompress_gb_s"])
        self.assertEqual(speeds["compression, 2 MiB of tables"], large["compress_gb_s"])
        self.assertIsNone(speeds["compression, 64 KiB of tables"])
        self.pfpc(12)
        item = pfpc.figure_3(self.context())
        self.assertEqual(self.panels(item), {"64 KiB of tables": None})
        self.assertIn("the sweep has no tables of 2 MiB", " ".join(item.notes))

    def test_more_threads_than_cores_are_marked(self):
        self.pfpc(9)
        picture, = pfpc.figure_4(self.context()).figures
        legend = [text.get_text() for text in picture.figure.legends[0].get_texts()]
        self.assertEqual(legend, ["1 thread", "2 threads", "4 threads *", "published mean"])
        self.assertIn("More threads than the 2", " ".join(picture.lines))

    def test_data_sets_smaller_than_the_tables_are_left_out(self):
        self.document("pfpc", synthetic.pfpc((17, 1, 1, 1.2, 1.0), (17, 1, 8, 1.2, 1.0), size=4096))
        item = pfpc.figure_3(self.context())
        self.assertEqual(item.figures, [])
        self.assertIn("without num_control: smaller than 2 MiB of tables", " ".join(item.notes))

    def test_fastest_modes(self):
        self.document("pfpc-modes", synthetic.pfpc((9, 1, 1024, 1.2, 1.0), (9, 2, 1024, 1.3, 2.0),
                                                   (17, 2, 1024, 1.4, 0.5)))
        self.document("gfc", synthetic.gfc(("num_control", 1000, 1.5, 4.0, 5.0)))
        self.document("compare", compared(("num_control", "double", 16384, {
            "gzip -1": 1.1, "gzip --best": 1.6, "GFC": 1.0})))
        rows = {row[0]: row for row in gfc_modes.figure_4(self.context()).tables[0][1].rows
                if row[1] == "small"}
        self.assertEqual({name: row[4] for name, row in rows.items()},
                         {"gzip -1": 1.1, "FPC": 1.2, "pFPC": 1.3, "GFC": 1.5})
        document = compared(("num_control", "double", 16384, {"gzip -1": 1.1}))
        del document["means"][0]["harmonic_mean_compress_gb_per_s"]
        self.document("compare", document)  # as earlier programs wrote it
        item = gfc_modes.figure_4(self.context())
        self.assertNotIn("gzip -1", [row[0] for row in item.tables[0][1].rows])
        self.assertIn("gzip -1: compare.json has no harmonic mean", " ".join(item.missing))

    def test_figure_2_of_pfpc_names_its_settings(self):
        self.pfpc(12)
        item = pfpc.figure_2(self.context())
        self.assertIn("chunks of 1 value and 64 KiB of tables", item.text)
        self.assertEqual({row[2] for row in item.tables[0][1].rows}, {64 << 10})

    def test_throughputs_of_gfc_are_harmonic_means_of_the_papers_chunks(self):
        self.document("pfpc-modes", synthetic.pfpc((9, 2, 1024, 1.2, 1.0)))
        self.document("gfc", synthetic.gfc(("a", 10, 1.5, 40.0, 50.0), ("a", 1000, 1.5, 4.0, 5.0),
                                           ("b", 1000, 1.5, 2.0, 3.0),
                                           ("harmonic mean", 1000, 1.25, 8 / 3, 3.75)))
        point, = ([cell for cell in row] for row in gfc_modes.figure_5(self.context()).tables[0][1].rows
                  if row[:2] == ("small", "GFC"))
        self.assertEqual(point[2:7], ["1000 chunks", 2, 1.25, 8 / 3, 3.75])
        rows = gfc.figure_6(self.context()).tables[0][1].rows
        self.assertEqual([row[0] for row in rows if row[1] == "small"], ["a", "b", "harmonic mean"])
        printed = {row[0]: row for row in rows if row[1] == "published"}
        self.assertEqual(set(printed), {"harmonic mean", "the lowest", "msg_sppm, more than"})
        self.assertTrue(all("without transfers" in row[2] for row in printed.values()))


class Reference(unittest.TestCase):
    """The values in our units in results/reference/ equal those that the papers print."""

    def setUp(self):
        with open(os.path.join(ROOT, "results", "reference", "paper_tables.json"),
                  encoding="utf-8") as stream:
            self.data = json.load(stream)
        self.published = Published(FILE)

    def test_throughput_of_gfc(self):
        printed = self.data["gfc_throughput_gbit_per_s"]
        rates, where = self.published.gfc_throughput()
        for way in WAYS:
            self.assertEqual(set(rates[way]), {MEAN, "min", "msg_sppm"})
            for what, rate in rates[way].items():
                self.assertEqual(rate, printed[f"{way}_{what}"] / 8)
        self.assertIn("without transfers", where)

    def test_ratios_of_holt(self):
        rows = self.published.holt_rows()
        self.assertEqual(len(rows), len(self.data["holt_table_2"]["rows"]))
        for _, _, own, ratio in rows:
            self.assertAlmostEqual(own * ratio, 1)

    def test_tables_of_pfpc(self):
        modes, _ = self.published.pfpc_modes()
        self.assertEqual({size: row["ratio"] for size, row in modes.items()},
                         {8 << 10: 1.18, 2 << 20: 1.41})


class Settings(unittest.TestCase):
    """Those with which documents are made; tests/cli/cases/report_documents.sh makes them."""

    def test_tables_are_as_large_as_half_of_the_data_sets(self):
        for sizes, exponent in (([131072] * 13, 13), ([35089600], 19), ([1000, 1 << 20, 1 << 30], 16),
                                ([100], 9)):
            self.assertEqual(tables_that_fit(sizes), exponent)

    def test_modes_have_the_papers_tables(self):
        for largest, modes in ((9, "9"), (13, "9,10,11,12,13"), (19, "9,11,12,14,16,17,19")):
            self.assertEqual(table_modes(largest), modes)
