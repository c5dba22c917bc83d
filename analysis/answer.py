"""What a report begins with: the answer in a few lines, and ratio against speed of what was found
beside other compressors."""

from analysis import overview, scorecard
from analysis.context import DRAW, FEW
from analysis.deeper import STEM as DEEPER
from analysis.deeper import numbers_of
from analysis.items import Item, Table, counted
from analysis.peers import GAIN, STEM
from analysis.verdicts import CANNOT, HOLDS, NOT, NOT_MEASURED, PART


def item(context, papers=True):
    """`papers`: whether the report is on the papers, too."""
    item = Item("answer", "answer", "", "")
    study = leading(context)
    if study is None:
        return item
    if study.made and papers:
        item.note(f"{study.name} has synthetic data: what holds of it need not hold of real data")
    table = Table("In short", [("what", 0), ("found", 0)])
    for what, found in (("searched", searched(study)), ("ratio, speed", compared(study)),
                        ("preludes", preludes(study)), ("more stages", more_stages(study)),
                        ("the papers", of_papers(context, study) if papers else None)):
        if found:
            table.add(what, found)
    item.table("", table)
    item.open.add(item.name)
    picture(item, study)
    return item


def leading(context):
    """The study with the most to say: real data before synthetic, then the most data sets."""
    known = [study for study in context.studies if study.searched()]
    return max(known, key=lambda study: (study.real() and len(study.searched()) >= FEW,
                                         len(study.searched())), default=None)


def searched(study):
    rows = study.rows("runs")
    counts = sorted({row["pipelines"] for row in rows})
    failures = sum(row["failures"] or 0 for row in rows if row["verification"] != "none")
    verified = sum(row["verification"] != "none" for row in rows)
    part = f" in {study.part()}" if study.part() else ""
    kind = "" if study.real() else "synthetic "
    return (f"{counted(len(study.searched()), f'{kind}data set')} of {study.name}, "
            f"{' or '.join(f'{count:,}' for count in counts)} pipelines on each of "
            f"{counted(len(rows), 'input')}{part}; " + (
                f"{verified} of {len(rows)} searches verified, {counted(failures, 'failure')}"
                if verified else "counted, not verified"))


def compared(study):
    """The best of ours beside the others with the highest ratio and the highest speed."""
    marks = overview.marks_of(overview.rows_of(study))
    ours, others = [[mark for mark in marks if mark.ours is its] for its in (True, False)]
    if not ours or not others:
        return None
    best, highest = (max(its, key=lambda one: one.ratio) for its in (ours, others))
    fastest = max(others, key=lambda one: one.speed["compress"])
    return "geometric mean of the ratios and median speed of compressing on one core: " + "; ".join(
        f"{mark.name.lstrip('+ ')}{what} {mark.ratio:.2f} at {mark.speed['compress']:.2g} GB/s"
        for what, mark in (("", best), (", the others' highest ratio,", highest),
                           (", the fastest of them,", fastest)))


def preludes(study):
    if not study.beyond and not study.rows(STEM):
        return "not searched: `fpsynth search --preludes auto`, then --preludes-runs"
    rows = {row["what"]: row for row in study.rows(STEM, 2)}
    gain = f"the median ratio grows {rows[GAIN]['best_of_ours']} times" if GAIN in rows else ""
    parts = [f"{text} on {row['true_on']} of {row['known_on']}" for text, row in (
        ("shuffle and zstd -9", rows.get(
            "ahead of the better of shuffle and bitshuffle with zstd -9")),
        ("pco", rows.get("ahead of pco")), ("xz", rows.get("ahead of xz"))) if row and row["known_on"]]
    ahead = f"ahead of {', of '.join(parts)}" if parts else ""
    return "; ".join(part for part in (gain, ahead) if part) or None


def more_stages(study):
    rows = study.rows(DEEPER, 1)
    if not rows:
        return "not searched: `fpsynth search --stages 5 --strategy race`, then `python3 -m analysis.make --deeper-runs`"
    parts = []
    for row in rows:
        shares = [f"{row[f'share_{number}_percent'] - 100:+.1f} % with {number}"
                  for number in numbers_of(rows) if row.get(f"share_{number}_percent") is not None
                  and row[f"share_{number}_percent"] > 100]
        if shares:
            parts.append(f"{row['precision']} {', '.join(shares)} stages")
    raced = any(row.get("raced_stages") for row in study.rows(DEEPER))
    return "harmonic mean of the best ratios, beside four stages: " + "; ".join(parts) + (", raced" if raced else "") \
        if parts else None


def of_papers(context, study):
    most = max((row for one in context.studies for row in scorecard.counts(one)),
               key=lambda row: row["printed_numbers"], default=None)
    parts = [f"{most['printed_numbers']} of their numbers measured again: {most['equal']} equal to the "
             f"printed digits, {most['within_1_percent']} within 1 %"] if most else []
    verdicts = [row["verdict_1"] for row in study.rows("claims")]
    told = len(verdicts) - verdicts.count(CANNOT) - verdicts.count(NOT_MEASURED)
    if told:
        parts.append(f"of {told} claims, {verdicts.count(HOLDS)} hold on {study.name}, "
                     f"{verdicts.count(PART)} in part, {verdicts.count(NOT)} do not")
    return "; ".join(parts) or None


def picture(item, study):
    rows = overview.rows_of(study)
    marks = overview.marks_of(rows)
    if not any(mark.ours for mark in marks):
        item.lack(f"{study.name}: ratio against speed: no document {STEM} with timings of ours", DRAW)
        return
    where = "; ".join(study.tables(STEM)[1]["notes"][1:]) or study.machine("compare")
    caption = [
        f"{study.name}: {counted(rows[0]['inputs'], 'input')}, one core; {where}. Ratios are of whole "
        "inputs. Line: nothing is better in both. For each input, ours is the best that was found."]
    overview.show(item, "", {"compress": marks}, caption)
