"""The settings with which documents are made; tests/cli/cases/report_documents.sh makes them."""

from support import unittest

from analysis.make import table_modes, tables_that_fit


class Settings(unittest.TestCase):
    def test_tables_are_as_large_as_half_of_the_data_sets(self):
        for sizes, exponent in (([131072] * 13, 13), ([35089600], 19), ([1000, 1 << 20, 1 << 30], 16),
                                ([100], 9)):
            self.assertEqual(tables_that_fit(sizes), exponent)

    def test_modes_have_the_papers_tables(self):
        for largest, modes in ((9, "9"), (13, "9,10,11,12,13"), (19, "9,11,12,14,16,17,19")):
            self.assertEqual(table_modes(largest), modes)


if __name__ == "__main__":
    unittest.main()
