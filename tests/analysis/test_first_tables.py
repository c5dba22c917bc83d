"""Documents of tables of version 1, whose columns have no keys, are read like current ones."""

from support import Folder, first_tables, tables

from analysis.documents import read_document
from analysis.problems import Problem

BEST = [["num_control", 1.5, "LNV1s ZE", 1.25, "BIT ZE"], ["Best", 1.5, "LNV1s ZE", None, None]]
TALLY = [[["BIT", 2, 0, 2]], [["BIT", 2, 0, 2, 50.0]], [[2, 2, 100.0]], [["BIT", 100.0, 0.0]]]
SHARES = "Components in the top 1 of each data set, in percent of the pipelines"


class FirstTables(Folder):
    def read(self, stem, content):
        return read_document(self.document(stem, content))

    def expect_alike(self, stem, old, new):
        was, now = (self.read(stem, content)["tables"] for content in (old, new))
        self.assertEqual([table["rows"] for table in was], [table["rows"] for table in now])
        self.assertEqual([[column["key"] for column in table["columns"]] for table in was],
                         [[column["key"] for column in table["columns"]] for table in now])

    def test_best(self):
        old = first_tables("query best", ("Best", [
            "data set", "double CR", "double pipeline", "single CR", "single pipeline"], BEST))
        self.expect_alike("best", old, tables("query best", ("Best", [
            "data_set", "double_ratio", "double_pipeline", "single_ratio", "single_pipeline"],
            BEST)))
        columns = self.read("best", old)["tables"][0]["columns"]
        self.assertEqual(columns[1], {"key": "double_ratio", "title": "double CR"})

    def test_components(self):
        """The stages of two tables have the same titles, but one holds counts, the other shares."""
        old = [["component", "stage 1", "stage 2", "total"],
               ["family", "stage 1", "stage 2", "total", "share %"],
               ["stages before the cut", "pipelines", "share %"],
               ["component", "stage 1", "stage 2"]]
        new = [["component", "stage_1", "stage_2", "total"],
               ["family", "stage_1", "stage_2", "total", "share_percent"],
               ["stages_before_cut", "pipelines", "share_percent"],
               ["component", "stage_1_percent", "stage_2_percent"]]
        titles = ["Components", "Families", "Cuts", SHARES]
        self.expect_alike("components-100",
                          first_tables("query components", *zip(titles, old, TALLY)),
                          tables("query components", *zip(titles, new, TALLY)))

    def test_stages(self):
        rows = [["num_control", "double", 1.2, 1.5, 80.0]]
        self.expect_alike(
            "stages",
            first_tables("query stages", ("Stages", ["data set", "precision", "CR 1", "CR 2",
                                                     "share 1 %"], rows)),
            tables("query stages", ("Stages", ["data_set", "precision", "ratio_1", "ratio_2",
                                               "share_1_percent"], rows)))

    def test_drawn_from(self):
        self.document("best", first_tables("query best", ("Best", [
            "data set", "double CR", "double pipeline", "single CR", "single pipeline"], BEST)))
        self.call()
        drawn = {(row["data set"], row["precision"]): row for row in self.rows("mpc-table-2")
                 if row["study"] == "small"}
        self.assertEqual(drawn["num_control", "double"]["CR"], "1.5")
        self.assertEqual(drawn["num_control", "single"]["pipeline"], "BIT ZE")

    def test_errors_are_still_reported(self):
        old = first_tables("query best", ("Best", ["data set", "double CR"], [["a", 1.5]]))
        with self.assertRaisesRegex(Problem, "the column 'double_pipeline' is missing"):
            self.read("best", old)
        old["tables"][0]["columns"] = "data set"
        with self.assertRaisesRegex(Problem, "tables 1 columns is 'data set'"):
            self.read("best", old)
