"""Unit tests of functions of the package."""

import re
import unittest
from unittest import mock
from xml.etree import ElementTree

import numpy

from analysis import axes, cards, chains, context, distribution, heat_map, holt, labels, mpc, \
    pareto, pipelines, style, svg, sweeps
from analysis.items import Item, Table
from analysis.problems import WrongCall
from analysis.published import Published


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
        self.assertEqual(pipelines.parse("DICT LAGx:18200 / LNV1s ZE | RLE"),
                         (["LNV1s", "ZE", "RLE"], 2))
        for text in ("", "a | b | c", "ZE " * 9, "ZE; rm"):
            with self.assertRaises(WrongCall):
                pipelines.parse(text)

    def test_marks_of_a_line_do_not_hide_each_other(self):
        crowded = {"gzip --best": 1.2, "MPC": 1.201, "GFC": 1.19, "FPC": 3.0}
        rows = axes.lanes(crowded, 0.05)
        self.assertEqual(sorted(name for row in rows for name, _ in row), sorted(crowded))
        self.assertEqual(len(rows), 3)
        for row in rows:
            for (_, left), (_, right) in zip(row, row[1:]):
                self.assertGreater(right / left, 1.03)
        self.assertEqual(len(axes.lanes({"GFC": 1.0, "MPC": 2.0}, 0.05)), 1)

    def test_names_hide_neither_marks_nor_each_other(self):
        figure, ax = style.new(style.PAGE, 3)
        ax.set_xlim(0, 10)
        ax.set_ylim(0, 10)
        marks = [(5 + 0.1 * step, 5 + 0.05 * step, f"compressor {step}") for step in range(6)]
        labels.place(ax, [*marks, (9.9, 9.9, "at the end")], 7)
        renderer = figure._get_renderer()
        boxes = [text.get_window_extent(renderer).extents for text in ax.texts if text.get_text()]
        self.assertEqual(len(boxes), 7)
        inside = ax.get_window_extent(renderer)
        for number, box in enumerate(boxes):
            self.assertLess(labels.outside(box, inside), 1)
            for other in boxes[:number]:
                self.assertLess(labels.overlap(box, other), 1)
            for x, y, _ in marks:
                point = ax.transData.transform((x, y))
                self.assertFalse(box[0] < point[0] < box[2] and box[1] < point[1] < box[3])

    def test_a_name_far_from_its_mark_has_a_line_to_it_and_no_name_is_written_of_a_mark_without(self):
        figure, ax = style.new(style.PAGE, 3)
        ax.set_xlim(0, 10)
        ax.set_ylim(0, 10)
        crowd = [(5 + 0.2 * x, 5 + 0.3 * y, "") for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
        labels.place(ax, [(5, 5, "in the middle"), *crowd], 7)
        name, line = (text for text in ax.texts if text.get_text() or text.arrow_patch)
        self.assertEqual((name.get_text(), line.xy), ("in the middle", (5, 5)))

    def test_pipelines_stand_beside_what_was_timed_on_as_many_bytes(self):
        rows = [{"input_bytes": 8 << 20}]
        study = mock.Mock(throughput=[{"run": {"backend": "cpu"}, "rows": rows,
                                       "dataset": {"name": "a", "precision": "double"}}],
                          compared=lambda precision: [{"name": "a", "bytes": 1 << 25}],
                          comparison=lambda: {"notes": [
                              "GB/s: of the first 8388608 bytes of each data set, where it has more"]})
        title = "a (double), cpu, one thread"
        self.assertEqual(pareto.other_inputs(study, title), ("", 0))
        rows.append({"input_bytes": 32 << 20})
        said, size = pareto.other_inputs(study, title)
        self.assertIn("on 8 MiB of a, the pipelines on 32 MiB", said)
        self.assertEqual(size, 8 << 20)

    def test_pictures_that_say_nothing_are_left_out(self):
        few, many = (mock.Mock(searched=lambda names=names: names) for names in ("a", "abc"))
        of = context.Context([few, many], None, [])
        self.assertEqual((of.broad([few, many]), of.broad([few])), ([many], [few]))
        item = Item("", "", "", "")
        rows = [{"bytes": 1 << 17}, {"bytes": None}]
        self.assertFalse(of.large(item, mock.Mock(), rows, "too few"))
        self.assertIn("at most 131,072 bytes: too few", item.notes[0])
        self.assertTrue(of.large(item, mock.Mock(), [*rows, {"bytes": 1 << 20}]))
        sizes = [{"bytes": size, "on": "a CPU", "where": ""} for size in (65536, 65600, 1 << 24)]
        self.assertEqual(holt.sizes_beside(sizes, sizes[0]), 2)

    def test_one_diagram_is_enough_for_figure_1(self):
        printed = Published()
        self.assertEqual([text for text, _ in chains.chains(context.Context([], printed, []))],
                         ["LNV6s BIT LNV1s ZE"])
        self.assertEqual(chains.chains(context.Context([], printed, ["BIT ZE", "BIT ZE"])),
                         [("BIT ZE", "from --pipeline")])

    def test_a_data_set_of_two_studies_has_one_line_of_ratios(self):
        def study(part):
            return mock.Mock(part=lambda: part, searched=lambda: ["num_plasma"], mark=lambda *_: part,
                             compared=lambda _: [{"name": "num_plasma", "rows": [
                                 {"compressor": name, "ratio": ratio} for name, ratio in (
                                     ("MPC", 1.2), ("GFC", 1.1), ("FPC", 9.0), ("xz -9", 99.0))]}],
                             rows=lambda *_, **__: [{"lowest_ratio": 0.9, "highest_ratio": 1.5}])
        line, = distribution.spreads([study("one chunk in 32"), study("")], "double")
        self.assertEqual(line["mark"], "")  # of the whole search
        self.assertEqual(line["ratios"], {"MPC": 1.2, "FPC": 9.0, "best searched": 1.5})

    def test_data_of_two_studies_have_one_group_of_bars(self):
        def study(name, part, size):
            tables = {"runs": {"data_set": "num_plasma", "bytes": size},
                      "stages": {"data_set": "num_plasma", "ratio_2": 2.0, "share_1_percent": 50.0}}
            one = mock.Mock(part=lambda: part, searched=lambda: ["num_plasma"], mark=lambda *_: part,
                            rows=lambda stem, **_: [tables[stem]])
            one.name = name
            return one
        studies = [study("sample", " \u2020", 64), study("fpc", "", 64), study("corpus", "", 64),
                   study("mini", "", 8)]  # a synthetic set of that name
        self.assertEqual([(name, its) for name, its, _ in mpc.shares_by_stages(studies, "double")],
                         [("num_plasma", "fpc"), ("num_plasma", "mini")])

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
        self.assertEqual([heat_map.share_text(share) for share in (0, 0.04, 0.5, 0.99, 1, 1.5, 37.6)],
                         ["", "<1", "<1", "<1", "1", "2", "38"])

    def test_tables(self):
        table = Table("t", [("pipeline | cut", 0), ("x", 2), ("n", 0)])
        table.add("BIT | ZE", 1.239, 12345)
        table.add("ZE", None, 7)
        self.assertEqual(table.markdown(), "| pipeline \\| cut | x | n |\n|---|---:|---:|\n"
                         "| BIT \\| ZE | 1.24 | 12,345 |\n| ZE | –¹ | 7 |\n\n"
                         "–¹ the document has no value\n")
        self.assertEqual(table.csv(), "pipeline | cut,x,n\nBIT | ZE,1.239,12345\nZE,,7\n")
        with self.assertRaises(ValueError):
            table.add("too few")

    def test_the_best_of_a_row_stands_out(self):
        table = Table("t", [("set", 0), ("x", 1), ("y", 1)])
        table.add("a", 1.0, 2.0)
        table.highlight(2)
        self.assertIn("| a | 1.0 | **2.0** |", table.markdown())
        self.assertEqual(table.csv(), "set,x,y\na,1.0,2.0\n")

    def test_a_few_high_ratios_do_not_squeeze_the_others(self):
        usual = [1.0, 1.1, 1.2, 1.25, 1.3, 1.4, 1.5, 1.6, 1.7, 2.0]
        self.assertLess(axes.ratio_limit([*usual, 401.0]), 3)
        self.assertGreater(axes.ratio_limit(usual), 2.0)

    def test_means_are_those_of_the_sweep(self):
        def row(name, of, fits):
            return {"data_set": name, "data_sets": of, "fits": fits}
        sets = [row("big", 1, "yes"), row("large", 1, "yes"), row("small", 1, "no")]
        mean, of_two = row("harmonic mean", 3, "no"), row("harmonic mean", 2, "yes")
        self.assertEqual(sweeps.over_sets([*sets, mean, of_two]), [mean])
        self.assertEqual(sweeps.fitting([*sets, mean, of_two]), [of_two])
        self.assertEqual(sweeps.fitting(sets[1:]), [sets[1]])
        self.assertEqual(sweeps.fitting(sets[2:]), [])

    def test_the_most_chunks_that_fit(self):
        rows = [{"chunks": chunks, "fits": "yes" if chunks <= 50 else "no"}
                for chunks in (1, 10, 50, 100, 1000)]
        self.assertEqual(sweeps.chunks_that_fit(rows, [1, 10, 100, 1000]), 10)
        self.assertEqual(sweeps.chunks_that_fit(rows[3:], [100, 1000]), 100)

    def test_svg_has_tooltips_and_the_colours_of_the_page(self):
        figure, ax = style.new()
        for patch in ax.bar([1], [2], color="black", hatch="//"):
            svg.tip(patch, 'a < b, "c"')
        alone = svg.standalone(figure)
        self.assertIn("<title>a &lt; b, 'c'</title>", alone)
        one, other = (svg.inline(alone, name, "bars") for name in ("x", "y"))
        self.assertIn("var(--ink)", one)
        self.assertNotIn("#000000", one)
        ids = [set(re.findall(r' id="([^"]+)"', text)) for text in (one, other)]
        self.assertTrue(ids[0] and not ids[0] & ids[1])
        for text, its in zip((one, other), ids):
            self.assertEqual(set(re.findall(r'(?:url\(#|href="#)([^")]+)', text)), its)
            ElementTree.fromstring(text)

    def test_lines_of_cards(self):
        row = {"description": "heights; topography", "bytes": 37342080, "type": "single",
               "unique_percent": 1.25, "entropy_bits": 9.96, "randomness_percent": 75.0}
        self.assertEqual(list(cards.lines_of(row)), [
            "heights; topography.", "37,342,080 bytes as singles; 1.2 % of the values unique, entropy "
            "10.0 bits, randomness 75.0 %."])
        self.assertEqual(list(cards.lines_of({"description": "", "bytes": None})), [])

    def test_ticks_are_round_and_apart(self):
        self.assertEqual(axes.ratio_ticks(0.9, 520, 12), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
        self.assertIn(1.2, axes.ratio_ticks(0.9, 2, 12))
