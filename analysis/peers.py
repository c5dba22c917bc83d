"""What context past the chunk is worth: the best of the paper's space, with preludes, and with
preludes in the wide space, beside other compressors."""

from math import log2

from analysis import style
from analysis.absent import NOT_SEARCHED, NOT_TIMED
from analysis.axes import beyond, lanes, legend, ratio_axis, ratio_limit
from analysis.context import DRAW, PRECISIONS, study_folder
from analysis.documents import BEST, PRELUDES, WIDE
from analysis.items import Item, Table
from analysis.verdicts import CANNOT, graded, share

PAPERS = "paper's space"
OURS = (PAPERS, PRELUDES, WIDE)
SHUFFLE, BITSHUFFLE = "blosc shuffle+zstd -9", "blosc bitshuffle+zstd -9"
# Of a compressor with several levels, the one with the highest ratio counts.
PEERS = ("pco", SHUFFLE, BITSHUFFLE, "zstd", "xz", "zfp", "fpzip")
FAST = (1.0, 0.6)  # GB/s on a core with AVX-512, and on one with AVX2
LANE, PAD, APART, AXIS = 0.085, 0.04, 0.1, 5.2  # sizes of the figure in inches
OPTIONS = {PRELUDES: "--preludes-runs", WIDE: "--wide-runs"}
HINTS = {
    PRELUDES: "`fpsynth search --study CONFIG --preludes auto --out DIR` makes one; name its "
              "directory with --preludes-runs",
    WIDE: "The same with the space of configs/spaces/wide.json; name its directory with --wide-runs"}
NO_SETS = "no data set was searched so and has what this needs"
PCO = "`python3 -m pip install pcodec`, and draw again with --fpsynth PROGRAM"


class Found:
    """The best of a space on a data set. Speeds are on one core, None where they are not known."""

    def __init__(self, ratio, method, compress=None, decompress=None):
        self.ratio, self.method = ratio, method
        self.compress, self.decompress = compress, decompress


class Line:
    """A data set in one precision: what -> Found, and compressor -> ratio."""

    def __init__(self, study, name, precision, ours, others):
        self.study, self.name, self.precision = study, name, precision
        self.ours, self.others = ours, others

    def mark(self):
        """MARK if one of the searches did not cover all chunks."""
        return next((mark for one in (self.study, *self.study.beyond.values())
                     if (mark := one.mark(self.name, self.precision))), "")

    def best(self):
        """The highest of our ratios."""
        return max(self.ours.values(), key=lambda found: found.ratio)

    def shuffled(self):
        """The better of byte and bit shuffle; None unless both were measured."""
        both = [self.others[name] for name in (SHUFFLE, BITSHUFFLE) if name in self.others]
        return max(both) if len(both) == 2 else None


def item(context):
    item = Item("beyond-peers", "beyond", "Context past the chunk: preludes, beside other "
                "compressors",
                "A pipeline knows of each chunk alone; a prelude in front of it maps all of the "
                "input. The best of the paper's space, the best with preludes and the best with "
                "preludes in the wide space, on each data set, beside general-purpose compressors, "
                "others for floating-point values, and what archives use: shuffled bytes or bits "
                "under zstd. Ratios are original / compressed bytes, on the whole data. Speeds are "
                "those of the best of ours on one core.")
    lines = [line for study in available(context, item) for line in lines_of(item, study)]
    if not lines:
        return item
    item.table("verdicts", verdicts(lines))
    for precision in PRECISIONS:
        its = [line for line in lines if line.precision == precision]
        if its:
            item.figure(precision, draw(its, precision), [
                "Marks of ours are a square, a plus and a star. Where ratios are beyond the axis, "
                "the best of ours and the best of the others are shown, after an arrow; the table "
                "has all."] + context.machines())
            item.table(precision, table_of(its, precision))
    item.note("Of a compressor that was measured at several levels, the level with the highest ratio "
              f"is shown. '{SHUFFLE}' is Blosc's level 9, which is zstd's level 22")
    item.note(context.samples([one for study in context.studies
                               for one in (study, *study.beyond.values())]))
    return item


def available(context, item):
    """The studies that were searched with preludes; reports what the others lack."""
    wanted = [study for study in context.studies if study.beyond]
    if not wanted:
        for what in OPTIONS:
            item.lack(f"No search of a study's data sets: {what}", HINTS[what])
        return []
    complete = []
    for study in wanted:
        for what in OPTIONS:
            searched = study.beyond.get(what)
            if searched is None:
                item.lack(f"{study.name}: no search: {what}", HINTS[what])
                continue
            for stem in ("runs", "best", "one-core"):
                if stem not in searched.documents:
                    item.lack(f"{study.name}, {what}: no document {stem} in "
                              f"{study_folder(searched)}", DRAW)
        missing = [stem for stem in ("runs", "best", "one-core", "compare")
                   if stem not in study.documents]
        for stem in missing:
            item.lack(f"{study.name}: no document {stem} in {study_folder(study)}", DRAW)
        if "runs" not in missing and "best" not in missing:
            complete.append(study)
    return complete


def lines_of(item, study):
    """The data sets of a study that were searched with preludes, in its order."""
    lines = []
    for precision in PRECISIONS:
        for name in study.searched():
            ours = {what: found for what, one in ((PAPERS, study), *study.beyond.items())
                    if (found := found_in(item, study, one, what, name, precision))}
            if set(ours) - {PAPERS}:
                lines.append(Line(study, name, precision, ours, others_of(study, name, precision)))
    if lines and not any("pco" in line.others for line in lines):
        item.lack(f"{study.name}: pco", PCO)
    return lines


def found_in(item, study, searched, what, name, precision):
    """The best of a search, if it was of the study's data."""
    rows = searched.rows("best", data_set=name)
    if name == BEST or not rows or rows[0][f"{precision}_ratio"] is None:
        return None
    where = {"data_set": name, "precision": precision}
    sizes = [{row["bytes"] for row in one.rows("runs", **where)} for one in (study, searched)]
    if sizes[0] != sizes[1]:
        item.note(f"{study.name}, {what}: {name} ({precision}) is left out: it was searched on data "
                  "of another size")
        return None
    found = Found(rows[0][f"{precision}_ratio"], rows[0][f"{precision}_pipeline"])
    timed = searched.on_one_core(name, precision)
    if timed and timed.get("pipeline") == found.method and "compress" in timed:
        found.compress, found.decompress = (timed[way]["gb_per_s"]
                                            for way in ("compress", "decompress"))
    elif timed:
        item.note(f"{study.name}, {what}: {name} ({precision}) has no speeds: another pipeline, "
                  f"{timed.get('pipeline')}, was timed")
    return found


def others_of(study, name, precision):
    """Compressor -> its highest ratio on a data set."""
    ratios = {}
    for one in study.compared(precision):
        if one["name"] != name:
            continue
        for row in one["rows"]:
            peer = next((peer for peer in PEERS if row["compressor"].startswith(peer)), None)
            if peer and "ratio" in row:
                ratios[peer] = max(ratios.get(peer, 0), row["ratio"])
    return ratios


def table_of(lines, precision):
    table = Table(f"Best ratios in {precision} precision", [
        ("data set", 0), ("study", 0), *((what, 3, NOT_SEARCHED) for what in OURS),
        ("best of ours", 0), ("compress GB/s", 2, NOT_TIMED), ("decompress GB/s", 2, NOT_TIMED),
        *((peer, 3, "not measured in this study") for peer in PEERS)])
    for line in lines:
        best = line.best()
        ratios = [*(line.ours[what].ratio if what in line.ours else None for what in OURS),
                  *(line.others.get(peer) for peer in PEERS)]
        table.add(line.name + line.mark(), line.study.name, *ratios[:len(OURS)], best.method,
                  best.compress, best.decompress, *ratios[len(OURS):])
        highest = max(ratio for ratio in ratios if ratio is not None)
        for column, ratio in enumerate(ratios, 2):
            if ratio == highest:
                table.highlight(column if column < 2 + len(OURS) else column + 3)
    return table


def verdicts(lines):
    """What the ratios and speeds say to what preludes are for, each by the rule in its row."""
    table = Table("What context past the chunk achieves", [
        ("what", 0), ("verdict", 0), *((what, 0, NO_SETS) for what in OURS),
        ("best of ours", 0, NO_SETS), ("holds if", 0)])
    for text, other, rule, judge in (
            ("ahead of the better of shuffle and bitshuffle with zstd -9", Line.shuffled,
             "the best of ours is ahead on three of four; in part, on more than half",
             lambda count, of: graded(4 * count >= 3 * of, 2 * count > of)),
            ("ahead of pco", lambda line: line.others.get("pco"),
             "the best of ours is ahead on half; in part, on some",
             lambda count, of: graded(2 * count >= of, count))):
        known = [line for line in lines if other(line) is not None]
        cells = [ahead([(line, line.ours.get(what)) for line in known], other) for what in OURS]
        count, text_of_best = counted_ahead([(line, line.best()) for line in known], other)
        table.add(text, judge(count, len(known)) if known else CANNOT, *cells, text_of_best, rule)
    for speed in FAST:
        table.add(f"at {speed:g} GB/s or more both ways on one core", *speed_verdict(lines, speed),
                  "on all whose speed is known; in part, on more than half")
    return table


def counted_ahead(pairs, other):
    """How often ours is ahead, and that as text, with the precisions apart."""
    wins = [line.precision for line, found in pairs if found.ratio > other(line)]
    if not pairs:
        return 0, None
    parts = [f"{precision} {share(wins.count(precision), of)}" for precision in PRECISIONS
             if (of := sum(line.precision == precision for line, _ in pairs))]
    return len(wins), f"{share(len(wins), len(pairs))} ({', '.join(parts)})"


def ahead(pairs, other):
    """The text for one of our spaces, on those data sets that were searched in it."""
    return counted_ahead([(line, found) for line, found in pairs if found], other)[1]


def speed_verdict(lines, speed):
    """The verdict and the cells of a row on speeds."""
    cells = []
    for what in (*OURS, None):
        its = [found for line in lines if (found := line.ours.get(what) if what else line.best())
               and found.compress]
        fast = sum(min(found.compress, found.decompress) >= speed for found in its)
        cells.append((fast, len(its)))
    count, of = cells[-1]
    return [graded(count == of, 2 * count > of) if of else CANNOT,
            *(share(*cell) if cell[1] else None for cell in cells)]


def marks_of(line, limit):
    """The marks of a line on the axis, and those beyond it: the best of ours and of the others."""
    sides = {what: found.ratio for what, found in line.ours.items()}, line.others
    on_axis = {name: ratio for side in sides for name, ratio in side.items() if ratio <= limit}
    far = [max(high, key=lambda pair: pair[1]) for side in sides
           if (high := [pair for pair in side.items() if pair[1] > limit])]
    return on_axis, far


def draw(lines, precision):
    ratios = [ratio for line in lines for ratio in
              (*(found.ratio for found in line.ours.values()), *line.others.values())]
    low, limit = min(ratios), ratio_limit(ratios)
    apart = APART / AXIS * log2(max(limit / low, 1.1))
    places, height = [], 0.0
    for line in lines:
        on_axis, far = marks_of(line, limit)
        rows = lanes(on_axis, apart) or [[]]
        places.append((height, rows, far))
        height += 2 * PAD + LANE * len(rows)
    figure, axes = style.new(style.PAGE, height + 1.0)
    for number, (line, (top, rows, far)) in enumerate(zip(lines, places)):
        if number % 2 == 0:
            axes.axhspan(top, top + 2 * PAD + LANE * len(rows), color="#F2F2F2", linewidth=0,
                         zorder=0)
        for lane, row in enumerate(rows):
            for name, ratio in row:
                style.point(axes, ratio, top + PAD + LANE * (lane + 0.5), name,
                            tip=tip_of(line, name, ratio), size=6 if name in OURS else 4)
        beyond(axes, top + PAD + LANE / 2, far)
    axes.set_yticks([top + PAD + LANE * len(rows) / 2 for top, rows, _ in places],
                    [line.name + line.mark() for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(height, 0)
    ratio_axis(axes, [low, limit / 1.08])
    axes.set_xlabel(f"compression ratio, {precision} precision (original / compressed bytes)")
    axes.grid(axis="x")
    legend(axes, [name for name in (*OURS, *PEERS)
                  if any(name in line.ours or name in line.others for line in lines)], ncol=5)
    return figure


def tip_of(line, name, ratio):
    method = f", {line.ours[name].method}" if name in line.ours else ""
    return f"{line.name}: {name} {ratio:.3f}{method}"
