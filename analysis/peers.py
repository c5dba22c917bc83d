"""What context past the chunk is worth: the best of the paper's space, with preludes, and with
preludes in the wide space, beside other compressors."""

from math import log2

from analysis import style
from analysis.absent import NOT_SEARCHED, NOT_TIMED
from analysis.axes import beyond, lanes, legend, ratio_axis, ratio_limit
from analysis.context import DRAW, PRECISIONS, study_folder
from analysis.documents import AUTO, LONGER, PRELUDES, WIDE
from analysis.items import Item, Table
from analysis.overview import rows_of
from analysis.sweeps import SPEEDS

STEM = "peers"
PAPERS = "paper's space"
OURS = {"pipelines": PAPERS, "preludes": PRELUDES, "wide": WIDE, "longer": LONGER, "auto": AUTO}
GAIN = "median ratio, times that of pipelines alone"
LANE, PAD, APART, BESIDE = 0.085, 0.04, 0.1, 1.9  # sizes of the figure in inches; what is beside its axis
OPTIONS = {PRELUDES: "--preludes-runs", WIDE: "--wide-runs"}
HINTS = {
    PRELUDES: "`fpsynth search --study CONFIG --preludes auto --out DIR` makes one; name its "
              "directory with --preludes-runs",
    WIDE: "The same with the space of configs/spaces/wide.json; name its directory with --wide-runs"}
NO_SETS = "no data set was searched so and has what this needs"
PCO = "`python3 -m pip install pcodec`, remove compare.json, run `python3 -m analysis.make`, and draw again"


class Line:
    """A data set in one precision, a row of `query peers`: the ratios of ours by what they were
    searched in, and of the others by compressor."""

    def __init__(self, study, row, others):
        self.study, self.row = study, row
        self.name, self.precision = row["data_set"], row["precision"]
        self.ours = {what: row[f"{key}_ratio"] for key, what in OURS.items()
                     if row.get(f"{key}_ratio") is not None}
        self.methods = {what: row.get(f"{key}_method") for key, what in OURS.items()}
        self.others = {title: row[key] for key, title in others.items() if row[key] is not None}

    def mark(self):
        """MARK if one of the searches did not cover all chunks."""
        return next((mark for one in (self.study, *self.study.beyond.values())
                     if (mark := one.mark(self.name, self.precision))), "")


def item(context):
    item = Item("beyond-peers", "beyond", "Context past the chunk: preludes, beside other "
                "compressors",
                "A pipeline knows of each chunk alone; a prelude in front of it maps all of the "
                "input. The best of the paper's space, the best with preludes, in the wide space and "
                "with longer chunks, and what `compress auto` finds, on each data set, beside general-purpose compressors, "
                "others for floating-point values, and what archives use: shuffled bytes or bits "
                "under zstd. Ratios are original / compressed bytes, on the whole data. Speeds are "
                "those of the best of ours on one core.")
    studies = available(context, item)
    lines = [line for study in studies for line in lines_of(item, study)]
    if not lines:
        return item
    for study in studies:
        item.table("verdicts" if study is studies[0] else f"{study.name}-verdicts", verdicts(study))
        item.table(f"{study.name}-means", means(study))
    for precision in PRECISIONS:
        its = [line for line in lines if line.precision == precision]
        if its:
            item.figure(precision, draw(its, precision, style.PAGE), [
                "Large marks are ours. Where ratios are beyond the axis, "
                "the best of ours and the best of the others are shown, after an arrow; the table "
                "has all."] + context.machines(), draw(its, precision, style.COLUMN))
            item.table(precision, table_of(its, precision))
    item.note(f"{study.name}: {note}" for study in studies for note in study.tables(STEM)[1]["notes"])
    item.note("Of a compressor that was measured at several levels, the level with the highest ratio "
              "is shown. 'blosc shuffle+zstd -9' is Blosc's level 9, which is zstd's level 22")
    item.note(context.samples([one for study in context.studies
                               for one in (study, *study.beyond.values())]))
    return item


def available(context, item):
    """The studies that were searched with preludes; reports what the others lack."""
    wanted = [study for study in context.studies if study.beyond or STEM in study.documents]
    if not wanted:
        for what in OPTIONS:
            item.lack(f"No search of a study's data sets: {what}", HINTS[what])
        return []
    complete = []
    for study in wanted:
        for what in OPTIONS:
            searched = study.beyond.get(what)
            if searched is None:
                key = next(key for key, name in OURS.items() if name == what)
                if all(row[f"{key}_ratio"] is None for row in study.rows(STEM)):
                    item.lack(f"{study.name}: no search: {what}", HINTS[what])
                continue
            for stem in ("runs", "one-core"):
                if stem not in searched.documents:
                    item.lack(f"{study.name}, {what}: no document {stem} in "
                              f"{study_folder(searched)}", DRAW)
        if STEM in study.documents:
            complete.append(study)
        else:
            item.lack(f"{study.name}: no document {STEM} in {study_folder(study)}", DRAW)
    return complete


def others_of(study):
    """Key -> name of the other compressors in the document, which stand at the end of its rows."""
    columns = study.tables(STEM)[0]["columns"]
    keys = [column["key"] for column in columns]
    return {column["key"]: column["title"]
            for column in columns[keys.index("decompress_gb_per_s") + 1:]}


def lines_of(item, study):
    """The data sets of a study that were searched with preludes, in its order."""
    others = others_of(study)
    lines = [line for row in study.rows(STEM) if set((line := Line(study, row, others)).ours)
             - {PAPERS}]
    if lines and not any("pco" in line.others for line in lines):
        item.lack(f"{study.name}: pco", PCO)
    item.note(f"{study.name}: {note}" for note in study.notes(STEM))
    return lines


def table_of(lines, precision):
    peers = list(dict.fromkeys(peer for line in lines for peer in others_of(line.study).values()
                               if any(peer in one.others for one in lines)))
    table = Table(f"Best ratios in {precision} precision", [
        ("data set", 0), ("study", 0), *((what, 3, NOT_SEARCHED) for what in OURS.values()),
        ("best of ours", 0), ("compress GB/s", 2, NOT_TIMED), ("decompress GB/s", 2, NOT_TIMED),
        *((peer, 3, "not measured in this study") for peer in peers)])
    for line in lines:
        ratios = [*(line.ours.get(what) for what in OURS.values()),
                  *(line.others.get(peer) for peer in peers)]
        table.add(line.name + line.mark(), line.study.name, *ratios[:len(OURS)],
                  *(line.row[key] for key in ("best_of_ours", "compress_gb_per_s",
                                              "decompress_gb_per_s")), *ratios[len(OURS):])
        highest = max(ratio for ratio in ratios if ratio is not None)
        for column, ratio in enumerate(ratios, 2):
            if ratio == highest:
                table.highlight(column if column < 2 + len(OURS) else column + 3)
    return table


def means(study):
    """One row for each method, over the inputs that all of them have."""
    table = Table(f"{study.name}: geometric mean of the ratios, medians of the speeds on one core", [
        ("method", 0), ("inputs", 0), ("mean CR", 2), ("compress GB/s", 4), ("decompress GB/s", 4)])
    for row in rows_of(study):
        table.add(OURS.get(row["searched_in"], row["method"]), row["inputs"],
                  row["geometric_mean_ratio"], *(row[f"median_{key}"] for key in SPEEDS))
    return table


def verdicts(study):
    """What the ratios and speeds say to what preludes are for, each by the rule in its row."""
    table = Table("What context past the chunk achieves", [
        ("what", 0), ("verdict", 0), *((what, 0, NO_SETS) for what in OURS.values()),
        ("best of ours", 0, NO_SETS), ("holds if", 0)])
    for row in study.rows(STEM, 2):
        if row["what"] != GAIN:
            table.add(*(row.get(key) for key in ("what", "verdict", *(f"in_{key}" for key in OURS),
                                                 "best_of_ours", "holds_if")))
    return table


def marks_of(line, limit):
    """The marks of a line on the axis, and those beyond it: the best of ours and of the others."""
    sides = line.ours, line.others
    on_axis = {name: ratio for side in sides for name, ratio in side.items() if ratio <= limit}
    far = [max(high, key=lambda pair: pair[1]) for side in sides
           if (high := [pair for pair in side.items() if pair[1] > limit])]
    return on_axis, far


def draw(lines, precision, width):
    ratios = [ratio for line in lines for ratio in (*line.ours.values(), *line.others.values())]
    low, limit = min(ratios), ratio_limit(ratios)
    apart = APART / (width - BESIDE) * log2(max(limit / low, 1.1))
    places, height = [], 0.0
    for line in lines:
        on_axis, far = marks_of(line, limit)
        rows = lanes(on_axis, apart) or [[]]
        places.append((height, rows, far))
        height += 2 * PAD + LANE * len(rows)
    figure, axes = style.new(width, height + 1.0)
    for number, (line, (top, rows, far)) in enumerate(zip(lines, places)):
        if number % 2 == 0:
            axes.axhspan(top, top + 2 * PAD + LANE * len(rows), color="#F2F2F2", linewidth=0,
                         zorder=0)
        for lane, row in enumerate(rows):
            for name, ratio in row:
                style.point(axes, ratio, top + PAD + LANE * (lane + 0.5), name,
                            tip=tip_of(line, name, ratio), size=6 if name in line.ours else 4)
        beyond(axes, top + PAD + LANE / 2, far, 0.52 / (width - BESIDE))
    axes.set_yticks([top + PAD + LANE * len(rows) / 2 for top, rows, _ in places],
                    [line.name + line.mark() for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(height, 0)
    ratio_axis(axes, [low, limit / 1.08], int(3.5 * (width - BESIDE)))
    axes.set_xlabel(f"compression ratio, {precision} precision")
    axes.grid(axis="x")
    names = [*OURS.values(), *(name for line in lines for name in others_of(line.study).values())]
    legend(axes, [name for name in dict.fromkeys(names)
                  if any(name in line.ours or name in line.others for line in lines)], 5 if width > style.FITTING else 2)
    return figure


def tip_of(line, name, ratio):
    method = f", {line.methods[name]}" if name in line.ours else ""
    return f"{line.name}: {name} {ratio:.3f}{method}"
