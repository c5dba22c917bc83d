"""A report on any directory of results, without a study and without the papers: the winners, ratio
against speed, the distribution of all ratios, and what each stage does."""

from analysis import documents, mpc
from analysis.absent import NOT_TIMED
from analysis.context import PRECISIONS
from analysis.items import Item, Table

def winners(context):
    item = Item("own-winners", "own", "Winners",
                "The best pipeline of each data set, which `fpsynth compress PIPELINE FILE` takes; its "
                "speed on one core, where it was timed.")
    table = Table(item.title, [("data set", 0), ("precision", 0), ("ratio", 3),
                               ("compress GB/s", 2, NOT_TIMED), ("decompress GB/s", 2, NOT_TIMED),
                               ("pipeline", 0)])
    for study in context.need(item, "best"):
        for precision in PRECISIONS:
            for row in study.rows("best"):
                ratio, pipeline = (row[f"{precision}_{key}"] for key in ("ratio", "pipeline"))
                if ratio is None or (row["data_set"] == documents.BEST
                                     and len(study.searched()) == 1):
                    continue
                timed = study.on_one_core(row["data_set"], precision) or {}
                speeds = [timed[way]["gb_per_s"] if timed.get("pipeline") == pipeline
                          and way in timed else None for way in ("compress", "decompress")]
                name = "one for all" if row["data_set"] == documents.BEST else row["data_set"]
                table.add(name + study.mark(row["data_set"], precision), precision, ratio, *speeds,
                          pipeline)
    item.table("", table)
    item.open.add(item.name)
    item.note(context.samples())
    return item


def stages(context):
    item = Item("own-stages", "own", "What each stage adds",
                "The best ratio with at most 1, 2, ... stages, relative to the best with all that were "
                "searched, in percent.")
    studies = context.need(item, "stages")
    mpc.add_stages(item, studies)
    item.note(context.samples())
    return item


def sections(context):
    from analysis import answer, deeper, distribution, heat_map, peers
    from analysis.report import Section
    items = [winners(context), stages(context), heat_map.item(context), distribution.item(context)]
    items += [part.item(context) for part, known in (
        (peers, any(study.beyond for study in context.studies)),
        (deeper, any(deeper.STEM in study.documents for study in context.studies))) if known]
    return [Section("answer", "In short", [], [answer.item(context, False)]),
            Section("ours", "What was found", [], items)]
