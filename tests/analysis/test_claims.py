"""The drawing of the verdicts that `query claims` gives."""

import support

from analysis import answer, claims
from analysis.context import Context
from analysis.documents import Study
from analysis.published import Published
from analysis.verdicts import CANNOT, HOLDS, NOT, NOT_MEASURED, PART


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
