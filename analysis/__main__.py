"""python3 -m analysis: draws tables and figures from result documents."""

import argparse
import os
import sys
import traceback

if not __package__:  # called as `python3 .../analysis`, from whatever directory
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from analysis.problems import Problem, WrongCall, exit_with, need_matplotlib

PAPERS = {"mpc": "The MPC paper", "gfc": "The GFC paper", "pfpc": "The pFPC paper",
          "holt": "The Holt paper"}

EPILOG = """\
Without --study, the report is on the results in --runs alone. With it, it is on the papers, too,
and each --study needs one --runs directory, in the same order. Figures are drawn from the documents
in DIR/documents, which `python3 -m analysis.make` makes; the program is neither run nor needed.

examples:
  python3 -m analysis.make --runs results/runs && python3 -m analysis --runs results/runs --out figures
  python3 -m analysis --study configs/studies/mini.json --runs results/runs/mini --out figures
  python3 /path/to/fpsynth/analysis --study mini.json --runs runs --out figures   # from anywhere
  python3 -m analysis --study configs/studies/fpc.json --runs results/runs/fpc --out figures \\
      --pipeline "LNV2s LNV2s LNV2x | ZE"
  python3 -m analysis --study configs/studies/corpus.json --runs results/runs/corpus --out figures \\
      --preludes-runs results/runs/corpus-preludes --wide-runs results/runs/corpus-wide
"""


def arguments_of(argv):
    parser = argparse.ArgumentParser(prog="python3 -m analysis", epilog=EPILOG,
                                     description="Draws a report from result documents: what was found, "
                                                 "and the papers' tables and figures.",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--study", metavar="CONFIG", nargs="+", default=[],
                        help="study files (configs/README.md); none for a report on results alone")
    parser.add_argument("--runs", metavar="DIR", nargs="+", required=True,
                        help="the directory of each study's results; without studies, any")
    parser.add_argument("--out", metavar="DIR", required=True,
                        help="folder for the figures and tables")
    parser.add_argument("--pipeline", metavar="TEXT", action="append", default=[],
                        help="a pipeline for Figure 1 of the MPC paper; may be repeated")
    parser.add_argument("--measured", metavar="DIR", help="also show each document of this folder")
    for kind, what in (("preludes", "with preludes"), ("wide", "with preludes in the wide space")):
        parser.add_argument(f"--{kind}-runs", metavar="DIR", nargs="+", default=[],
                            help="the directory of each study's results of a search " + what +
                                 "; - where there are none")
    arguments = parser.parse_args(argv)
    if arguments.study and len(arguments.study) != len(arguments.runs):
        raise WrongCall(f"{len(arguments.study)} studies and {len(arguments.runs)} directories of "
                        "runs; give one --runs directory for each --study")
    for kind in ("preludes", "wide"):
        its = getattr(arguments, f"{kind}_runs")
        if its and len(its) != len(arguments.runs):
            raise WrongCall(f"{len(arguments.study)} studies and {len(its)} directories of "
                            f"--{kind}-runs; give one for each --study, or - where there is none")
    if arguments.pipeline and not arguments.study:
        raise WrongCall("--pipeline is for Figure 1 of the MPC paper, which needs a --study")
    return arguments


def main(argv):
    arguments = arguments_of(argv)
    need_matplotlib()
    from analysis import documents, pipelines
    for text in arguments.pipeline:
        pipelines.parse(text)
    studies = []
    for number, runs in enumerate(arguments.runs):
        config = arguments.study[number] if arguments.study else None
        if not os.path.isdir(runs):
            raise Problem(f"{runs}: is not a directory; name the directory of a study's results "
                          "with --runs")
        studies.append(documents.Study(config, runs))
        for what, its in ((documents.PRELUDES, arguments.preludes_runs),
                          (documents.WIDE, arguments.wide_runs)):
            if its and os.path.isdir(its[number]):
                studies[-1].beyond[what] = documents.Study(config, its[number])
    if not any(study.documents for study in studies):
        raise Problem(f"{', '.join(arguments.runs)}: no documents to draw from; create them with "
                      "`python3 -m analysis.make`, or with ./run figures")
    try:
        pipelines.check(arguments.pipeline, studies)
        draw(studies, arguments)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError,
            ValueError) as error:
        raise Problem(unexpected(error)) from error
    return 0


def unexpected(error):
    """The message where drawing fails although all documents were checked: names what was read
    last, which is mostly at fault, and the place in this program, if it is not."""
    from analysis.checks import RECREATE, Record
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if os.path.dirname(frame.filename) == os.path.dirname(os.path.abspath(__file__))]
    where = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "analysis"
    return (f"{Record.last or 'the documents'}: does not fit the other values ({where}: "
            f"{type(error).__name__}: {error}); {RECREATE}")


def draw(studies, arguments):
    from analysis import own, report
    from analysis.context import Context
    from analysis.published import Published

    published = Published()
    context = Context(studies, published, arguments.pipeline)
    parts = sections(context) if arguments.study else own.sections(context)
    if arguments.measured:
        from analysis import measured
        parts.append(report.Section("measured", "Appendix: the committed measurements", [],
                                    [measured.item(arguments.measured)], True))
    report.write(arguments.out, parts, header(studies, bool(arguments.study)))
    print(os.path.join(arguments.out, "index.html"))


def sections(context):
    """The parts of the report in their order."""
    from analysis import answer, cards, claims, deeper, distribution, exhibits, heat_map, pareto, \
        peers, scorecard
    from analysis.report import Section
    parts = [Section("answer", "In short", [], [answer.item(context)]),
             Section("ours", "What was found", [], [
                 peers.item(context), deeper.item(context), heat_map.item(context),
                 distribution.item(context)]),
             Section("each", "Appendix: every data set", [], [cards.item(context),
                                                              pareto.front(context)], True),
             Section("findings", "Appendix: beside the papers", [], [*scorecard.items(context),
                                                                     *claims.items(context)], True)]
    return parts + [Section(paper, f"Appendix: {PAPERS[paper][0].lower()}{PAPERS[paper][1:]}",
                            [f"{context.published.citation(paper)}."],
                            [exhibits.item(paper, items), *items], appendix=True)
                    for paper, items in papers(context).items()]


def papers(context):
    """The items of each paper, in its order."""
    from analysis import chains, gfc, gfc_modes, holt, information, mpc, observations, pfpc, ratios
    drawn = {
        "mpc": [chains.item, information.mpc_table_1, mpc.table_2, observations.components,
                observations.cross_validation, ratios.tables_3_4, mpc.table_5, mpc.figure_2],
        "gfc": [gfc.figure_2, information.gfc_table_1, gfc_modes.figure_4, gfc_modes.figure_5,
                gfc.figure_6, gfc.table_2],
        "pfpc": [information.pfpc_table_1, pfpc.figure_2, pfpc.figure_3, pfpc.figure_4],
        "holt": [holt.table_1, holt.table_2, holt.figure_4, holt.figures_5_6],
    }
    return {paper: [draw_item(context) for draw_item in its] for paper, its in drawn.items()}


def header(studies, papers):
    from analysis.context import DRAW, study_folder
    from analysis.documents import MARK
    from analysis.items import Table, counted
    columns = {"data_set": 0, "precision": 0, "bytes": 0, "pipelines": 0, "one_chunk_in": 0,
               "verification": 0, "failures": 0, "backend": 0, "device": 0, "threads": 0,
               "seconds": 2, "giga_pipeline_bytes_per_s": 1}
    titles = {"giga_pipeline_bytes_per_s": "G pipeline-bytes/s"}
    table = Table("Searches", [("study", 0)] + [(titles.get(key, key.replace("_", " ")), decimals)
                                                for key, decimals in columns.items()])
    lines = [("Tables and figures of four papers, with our values and the published ones, which are "
              "marked as published. " if papers else "") +
             "Ratios are original / compressed bytes, GB/s are 1e9 original bytes per second; means of "
             f"ratios are harmonic, others are named.{MARK} marks values from a search of a part of "
             "the data, or of the pipelines that a race has left."]
    for study in studies:
        if not study.documents:
            lines.append(f"{study.name}: no documents in {study_folder(study)}. {DRAW}.")
            continue
        programs = {(document["program"]["version"], document["program"]["commit"])
                    for document in study.documents.values()}
        names = ", ".join(f"fpsynth {version} ({commit})" for version, commit in sorted(programs))
        text = f"{study.name}: {len(study.searched())} of " \
            f"{counted(len(study.items), 'data set')} searched"
        if study.part():
            text += f", {study.part()}{MARK}"
        lines.append(f"{text}. {names}{'; ' + study.machine() if study.machine() else ''}.")
        apart = ", ".join(f"{stem}.json" for stem in study.documents
                          if stem.startswith("compare") and stem != "compare")
        if apart:
            lines.append(f"{study.name}: of {apart}, only the figures beside other compressors are drawn; "
                         "`python3 -m analysis.make` makes a compare.json with all compressors, after "
                         "which they can be removed.")
        for row in study.rows("runs"):
            table.add(study.name, *(row[key] for key in columns))
    return {"title": "fpsynth: what was found" +
            (", and the papers' tables and figures" if papers else
             f" in {', '.join(study.name for study in studies)}"), "lines": lines,
            "tables": [("searches", table)] if table.rows else []}


if __name__ == "__main__":
    exit_with(main, "analysis")
