"""The scorecard, published numbers beside ours, and the verdicts on claims, as `query scorecard` and `query
claims` give them."""

import support

from analysis import answer, claims, scorecard
from analysis.context import Context
from analysis.documents import MARK, Study
from analysis.published import Published
from analysis.verdicts import CANNOT, HOLDS, NOT, NOT_MEASURED, PART

EQUAL = "equal to the printed digits"
NUMBERS = ["from", "what", "data_set", "precision", "published", "ours", "difference_percent", "cause",
           "printed_decimals", "searched_in"]
COUNTS = ["paper", "printed_numbers", "equal", "within_1_percent", "cause_not_known",
          "largest_difference_percent", "largest_on"]
SPEEDS = ["from", "compressor", "precision", "direction", "published_gb_per_s", "ours_gb_per_s",
          "difference_percent", "cause"]
ROWS = [["MPC, Table II", "best pipeline: ZE", "num_plasma", "double", 1.454, 1.4602, 0.43, "more",
         3, "one chunk in 32"],
        ["GFC, Table 2", "GFC, 1 chunk", "num_plasma", "double", 1.2, 1.2, 0.0, EQUAL, 5, None]]
ALL = ["all", 2, 1, 2, 0, 0.43, "best pipeline: ZE, num_plasma, double"]


class Scorecard(support.Folder):
    def setUp(self):
        super().setUp()
        self.config = self.write("study.json", {
            "name": "small", "data": [{"file": "num_plasma.f64"}],
            "precisions": ["double", "single"]})
        self.document("runs", support.runs(("num_plasma", "double", 35089600, 32, "yes")))

    def card(self, rows, counts, speeds=()):
        self.document("scorecard", support.tables(
            "query scorecard", ("Numbers", NUMBERS, rows), ("Counts", COUNTS, counts),
            ("Speeds", SPEEDS, speeds)))
        return Study(self.config, self.runs)

    def item(self, *studies):
        return scorecard.items(Context(studies, Published(), []))[0]

    def test_numbers_have_the_printed_digits_and_say_what_was_searched(self):
        speeds = [["MPC, Table V", "MPC", "double", "compress", 10.78, 0.5, -95.4, "a machine"]]
        item = self.item(self.card(ROWS, [ALL], speeds))
        tables = dict(item.tables)
        first, second = tables["findings-scorecard"].rows
        self.assertEqual(first[2:6], ("num_plasma" + MARK, "double", "1.454", "1.460"))
        self.assertEqual(second[2:], ("num_plasma", "double", "1.20000", "1.20000", 0.0, EQUAL))
        self.assertEqual(tables["findings-scorecard-speeds"].rows, [tuple(speeds[0])])
        self.assertIn("2 numbers: 1 equal to the printed digits, 2 within 1 %, 0 without a known "
                      "cause. The largest difference behind the printed digits is 0.43 % (best "
                      "pipeline: ZE, num_plasma, double)", item.notes)

    def test_a_number_that_two_studies_found_stands_once(self):
        study = self.card(ROWS, [ALL])
        more = ALL[:1] + [9] + ALL[2:]
        other = self.card([*ROWS, ["MPC, Table I", "size MB", *ROWS[1][2:]]], [more])
        self.assertEqual(len(dict(self.item(study, other).tables)["findings-scorecard"].rows), 3)
        self.assertIn("9 of their numbers measured again: 1 equal",
                      answer.of_papers(Context([study, other], Published(), []), study))

    def test_without_numbers_of_the_papers_it_says_how_to_get_their_data(self):
        study = self.card([], [])
        item = self.item(study)
        self.assertEqual(item.tables, [])
        self.assertTrue(any("fetch.py" in line for line in item.missing))
        self.assertIsNone(answer.of_papers(Context([study], Published(), []), study))


class Claims(support.Folder):
    def context(self, names, made=False):
        config = self.write("study.json", {
            "name": "small", "precisions": ["double"],
            "data": [{"made": name} if made else {"file": f"{name}.f64"} for name in names]})
        self.document("runs", support.runs(*((name, "double", 16384, 1, "yes") for name in names)))
        return Context([Study(config, self.runs)], Published(), [])

    def put(self):
        verdicts = (HOLDS, HOLDS, PART, NOT, CANNOT, NOT_MEASURED)
        document = support.tables(
            "query claims",
            ("Claims", ["claim", "paper_verdict", "verdict_1", "section", "what", "holds_if"],
             [[f"c{n}", HOLDS, verdict, "V.A", "a claim", None]
              for n, verdict in enumerate(verdicts)]),
            ("Numbers", ["claim", "of", "verdict", "numbers"], [["c0", "small", HOLDS, "3 of 4"]]))
        document["tables"][0]["notes"] = ["small: a cause"]
        self.document("claims", document)

    def test_tables_and_notes_are_those_of_the_query(self):
        self.put()
        context = self.context("abcd")
        item, = claims.items(context)
        self.assertEqual([name for name, _ in item.tables],
                         ["findings-claims-small", "findings-claims-small-numbers"])
        self.assertEqual(item.tables[0][1].rows[3], ("c3", HOLDS, NOT, "V.A", "a claim", None))
        self.assertEqual(item.tables[1][1].rows, [("c0", "small", HOLDS, "3 of 4")])
        self.assertIn("small: a cause", item.notes)
        self.assertEqual(item.missing, [])
        self.assertEqual(answer.of_papers(context, context.studies[0]),
                         "of 4 claims, 2 hold on small, 1 in part, 1 do not")

    def test_what_is_missing_is_said(self):
        item, = claims.items(self.context("abcd"))
        self.assertEqual(item.tables, [])
        self.assertTrue(any("no document claims" in line for line in item.missing), item.missing)
        self.put()
        for names, made in (("abcd", True), ("a", False)):
            item, = claims.items(self.context(names, made))
            self.assertTrue(any("Verdicts on real data" in line for line in item.missing))
