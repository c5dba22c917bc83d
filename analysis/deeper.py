"""What further stages buy: Figure 2 of the MPC paper carried on past four stages, and what the
winners look like."""

from analysis import mpc
from analysis.absent import FEWER_STAGES
from analysis.context import PRECISIONS
from analysis.items import Item, Table

STEM = "deeper"
REMEDY = ("Search the same data sets with more stages (`fpsynth search --space`, raced where there "
          "are too many pipelines), and name the directories to `python3 -m analysis.make` with --deeper-runs")


def item(context):
    item = Item("ours-deeper", "ours", "More stages, and races: Figure 2 of the MPC paper carried on",
                "The best ratio with at most so many stages, relative to the best with four, in "
                "percent. Up to the stages that were searched exhaustively, it is the best of all "
                "pipelines. Beyond, it is raced: the best of what a race has left, below which the "
                "best of all is not.")
    studies = [study for study in context.studies if STEM in study.documents]
    for study in context.studies:
        if study.documents and STEM not in study.documents:
            item.lack(f"{study.name}: no searches with more stages", REMEDY)
    for precision in PRECISIONS:
        bars, raced = shares(studies, precision)
        if bars:
            item.figure(precision, mpc.draw_stages(bars, base_of(studies), raced),
                        [f"{precision.capitalize()} precision; the axis does not start at zero. "
                         "A ring: raced."] + context.samples(studies))
    for study in studies:
        item.table(f"{study.name}-ratios", ratios_table(study))
        if study.rows(STEM, 1):
            item.table(f"{study.name}-means", means_table(study))
        item.table(f"{study.name}-winners", winners_table(study))
        item.table(f"{study.name}-looks", looks_table(study))
        item.table(f"{study.name}-kinds", kinds_table(study))
        item.note(f"{study.name}: {note}" for note in study.notes(STEM))
    return item


def numbers_of(rows, prefix="ratio_"):
    """The numbers of stages for which rows have columns."""
    keys = rows[0] if rows else []
    return sorted(int(key.removeprefix(prefix)) for key in keys
                  if key.startswith(prefix) and key.removeprefix(prefix).isdigit())


def base_of(studies):
    """The number of stages with whose ratio the others are compared: it has no share of itself."""
    rows = [row for study in studies for row in study.rows(STEM)]
    return next((n for n in numbers_of(rows) if f"share_{n}_percent" not in rows[0]),
                mpc.PAPERS_STAGES)


def raced_stages(row):
    """The numbers of stages of which a row's figures are raced."""
    return [int(number) for number in (row.get("raced_stages") or "").split()]


def shares(studies, precision):
    """Bars for mpc.draw_stages, and which of them are raced."""
    bars, raced = [], set()
    for study, row in mpc.once(studies, STEM, precision):
        name = row["data_set"] + study.mark(row["data_set"], precision)
        its = {number: row.get(f"share_{number}_percent") for number in numbers_of([row])
               if f"share_{number}_percent" in row}
        bars.append((name, study.name, its))
        raced |= {(name, study.name, number) for number in raced_stages(row)}
    return bars, raced


def figures_of(rows, row):
    """The cells of a row's ratios and shares."""
    numbers = numbers_of(rows)
    return [*(row.get(f"ratio_{n}") for n in numbers),
            *(row.get(f"share_{n}_percent") for n in numbers if f"share_{n}_percent" in row)]


def figure_columns(rows):
    numbers = numbers_of(rows)
    return [(f"CR {n}", 3, FEWER_STAGES) for n in numbers] + \
        [(f"share {n} %", 1, FEWER_STAGES) for n in numbers if f"share_{n}_percent" in rows[0]]


def ratios_table(study):
    rows = study.rows(STEM)
    table = Table(f"{study.name}: best ratio by number of stages",
                  [("data set", 0), ("precision", 0)] + (figure_columns(rows) if rows else [])
                  + [("raced", 0, "none of them")])
    for row in rows:
        table.add(row["data_set"] + study.mark(row["data_set"], row["precision"]),
                  row["precision"], *figures_of(rows, row), row.get("raced_stages"))
    return table


def means_table(study):
    rows = study.rows(STEM, 1)
    table = Table(f"{study.name}: harmonic means of each data set's own best",
                  [("precision", 0), ("data sets", 0)] + figure_columns(rows))
    for row in rows:
        table.add(row["precision"], row["data_sets"], *figures_of(rows, row))
    return table


def winners_table(study):
    table = Table(f"{study.name}: the winners from four stages on",
                  [("data set", 0), ("precision", 0), ("stages", 0), ("CR", 3),
                   ("more than with one fewer %", 2, FEWER_STAGES), ("stages used", 0), ("pipeline", 0),
                   ("searched", 0)])
    for row in study.rows(STEM, 2):
        if row["stages"] >= mpc.PAPERS_STAGES:
            table.add(row["data_set"], row["precision"], row["stages"], row["ratio"],
                      row["gain_percent"], row["used_stages"], row["pipeline"], row["searched"])
    return table


def looks_table(study):
    table = Table(f"{study.name}: what the winners look like, by number of stages",
                  [("stages", 0), ("winners", 0), ("stages used (mean)", 2),
                   ("reducers (mean)", 2), ("all on words", 0), ("all on bytes", 0),
                   ("cut between", 0), ("stages before that cut (mean)", 2)])
    for row in study.rows(STEM, 3):
        table.add(row["stages"], row["winners"], row["mean_used_stages"], row["mean_reducers"],
                  row["all_on_words"], row["all_on_bytes"], row["cut_between"],
                  row["mean_stages_before_cut"])
    return table


def kinds_table(study):
    rows = study.rows(STEM, 4)
    numbers = numbers_of(rows, "stage_")
    table = Table(f"{study.name}: kinds of the winners' components by stage",
                  [("stages", 0), ("kind", 0)] + [(f"stage {n}", 0, "the pipelines have fewer stages") for n in numbers]
                  + [("total", 0), ("share %", 1)])
    for row in rows:
        table.add(row["stages"], row["kind"], *(row[f"stage_{n}"] for n in numbers), row["total"],
                  row["share_percent"])
    return table
