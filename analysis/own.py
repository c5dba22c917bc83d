"""A report on any directory of results, without a study and without the papers: the winners, ratio
against speed, the distribution of all ratios, and what each stage does."""

import os

from analysis import documents, mpc
from analysis.absent import NOT_TIMED
from analysis.context import PRECISIONS
from analysis.documents import FOLDER
from analysis.files import make
from analysis.items import Item, Table
from analysis.prepare import PART, ask, create, on_one_core, put_if_new, results_in
from analysis.problems import Problem
from analysis.running import say

TABLES = ("best", "stages", "components-100", "distribution")  # documents of queries of the results


def prepare(program, runs):
    """Creates the documents of a directory of results; measures other compressors on its data, as
    far as their files are still there."""
    results = results_in(runs)
    if not results:
        raise Problem(f"{runs}: contains no results; search first: fpsynth search FILE --out {runs}")
    folder = os.path.join(runs, FOLDER)
    make(folder)
    first = os.path.join(folder, "runs.json")
    ask(program, ["query", "runs", "--runs", runs], first)
    commit = documents.read_document(first)["program"]
    queries = {"components-100": ["components", "--top", "100"]}
    create(program, runs, folder, [(stem, ["query", *queries.get(stem, [stem]), "--runs", runs],
                                    results) for stem in TABLES], commit)
    data = files_of(results)
    if not data["data"]:
        say(f"{runs}: no speeds: the files of its data sets are not where they were searched")
        return
    study = os.path.join(folder, "study.json")
    put_if_new(study, data)
    try:
        create(program, runs, folder, [
            ("compare", ["compare", "--study", study, "--runs", runs, *PART], [study, *results]),
            ("one-core", on_one_core(study, runs, PART), [study, *results])], commit)
    except Problem as problem:  # a raw file whose type its name does not say, for one
        say(f"{runs}: no speeds: {problem}")


def files_of(results):
    """A study of the files that results are of, without those that are not there any more."""
    found, precisions = {}, set()
    for path in sorted(results):
        document = documents.read_json(path)
        data = document.get("dataset", {}) if isinstance(document, dict) else {}
        file = data.get("file", "")
        if any(os.path.exists(one) for one in (file, file.rpartition(":")[0])):
            found[data["name"]] = {"name": data["name"], "file": file}
            precisions.add(data["precision"])
    return {"name": "own", "data": list(found.values()), "precisions": sorted(precisions)}


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
