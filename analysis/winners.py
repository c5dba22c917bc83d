"""What is known of the best pipelines of a study, or of the papers, for verdicts on claims: rows of
the program's queries, of either source in the same form."""

import re

from analysis.context import PRECISIONS
from analysis.documents import BEST
from analysis.pipelines import parse

CUT_NOT_KNOWN = " (cut not known)"
# The tables of `query components` and `query patterns`, each half of which is of published pipelines.
COMPONENTS, PATTERNS = 4, 5


def kinds(pipeline):
    """The kinds of a pipeline's components, without its cut: LNV BIT LNV ZE."""
    return " ".join(re.match("[A-Z]+", name).group() for name in parse(pipeline)[0])


class Winners:
    """`best`: precision -> the one pipeline for all data sets. `each`: (data set, precision) -> its
    own best pipeline."""

    def __init__(self, components, patterns, each, best):
        self.families, self.cuts = components[1]["rows"], components[2]["rows"]
        self.patterns, self.kinds, self.early, self.behind_cut, self.reducers = \
            [table["rows"] for table in patterns]
        self.each, self.best = each, best
        self.counted = {precision: sum(row[f"{precision}_pipelines"] for row in self.early)
                        for precision in PRECISIONS}
        self.total = sum(self.counted.values())

    def both(self):
        """Pairs of the best pipelines, double and single, of data sets that have both."""
        return [(self.each[name, "double"], self.each[name, "single"])
                for name, precision in self.each if precision == "double"
                and (name, "single") in self.each]


def of_study(study):
    """Raises LookupError if a document is missing; context.need reports those."""
    each = {(row["data_set"], row["precision"]): row["pipeline"] for row in study.rows("top-1")}
    best = {precision: row[f"{precision}_pipeline"] for row in study.rows("best", data_set=BEST)
            for precision in PRECISIONS if row[f"{precision}_pipeline"]}
    return Winners(study.tables("components-1")[:COMPONENTS], study.tables("patterns-1")[:PATTERNS],
                   each, best)


def published(study, papers):
    """Those of the MPC paper's Table II, as counted by the program for a study's documents."""
    texts = {(name, precision): papers.best(precision, name)[1].removesuffix(CUT_NOT_KNOWN)
             for name in [*papers.sets, BEST] for precision in PRECISIONS}
    best = {precision: texts.pop((BEST, precision)) for precision in PRECISIONS}
    return Winners(study.tables("components-1")[COMPONENTS:],
                   study.tables("patterns-1")[PATTERNS:], texts, best)
