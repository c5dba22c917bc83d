"""Every published number that can be set beside ours: the difference in percent, and its cause."""

from analysis.context import FETCH, PRECISIONS
from analysis.documents import BEST
from analysis.information import KEYS, PRINTED, STATISTICS
from analysis.items import Item, Table, counted
from analysis.pipelines import parse

CHUNK_VALUES = 1024
EQUAL = "equal to the printed digits"
STAYS = "not known"
RATIO, GFC_RATIO = 3, 5  # decimals with which the MPC paper's Tables II to IV and GFC's Table 2 print


class Figure:
    """A published number beside ours. `decimals` are those that the paper prints."""

    def __init__(self, paper, what, name, precision, published, ours, decimals):
        self.paper, self.what, self.name, self.precision = paper, what, name, precision
        self.published, self.ours, self.decimals = float(published), float(ours), decimals
        self.cause = ""

    def key(self):
        return self.paper, self.what, self.name, self.precision, self.published, self.ours

    def difference(self):
        return 100 * (self.ours / self.published - 1)

    def equal(self):
        return abs(self.ours - self.published) <= 0.5 * 10 ** -self.decimals * (1 + 1e-9)


def items(context):
    return [scorecard(context)]


def scorecard(context):
    item = Item("findings-scorecard", "findings", "Scorecard: published numbers and ours",
                "Every number that a paper prints and that was measured here on the same data, with "
                "the difference in percent of the published one and its cause. Ratios are original "
                "/ compressed bytes.")
    figures = figures_of(context)
    table = Table("Published numbers and ours", [
        ("from", 0), ("what", 0), ("data set", 0), ("precision", 0), ("published", 3), ("ours", 3),
        ("difference %", 2), ("cause", 0)])
    for one in figures:
        table.add(one.paper, one.what, one.name, one.precision, f"{one.published:.{one.decimals}f}",
                  f"{one.ours:.{max(one.decimals, 3)}f}", one.difference(),
                  EQUAL if one.equal() else one.cause or STAYS)
    if figures:
        item.table("", table)
        item.note(summary(figures))
    speeds(context, item)
    item.note("Not set beside ours: what the papers print only as pictures, and means over all of "
              "their data sets, unless all are here")
    item.note(context.samples([study for study in context.studies if study.real()]))
    context.note_absent(item)
    if not figures:
        item.lack("Documents of the papers' data sets", FETCH.format("fpc"))
    return item


def figures_of(context):
    """The published numbers that were measured here, each once."""
    figures, seen = [], set()  # two studies may have searched the same data
    for study in context.studies:
        if not study.real():
            continue  # a synthetic set is not the papers', whatever its name
        for part in (statistics, table_2, tables_3_4, paper_settings, gfc_table_2, holt_table_2):
            found = part(context, study)
            for one in found:
                if study.mark(one.name, one.precision) and one.what.startswith("best"):
                    one.name += study.mark(one.name, one.precision)
                if one.key() not in seen:
                    seen.add(one.key())
                    figures.append(one)
    return figures


def summary(figures):
    same = sum(one.equal() for one in figures)
    others = [one for one in figures if not one.equal()]
    unknown = sum(not one.cause or one.cause.startswith(STAYS) for one in others)
    near = sum(abs(one.difference()) < 1 for one in figures)
    text = f"{counted(len(figures), 'number')}: {same} equal to the printed digits, {near} within " \
        f"1 %, {unknown} without a known cause."
    if others:
        worst = max(others, key=lambda one: abs(one.difference()))
        text += f" The largest difference behind the printed digits is {worst.difference():.2f} % " \
            f"({worst.what}, {worst.name}, {worst.precision})"
    return text


def papers_rows(context, study, stem, table=0, **where):
    """The rows of a document that are of the papers' data sets, which are of double precision where
    the document does not say."""
    return [row for row in study.rows(stem, table, **where)
            if context.is_papers(study, row["data_set"], row.get("precision", "double"))]


def statistics(context, study):
    figures = []
    for row in papers_rows(context, study, "statistics", precision="double"):
        printed = context.published.statistics(row["data_set"])
        for (title, decimals), ours, theirs in zip(STATISTICS, KEYS, PRINTED):
            if printed and row[ours] is not None:
                figures.append(Figure("MPC, Table I", title, row["data_set"], "double",
                                      printed[theirs], row[ours], decimals))
                figures[-1].cause = "rounded in another way" \
                    if abs(row[ours] - printed[theirs]) < 10 ** -decimals else ""
    return figures


def of_chunks(bytes_, precision, published, ours):
    """A difference of ratios of the same data as bytes a chunk, by which formats of files differ."""
    chunks = bytes_ / (8 if precision == "double" else 4) / CHUNK_VALUES
    more = (bytes_ / published - bytes_ / ours) / chunks
    return f"the paper's file has {abs(more):.0f} bytes {'more' if more > 0 else 'less'} for each " \
        f"chunk of {CHUNK_VALUES:,} values; it leaves the format of files and of RLE and ZE open"


def of_search(study, name, precision, published, ours):
    part = study.part(name, precision)
    if part:
        return f"searched in a part of the data: {part}"
    size, = [row["bytes"] for row in study.rows("runs", data_set=name, precision=precision)]
    return of_chunks(size, precision, published, ours)


def table_2(context, study):
    figures = []
    for row in study.rows("best-published"):
        for precision in PRECISIONS:
            name, ratio = row["data_set"], row[f"{precision}_ratio"]
            printed = context.published.best(precision, name)[0]
            if ratio is None or printed is None or name == BEST or \
                    not context.is_papers(study, name, precision):
                continue
            best = Figure("MPC, Table II", f"best pipeline: {row[f'{precision}_pipeline']}", name,
                          precision, printed, ratio, RATIO)
            best.cause = of_search(study, name, precision, printed, ratio)
            figures.append(best)
            here, theirs = (row[f"{precision}_paper_pipeline{end}"] for end in ("_ratio", ""))
            if row[f"{precision}_pipeline"] != theirs:
                best.cause = another_winner(row, precision)
                if here is not None:
                    figures.append(Figure("MPC, Table II", f"best of the paper: {theirs}", name,
                                          precision, printed, here, RATIO))
                    figures[-1].cause = of_search(study, name, precision, printed, here)
    return figures


def another_winner(row, precision):
    """Why another pipeline than the paper's may be the best of the same data."""
    ours, theirs = row[f"{precision}_pipeline"], row[f"{precision}_paper_pipeline"]
    rank = row[f"{precision}_paper_pipeline_rank"]
    text = f"another winner; the paper's has rank {rank:,} here" if rank else \
        f"another winner than the paper's {theirs}"
    if ("RLE" in parse(ours)[0]) > ("RLE" in parse(theirs.split(" (")[0])[0]):
        text += ". The paper leaves RLE's layout open, and that of ours is denser"
    return text


def tables_3_4(context, study):
    figures = []
    for precision, number in zip(PRECISIONS, ("III", "IV")):
        for one in study.compared(precision):
            if not context.is_papers(study, one["name"], precision):
                continue
            for row in one["rows"]:
                printed = context.published.ratios(precision).get(row["compressor"], {}) \
                    .get(one["name"])
                if printed is None or "ratio" not in row:
                    continue
                figure = Figure(f"MPC, Table {number}", row["compressor"], one["name"], precision,
                                printed, row["ratio"], RATIO)
                figure.cause = cause_of(context, figure, row, one["bytes"])
                figures.append(figure)
    return figures


def cause_of(context, figure, row, size):
    if figure.what == "MPC":
        return of_chunks(size, figure.precision, figure.published, figure.ours)
    if figure.what == "pFPC -1M":
        settings = context.published.settings(figure.what)
        return f"the paper ran {settings['why']}; here {counted(row['threads'], 'instance')}: see " \
            "the row with its settings"
    if figure.what == "GFC":
        return f"the paper ran {context.published.settings('GFC')['why']}; here another number of " \
            "chunks: see the row with its settings"
    if figure.what.startswith("gzip"):
        return "zlib's deflate is not the gzip program's: it has buffers of another size"
    return "another version of the library"


def paper_settings(context, study):
    figures = []
    for stem, compressor in (("pfpc-paper", "pFPC -1M"), ("gfc-paper", "GFC")):
        settings = context.published.settings(compressor)
        for row in papers_rows(context, study, stem):
            printed = context.published.ratio("double", compressor, row["data_set"])
            if printed is not None:
                figures.append(Figure("MPC, Table III", f"{compressor}, with {settings['why']}",
                                      row["data_set"], "double", printed, row["ratio"], RATIO))
    return figures


def gfc_table_2(context, study):
    columns, printed = context.published.gfc_ratios()
    figures = []
    for row in papers_rows(context, study, "gfc"):
        if row["chunks"] in columns and row["data_set"] in printed:
            figures.append(Figure("GFC, Table 2", f"GFC, {counted(row['chunks'], 'chunk')}",
                                  row["data_set"], "double",
                                  printed[row["data_set"]][columns.index(row["chunks"])],
                                  row["ratio"], GFC_RATIO))
            figures[-1].cause = f"{STAYS}: the header is the paper's, 4 + 1 + 2 + 4 n bytes (its " \
                f"section 2.1); {more_bytes(row['bytes'], figures[-1])} of {row['bytes']:,} differ"
    return figures


def more_bytes(size, figure):
    """How many bytes of a compressed file the rounding of its published ratio does not explain."""
    off = 0.5 * 10 ** -figure.decimals
    nearest = min(max(figure.ours, figure.published - off), figure.published + off)
    return counted(abs(round(size / figure.ours - size / nearest)), "byte")


def holt_table_2(context, study):
    printed = {name: compressed for name, _, compressed, _ in context.published.holt_rows()}
    figures = []
    for one in study.compared("single"):
        for row in one["rows"]:
            if row["compressor"] == "Holt" and "ratio" in row and one["name"] in printed and \
                    context.is_papers(study, one["name"], "single"):
                figures.append(Figure("Holt, Table II", "Holt, compressed / original", one["name"],
                                      "single", printed[one["name"]], 1 / row["ratio"], 2))
                figures[-1].cause = "the paper does not print its parameters and its format"
    return figures


def speeds(context, item):
    """Table V beside our means, which are of other machines."""
    table = Table("Published throughputs and ours, on other machines", [
        ("from", 0), ("compressor", 0), ("precision", 0), ("direction", 0), ("published GB/s", 2),
        ("ours GB/s", 2), ("difference %", 0), ("cause", 0)])
    for study in context.studies:
        for precision in PRECISIONS:
            names = [one["name"] for one in study.compared(precision)
                     if context.is_papers(study, one["name"], precision)]
            if not study.real() or not names or len(names) != len(study.compared(precision)):
                continue
            for mean in study.means(precision):
                for way in ("compress", "decompress"):
                    printed = context.published.throughput(mean["compressor"], precision, way)
                    if printed is None:
                        continue
                    ours = mean[f"mean_{way}_gb_per_s"]
                    hardware = context.published.throughput_hardware(mean["compressor"])
                    table.add("MPC, Table V", mean["compressor"], precision, way, printed, ours,
                              100 * (ours / printed - 1),
                              f"the paper: {hardware}, the mean of {len(context.published.sets)} data "
                              f"sets; here: {study.comparison()['machine']['cpu']}, "
                              f"{len(names)} of them")
    if table.rows:
        item.table("speeds", table)
