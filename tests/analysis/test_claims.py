"""Verdicts on the claims of the MPC paper, from small made documents."""

import os

import support
import winner_documents

from analysis import claims
from analysis.context import Context
from analysis.documents import Study
from analysis.published import Published
from analysis.verdicts import CANNOT, HOLDS, NOT, PART, RULES

BEST = {"double": "LNV6s BIT LNV1s ZE", "single": "LNV6s BIT LNV1s ZE"}
# Four data sets on which all that the paper observes is true.
LIKE_THE_PAPER = {
    **{(name, precision): "LNV6s BIT LNV1s ZE" for name in "ab" for precision in ("double", "single")},
    **{(name, "double"): "LNV2s LNV1s | DIM8 ZE" for name in "cd"},
    ("c", "single"): "LNV3s LNV1x | DIM4 ZE", ("d", "single"): "LNV2x BIT | DIM4 RLE"}


class Claims(support.Folder):
    def setUp(self):
        super().setUp()
        self.of("abcd")

    def of(self, names, made=False):
        self.config = self.write("study.json", {
            "name": "small", "precisions": ["double", "single"],
            "data": [{"made": name} if made else {"file": f"{name}.f64"} for name in names]})

    def item(self, pipelines=None, best=None):
        pipelines = pipelines or LIKE_THE_PAPER
        winner_documents.put(self, pipelines, best or BEST, LIKE_THE_PAPER)
        return claims.items(Context([Study(self.config, self.runs)], Published(), []))[0]

    def verdicts(self, item):
        """key -> (numbers, verdict) of the only table."""
        (_, table), = item.tables
        names = [name for name, _ in table.columns]
        return {row[0]: (row[names.index("here")], row[names.index("verdict")])
                for row in table.rows}

    def test_every_claim_has_a_rule_or_says_why_not(self):
        for claim in Published().claims():
            self.assertEqual(claim["id"] in RULES, "rule" in claim, claim["id"])
            self.assertNotEqual(claim["id"] in RULES, "untestable" in claim, claim["id"])
        self.assertEqual(len({claim["id"] for claim in Published().claims()}),
                         len(Published().claims()))

    def test_what_the_paper_observes_holds(self):
        found = self.verdicts(self.item())
        for key in ("no-ties", "ze-last", "no-early-reducer", "dim-behind-cut", "cut-unused",
                    "nul-inv", "lnv-always", "lnv-twice", "subtraction", "same-in-both",
                    "one-best", "pattern", "best-is", "mpc-wins", "cross-validation", "one-stage",
                    "flattening"):
            self.assertEqual(found[key][1], HOLDS, (key, found[key]))
        self.assertEqual(found["ze-last"][0], "7 of 8 (double 4 of 4, single 3 of 4)")
        # In double precision, half of the winners have BIT, which is not more than half.
        self.assertEqual(found["bit"], ("5 of 8 (double 2 of 4, single 3 of 4)", PART))
        for key in ("mpc-above-eight", "longer-lnv", "bits-apart"):
            self.assertEqual(found[key][1], CANNOT)

    def test_what_the_data_contradict_does_not_hold(self):
        pipelines = {(name, precision): "NUL INV RLE RLE" for name in "abcd"
                     for precision in ("double", "single")}
        item = self.item(pipelines, {"double": "| DIM2 INV RLE RLE", "single": "RLE RLE RLE RLE"})
        found = self.verdicts(item)
        for key in ("ze-last", "no-early-reducer", "dim-behind-cut", "bit", "nul-inv", "lnv-always",
                    "lnv-twice", "one-best", "pattern", "best-is", "mpc-wins", "same-in-both"):
            self.assertEqual(found[key][1], NOT, (key, found[key]))
        self.assertEqual(found["subtraction"], ("no LNV", CANNOT))
        self.assertEqual(found["ze-last"][0], "0 of 8 (double 0 of 4, single 0 of 4)")
        self.assertIn("8", found["pattern"][0])
        self.assertTrue(any("ze-last" in note and "RLE" in note for note in item.notes))

    def test_ties_and_stages(self):
        def told(rows, stages):
            self.document("top-1", support.tables("query top", (
                "Top", ["data_set", "precision", "pipeline", "ratio"],
                [[*key, text, 1.5] for key, text in LIKE_THE_PAPER.items()]), (
                "Ties", ["data_set", "precision", "pipeline", "ties", "tied_algorithms",
                         "next_below_percent"],
                [["a", "double", "ZE", tied, tied, below] for tied, below in rows])))
            self.document("stages", support.tables("query stages", (
                "Stages", ["data_set", "precision", "ratio_1", "ratio_2", "ratio_3", "ratio_4",
                           "share_1_percent"],
                [[f"s{n}", "double", *ratios, 100 * ratios[0] / ratios[3]]
                 for n, ratios in enumerate(stages)])))
            context = Context([Study(self.config, self.runs)], Published(), [])
            return {key: verdict for key, (_, verdict) in
                    self.verdicts(claims.items(context)[0]).items()}

        self.item()
        told_ = told([(0, 0.5), (0, 0.1), (1, 0.1)], [(1.0, 1.3, 1.4, 1.45)] * 3 + [(1.4, 1.5, 1.5, 1.5)])
        self.assertEqual(told_["no-ties"], PART)
        self.assertEqual(told_["one-stage"], NOT)
        self.assertEqual(told_["flattening"], HOLDS)
        told_ = told([(1, 0.5), (2, None)], [(1.0, 1.1, 1.3, 1.2)] * 3)
        self.assertEqual(told_["no-ties"], NOT)
        self.assertEqual(told_["one-stage"], HOLDS)
        self.assertEqual(told_["flattening"], NOT)

    def test_mpc_above_eight_dimensions(self):
        columns = ["precision", "dimensionalities", "data_sets", "mpc_ahead", "mpc_ratio",
                   "best_ratio"]
        for ahead, verdict in ((2, HOLDS), (1, PART), (0, NOT)):
            self.document("dimensionality", support.tables(
                "query dimensionality",
                ("Each", ["data_set", "precision", "dimensionality", "mpc_ratio", "best_ratio"], []),
                ("Groups", columns, [["double", "1 to 8", 2, 0, 1.1, 1.2],
                                     ["double", "above 8", 2, ahead, 1.3, 1.2]])))
            self.assertEqual(self.verdicts(self.item())["mpc-above-eight"],
                             (f"ahead on {ahead} of 2; harmonic means in double: MPC 1.300, Best "
                              "1.200", verdict))

    def test_synthetic_and_few_data_are_said(self):
        item = self.item()
        self.assertEqual(item.missing, [])
        self.of("abcd", made=True)
        item = self.item()
        self.assertIn("synthetic", item.tables[0][1].title)
        self.assertTrue(any("say nothing about real data" in note for note in item.notes))
        self.assertTrue(any("Verdicts on real data" in line for line in item.missing))
        self.of("a")
        item = self.item({key: text for key, text in LIKE_THE_PAPER.items() if key[0] == "a"})
        self.assertEqual({verdict for _, verdict in self.verdicts(item).values()}, {CANNOT})
        self.assertEqual(self.verdicts(item)["ze-last"][0], "2 of 2 (double 1 of 1, single 1 of 1)")
        self.assertTrue(any("Verdicts on real data" in line for line in item.missing))

    def test_without_documents_it_says_what_is_missing(self):
        os.remove(self.document("best", support.tables("query best", ("Best", ["data_set"], []))))
        self.document("runs", support.runs(("a", "double", 16384, 1, "yes")))
        item = claims.items(Context([Study(self.config, self.runs)], Published(), []))[0]
        self.assertEqual(item.tables, [])
        self.assertTrue(any("no document best, top-1" in line for line in item.missing), item.missing)
