"""Every empty cell of every table of a report has a reason."""

import os
import re

import support
import synthetic_documents as synthetic
from test_deeper import TWO

from analysis.absent import NO_VALUE
from analysis.items import Table

EMPTY = re.compile(r"\u2013([\u00b9\u00b2\u00b3\u2070-\u2079]*)$")
PUBLISHED = ("mpc-tables-3-4-double", "mpc-tables-3-4-single", "mpc-table-2")


class EmptyCells(support.Folder):
    def lacking(self):
        """Documents of a study that lack about all that documents may lack."""
        synthetic.put_sampled(self)
        core = support.compared(("msg_hydro", "double", 16384, {"best searched": 2.5}))
        core["data_sets"][0]["rows"][0].update(threads=1, pipeline="another than the best")
        self.document("one-core", core)
        document = support.compared(
            ("msg_hydro", "double", 16384, {"GFC": 1.1, "MPC": 1.2, "gzip -1": 1.1}),
            ("num_control", "double", 16384, {"GFC": 1.2, "xz -9": 1.3}),
            ("num_control", "single", 8192, {"MPC": 1.2}))
        document["data_sets"][1]["rows"].append({"compressor": "MPC", "refused": "too short"})
        document["missing"].append({"compressor": "fpzip", "reason": "its library is not here"})
        for mean in document["means"]:
            mean["data_sets"] = 1 if mean["compressor"] in ("MPC", "gzip -1") else mean["of"]
        self.document("compare", document)
        self.document("peers", synthetic.peers_document([
            (name, "double", {"pipelines": (2.5, "ZE"), space: (2.6, "DICT / ZE")}, its)
            for name, space, its in (("msg_hydro", "preludes", {"pco": 1.1}),
                                     ("num_control", "wide", {}))]))
        cards = synthetic.cards_document([
            ("num_control", "double", {"best searched": ("LNV1s ZE", 1.5), "MPC": ("MPC", 1.6)})])
        cards["tables"][0]["rows"][0].update(compress_gb_per_s=None, decompress_gb_per_s=None)
        self.document("cards", cards)
        sweep = synthetic.pfpc((9, 1, 1024, 1.2, 1.0), (9, 2, 1024, 1.2, 1.0))
        for row in sweep["tables"][0]["rows"]:
            row.update(compress_spread=None, decompress_spread=None)
        for stem in ("pfpc", "pfpc-modes"):
            self.document(stem, sweep)
        self.document("gfc", synthetic.gfc(("num_control", 10, 1.5, 4.0, 5.0),
                                           ("harmonic mean", 10, 1.5, 2.7, 3.7)))
        self.document("holt", synthetic.holt(("num_control", 4096, 1.0)))
        self.document("deeper", TWO)
        self.document("claims", support.tables(
            "query claims",
            ("Claims", ["claim", "paper_verdict", "verdict_1", "section", "what", "holds_if"],
             [["c0", "", "cannot be tested here", "V.A", "a claim", None]]),
            ("Numbers", ["claim", "of", "verdict", "numbers"],
             [["c0", "the paper", "", "without figures"]])))
        wide = os.path.join(self.folder, "wide")
        os.makedirs(os.path.join(wide, "documents"))
        for stem in ("runs", "best"):
            with open(os.path.join(self.runs, "documents", stem + ".json"),
                      encoding="utf-8") as stream:
                self.write(os.path.join("wide", "documents", stem + ".json"), stream.read())
        return "--wide-runs", wide

    def tables(self):
        """The text of every table by its name."""
        folder = os.path.join(self.out, "tables")
        return {name: self.text("tables", name) for name in os.listdir(folder)
                if name.endswith(".md")}

    def check(self, names):
        """Checks all tables, which are those of `names` at least; returns all reasons."""
        found = self.tables()
        self.assertEqual([name for name in names if name + ".md" not in found], [])
        reasons = set()
        for name, text in found.items():
            *_, rows, below = (text + "\n").split("\n\n", 2)
            marks = {cell.strip() for row in rows.split("\n")[2:]
                     for cell in re.split(r"(?<!\\)\|", row)[1:-1]
                     if cell.strip() == "" or EMPTY.match(cell.strip())}
            explained = dict(part.split(" ", 1) for part in below.strip().split("; \u2013")
                             if part) if below.strip() else {}
            explained = {"\u2013" + mark.lstrip("\u2013"): why for mark, why in explained.items()}
            self.assertEqual(marks, set(explained), name)
            reasons |= set(explained.values())
        return reasons

    def test_all_tables_of_documents_that_lack_much(self):
        self.call(*self.lacking())
        reasons = self.check((
            *PUBLISHED, "mpc-table-5", "mpc-fig-2", "mpc-va-components-stages", "gfc-table-2",
            "gfc-fig-4", "gfc-fig-6", "pfpc-fig-2", "pfpc-fig-4", "holt-table-1", "holt-fig-4",
            "findings-claims-small", "beyond-peers-double", "beyond-peers-verdicts", "sets",
            "ours-pareto", "ours-distribution", "ours-deeper-small-winners",
            "ours-deeper-small-kinds", "mpc-exhibits", "searches"))
        self.assertNotIn(NO_VALUE, reasons)
        for reason in ("refused: too short", "compared in double precision alone",
                       "not measured on this data set", "no data here", "not searched",
                       "a single repetition has none", "not swept", "not timed",
                       "no rule: nothing here can test it"):
            self.assertIn(reason, reasons)

    def test_published_values_stand_alone(self):
        self.document("runs", support.runs())
        self.call()
        self.assertIn("not printed in the paper", self.check(PUBLISHED))

    def test_the_best_searched_stands_where_nothing_was_compared(self):
        synthetic.put_sampled(self)
        os.remove(os.path.join(self.runs, "documents", "compare.json"))
        self.call()
        rows = {(row["data set"], row["from"]): row for row in self.rows(PUBLISHED[0])}
        sampled = rows["num_control \u2020", "ours"]
        self.assertEqual((sampled["best searched"], sampled["best searched in"]),
                         ("1.5", "one chunk in 32"))
        self.assertEqual(rows["msg_hydro", "ours"]["best searched in"], "all chunks")
        mean = rows["HarMean \u2020", "ours"]
        self.assertEqual((mean["best searched"], mean["Best (one for all)"]), ("1.875", "1.7"))

    def test_a_reason_is_the_cells_the_rows_or_the_columns(self):
        table = Table("t", [("a", 0, "of a"), ("b", 0), ("c", 1, "of c")])
        table.add(None, "", 1.0)
        table.add("x", None, None, why="of the row")
        table.add("y", 2, None)
        self.assertEqual(table.texts(), [["\u2013\u00b9", "\u2013\u00b2", "1.0"],
                                         ["x", "\u2013\u00b3", "\u2013\u00b3"],
                                         ["y", "2", "\u2013\u2074"]])
        self.assertEqual(table.reasons(), f"\u2013\u00b9 of a; \u2013\u00b2 {NO_VALUE}; "
                                          "\u2013\u00b3 of the row; \u2013\u2074 of c")
        self.assertEqual(table.csv(), "a,b,c\n,,1.0\nx,,\ny,2,\n")
