"""Unit tests of functions of the package."""

import unittest

import numpy

import support  # noqa: F401  (the path to the package)
from analysis import pareto, pipelines, ratios, style
from analysis.items import Table
from analysis.mpc import ratio_ticks
from analysis.observations import share_text
from analysis.problems import WrongCall


class Parts(unittest.TestCase):
    def test_every_compressor_has_a_unique_look(self):
        looks = [style.look(name) for name, _, _ in style.COMPRESSORS
                 if name not in ("zstd", "lz4", "blosc")]  # those stand for versions not listed
        self.assertEqual(len(looks), len(set(looks)))
        self.assertEqual(style.look("MPC"), style.look("MPC"))
        self.assertNotEqual(style.look("FPC"), style.look("pFPC -1M"))

    def test_pipelines(self):
        self.assertEqual(pipelines.parse("LNV2s LNV2s LNV2x | ZE"),
                         (["LNV2s", "LNV2s", "LNV2x", "ZE"], 3))
        self.assertEqual(pipelines.parse("| DIM8 RLE"), (["DIM8", "RLE"], 0))
        self.assertEqual(pipelines.parse("ZE"), (["ZE"], 1))
        for text in ("", "a | b | c", "ZE " * 9, "ZE; rm"):
            with self.assertRaises(WrongCall):
                pipelines.parse(text)

    def test_marks_of_a_line_do_not_hide_each_other(self):
        crowded = {"gzip --best": 1.2, "MPC": 1.201, "GFC": 1.19, "FPC": 3.0}
        rows = ratios.lanes(crowded, 3.0)
        self.assertEqual(sorted(name for row in rows for name, _ in row), sorted(crowded))
        self.assertEqual(len(rows), 3)
        for row in rows:
            for (_, left), (_, right) in zip(row, row[1:]):
                self.assertGreater(right / left, 1.03)
        self.assertEqual(len(ratios.lanes({"GFC": 1.0, "MPC": 2.0}, 3.0)), 1)

    def test_a_front_of_one_point_is_a_corner(self):
        self.assertEqual(pareto.steps([], 1, 0.1), [])
        self.assertEqual(pareto.steps([(2, 5)], 1, 0.1), [(1, 5), (2, 5), (2, 0.1)])
        self.assertEqual(pareto.steps([(4, 3), (2, 5)], 1, 0.1),
                         [(1, 5), (2, 5), (2, 3), (4, 3), (4, 0.1)])

    def test_pictures_keep_their_frequent_colours(self):
        pixels = numpy.zeros((40, 40, 3), dtype=int)
        pixels[:, :] = (255, 255, 255)
        for x in range(40):  # more colours than a palette has, each once
            for y in range(10):
                pixels[x, y] = (x, y, 100)
        pixels[0, 39] = (243, 242, 242)
        pixels[20:, 20:] = (242, 242, 242)
        places, palette = style.few_colours(pixels)
        self.assertEqual(len(palette), style.COLOURS)
        drawn = palette[places]
        self.assertEqual(tuple(drawn[5, 30]), (255, 255, 255))
        self.assertEqual(tuple(drawn[30, 30]), (242, 242, 242))
        self.assertLess(abs(drawn[:, :10].astype(int) - pixels[:, :10]).max(), 40)

    def test_small_shares_are_not_shown_as_zero(self):
        self.assertEqual([share_text(share) for share in (0, 0.04, 0.5, 0.99, 1, 1.5, 37.6)],
                         ["", "<1", "<1", "<1", "1", "2", "38"])

    def test_tables(self):
        table = Table("t", [("pipeline | cut", 0), ("x", 2), ("n", 0)])
        table.add("BIT | ZE", 1.239, 12345)
        table.add("ZE", None, 7)
        self.assertEqual(table.markdown(), "| pipeline \\| cut | x | n |\n|---|---:|---:|\n"
                         "| BIT \\| ZE | 1.24 | 12,345 |\n| ZE | – | 7 |\n")
        self.assertEqual(table.csv(), "pipeline | cut,x,n\nBIT | ZE,1.239,12345\nZE,,7\n")
        with self.assertRaises(ValueError):
            table.add("too few")

    def test_ticks_are_round_and_apart(self):
        self.assertEqual(ratio_ticks(0.9, 520, 12), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
        self.assertIn(1.2, ratio_ticks(0.9, 2, 12))


if __name__ == "__main__":
    unittest.main()
