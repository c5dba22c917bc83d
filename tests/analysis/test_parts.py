"""Parts of the drawing on their own."""

import unittest

import support  # noqa: F401  (the path to the package)
from analysis import chains, style
from analysis.items import Table
from analysis.mpc import ratio_ticks
from analysis.problems import WrongCall


class Parts(unittest.TestCase):
    def test_every_compressor_has_a_look_of_its_own(self):
        looks = [style.look(name) for name, _, _ in style.COMPRESSORS
                 if name not in ("zstd", "lz4", "blosc")]  # those stand for versions not listed
        self.assertEqual(len(looks), len(set(looks)))
        self.assertEqual(style.look("MPC"), style.look("MPC"))
        self.assertNotEqual(style.look("FPC"), style.look("pFPC -1M"))

    def test_pipelines(self):
        self.assertEqual(chains.parse("LNV2s LNV2s LNV2x | ZE"),
                         (["LNV2s", "LNV2s", "LNV2x", "ZE"], 3))
        self.assertEqual(chains.parse("| DIM8 RLE"), (["DIM8", "RLE"], 0))
        self.assertEqual(chains.parse("ZE"), (["ZE"], 1))
        for text in ("", "a | b | c", "ZE " * 9, "ZE; rm"):
            with self.assertRaises(WrongCall):
                chains.parse(text)

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
