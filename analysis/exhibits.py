"""What the papers show, and what of it this report has: each paper's tables and figures in its
order, with the reason where one was not attempted."""

from analysis.items import Item, Table

DRAWING = "a drawing that explains the algorithm, without measured values"
# Paper -> (exhibit, what it shows, the item here or None, why not or what differs).
EXHIBITS = {
    "mpc": [
        ("Figure 1", "chained components and their inverses", "mpc-fig-1", ""),
        ("Table I", "data sets", "mpc-table-1", ""),
        ("Table II", "best pipelines", "mpc-table-2", ""),
        ("Section V.A", "observations on the best pipelines", "mpc-va-components",
         "its claims one by one: see Claims"),
        ("Section V.A.3", "cross-validation", "mpc-va-cross-validation",
         "the paper has a sentence on it"),
        ("Tables III and IV", "compression ratios", "mpc-tables-3-4", ""),
        ("Table V", "throughputs", "mpc-table-5", ""),
        ("Figure 2", "fewer stages", "mpc-fig-2", "also in single precision"),
    ],
    "gfc": [
        ("Figure 1", "assignment of warps, blocks and chunks", None, DRAWING),
        ("Figure 2", "leading zero bytes", "gfc-fig-2", ""),
        ("Figure 3", "the algorithm", None, "code, of which runners/baselines/gfc/ has ours"),
        ("Table 1", "data sets", "gfc-table-1", ""),
        ("Figure 4", "mean ratios in the fastest modes", "gfc-fig-4",
         "the paper does not name the modes"),
        ("Figure 5", "throughput against ratio", "gfc-fig-5", ""),
        ("Figure 6", "throughput by data set", "gfc-fig-6", ""),
        ("Table 2", "ratio by number of chunks", "gfc-table-2", ""),
    ],
    "pfpc": [
        ("Figure 1", "the sequential algorithm", None, DRAWING),
        ("Table 1", "data sets", "pfpc-table-1", ""),
        ("Figure 2", "ratio by number of threads", "pfpc-fig-2", ""),
        ("Figure 3", "ratio by chunk size", "pfpc-fig-3", ""),
        ("Figure 4", "throughput by chunk size", "pfpc-fig-4",
         "on one machine; the paper has three"),
        ("Section 5.2", "a variant with balanced load, and one that only copies", None,
         "experiments of which the text has single numbers; the copy is memcpy in Table V"),
    ],
    "holt": [
        ("Figure 1", "constituents of compressed data", None, DRAWING),
        ("Table I", "data sets", "holt-table-1", ""),
        ("Table II", "compression ratios", "holt-table-2", ""),
        ("Figures 2 and 3", "throughput at four levels of optimisation", None,
         "stages in the making of the paper's kernels, of which we have only the result"),
        ("Figure 4", "throughput by size", "holt-fig-4", ""),
        ("Figures 5 and 6", "time in transfers and kernels", "holt-figs-5-6", "needs a GPU"),
        ("Figures 7 to 9", "comparison with a Cell processor", None,
         "the processor cannot be had any more"),
    ],
}


def item(paper, items):
    """The list of a paper's tables and figures; `items` are those of the report."""
    drawn = {item.name: item for item in items}
    item = Item(f"{paper}-exhibits", paper, "What of the paper is here",
                "The paper's tables and figures in its order.")
    table = Table(item.title, [("in the paper", 0), ("shows", 0), ("here", 0),
                               ("remark", 0, "as in the paper")])
    for exhibit, what, name, why in EXHIBITS[paper]:
        table.add(exhibit, what, state(drawn.get(name)) if name else "not attempted", why)
    item.table("", table)
    return item


def state(item):
    """What an item has of ours."""
    if item is None or not (item.figures or item.tables):
        return "no"
    return "yes, with gaps" if item.missing else "yes"
