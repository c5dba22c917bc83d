"""Figure 2 carried on to more stages, from small made documents."""

import json
import os
import subprocess
import unittest

import support

from analysis import deeper, documents, mpc
from analysis.context import Context
from analysis.documents import Study
from analysis.published import Published

PROGRAM = os.environ.get("FPSYNTH", "")
RATIOS = [*(f"ratio_{n}" for n in range(1, 7)),
          *(f"share_{n}_percent" for n in (1, 2, 3, 5, 6))]


def document(*rows):
    """`query stages --deeper` of (data set, precision, ratios with 1 to 6 stages, raced)."""
    def figures(ratios):
        return [*ratios, *(100 * ratio / ratios[3] if ratio else None
                           for n, ratio in enumerate(ratios, 1) if n != 4)]

    return support.tables(
        "query stages",
        ("Ratios", ["data_set", "precision", *RATIOS, "raced_stages"],
         [[name, precision, *figures(ratios), raced] for name, precision, ratios, raced in rows]),
        ("Means", ["precision", "data_sets", *RATIOS],
         [["double", 1, *figures(rows[0][2])]]),
        ("Winners", ["data_set", "precision", "stages", "ratio", "gain_percent", "used_stages",
                     "pipeline", "searched"],
         [[name, precision, n, ratio, None if n == 1 else 1.5, min(n, 5), "LNV1s | ZE",
           "raced" if str(n) in (raced or "").split() else "all pipelines"]
          for name, precision, ratios, raced in rows
          for n, ratio in enumerate(ratios, 1) if ratio]),
        ("Looks", ["stages", "winners", "mean_used_stages", "mean_reducers", "all_on_words",
                   "all_on_bytes", "cut_between", "mean_stages_before_cut"],
         [[n, len(rows), float(n), 1.0, 0, 0, len(rows), 1.0] for n in range(1, 7)]),
        ("Kinds", ["stages", "kind", *(f"stage_{n}" for n in range(1, 7)), "total",
                   "share_percent"],
         [[n, "ZE", *(1 if k == n else 0 if k < n else None for k in range(1, 7)), 1, 100.0 / n]
          for n in range(1, 7)]))


TWO = document(("num_control", "double", [1.0, 1.2, 1.4, 1.5, 1.6, 1.8], "6"),
               ("msg_hydro", "double", [1.0, 2.0, 2.5, 2.5, None, 2.6], "6"))


class Deeper(support.Folder):
    def item(self, content=None):
        self.document("runs", support.runs(("num_control", "double", 16384, 1, "yes"),
                                           ("msg_hydro", "double", 16384, 1, "yes")))
        if content:
            self.document("deeper", content)
        return deeper.item(Context([Study(self.config, self.runs)], Published(), []))

    def test_without_the_searches_it_says_how_to_make_them(self):
        item = self.item()
        self.assertEqual((item.tables, item.figures), ([], []))
        self.assertTrue(any("--deeper-runs" in line for line in item.missing), item.missing)

    def test_bars_are_relative_to_four_and_raced_ones_are_known(self):
        self.item(TWO)
        bars, raced = deeper.shares([Study(self.config, self.runs)], "double")
        self.assertEqual([name for name, _, _ in bars], ["num_control", "msg_hydro"])
        self.assertEqual(sorted(bars[0][2]), [1, 2, 3, 5, 6])
        self.assertAlmostEqual(bars[0][2][6], 120.0)
        self.assertIsNone(bars[1][2][5])
        self.assertEqual(raced, {(name, "small", 6) for name in ("num_control", "msg_hydro")})
        self.assertEqual(deeper.base_of([Study(self.config, self.runs)]), 4)

    def test_a_ring_and_a_bar_for_each_figure(self):
        self.item(TWO)
        bars, raced = deeper.shares([Study(self.config, self.runs)], "double")
        axes = mpc.draw_stages(bars, 4, raced).axes[0]
        self.assertEqual(len(axes.patches), 9)
        rings = [line for line in axes.lines if line.get_marker() == "o"]
        self.assertEqual([line.get_ydata()[0] for line in rings], [bars[0][2][6], bars[1][2][6]])
        self.assertGreater(axes.get_ylim()[1], 120)
        # Without more than four stages, the axis ends just above them.
        papers = [(name, study, {n: share[n] for n in (1, 2, 3)}) for name, study, share in bars]
        self.assertEqual(mpc.draw_stages(papers).axes[0].get_ylim()[1], 102)

    def test_tables(self):
        tables = dict(self.item(TWO).tables)
        ratios = tables["ours-deeper-small-ratios"]
        self.assertEqual([name for name, _ in ratios.columns][:4],
                         ["data set", "precision", "CR 1", "CR 2"])
        self.assertEqual(ratios.rows[1][6], None)
        self.assertEqual(ratios.rows[1][-1], "6")
        winners = tables["ours-deeper-small-winners"]
        self.assertEqual([row[2] for row in winners.rows], [4, 5, 6, 4, 6])
        self.assertEqual([row[-1] for row in winners.rows if row[2] == 6], ["raced", "raced"])
        self.assertEqual(len(tables["ours-deeper-small-kinds"].rows), 6)
        self.assertEqual(tables["ours-deeper-small-means"].rows[0][:2], ("double", 1))

    def test_a_damaged_document_is_named(self):
        damaged = json.loads(json.dumps(TWO))
        damaged["tables"][2]["rows"][0]["stages"] = "four"
        self.document("deeper", damaged)
        self.assertIn("deeper.json: Winners: row 1: stages is 'four'", self.call(status=1))

    def test_it_is_in_the_report(self):
        self.item(TWO)
        self.call()
        self.assertIn("Figure 2 of the MPC paper carried on", self.text("REPORT.md"))
        self.assertEqual(self.rows("ours-deeper-small-ratios")[0]["CR 6"], "1.8")

    @unittest.skipUnless(PROGRAM, "FPSYNTH does not name the program")
    def test_the_program_makes_the_document(self):
        def search(name, stages):
            config = self.write(f"{name}.json", {
                "name": name, "data": [{"made": "num_control", "bytes": 65536}],
                "precisions": ["double"],
                "space": {"stages": stages, "components": ["NUL", "LNV1s", "BIT"]}})
            folder = os.path.join(self.folder, name)
            subprocess.run([PROGRAM, "search", "--study", config, "--out", folder], check=True,
                           stdin=subprocess.DEVNULL, capture_output=True)
            return folder

        base, more = search("base", 2), search("more", 3)
        path = self.document("deeper", "")
        subprocess.run([PROGRAM, "query", "stages", "--runs", base, "--deeper", more, "--out", path],
                       check=True, capture_output=True)
        found = documents.read_document(path)
        row = found["tables"][0]["rows"][0]
        self.assertGreaterEqual(row["ratio_3"], row["ratio_2"])
        self.assertIsNone(row["raced_stages"])
