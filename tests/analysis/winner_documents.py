"""Made documents of the queries on the best pipelines, as the program would write them."""

import re

import support

from analysis.winners import kinds

PRECISIONS = ("double", "single")
COUNTS = ["double_pipelines", "single_pipelines", "pipelines", "share_percent", "data_sets"]


def counted(pipelines, test):
    """The counts by precision of the pipelines {(data set, precision): text} that pass a test."""
    found = [key for key, text in pipelines.items() if test(text)]
    parts = [sum(precision == one for _, precision in found) for one in PRECISIONS]
    return [*parts, len(found), 100 * len(found) / len(pipelines), len({name for name, _ in found})]


def stages(text):
    return text.replace("|", " ").split()


def behind_cut(text):
    return stages(text.split("|")[1])[0] if "|" in text else ""


def patterns(pipelines):
    """The five tables of `query patterns`."""
    def reducers(text):
        return sum(name in ("ZE", "RLE") for name in stages(text)[:-1])

    texts = list(pipelines.values())
    kinds_with = ["NUL", "INV", "BIT", "DIM", "LNV", "ZE", "RLE"]
    return [
        ("Patterns", ["pattern", *COUNTS],
         [[one, *counted(pipelines, lambda text, one=one: kinds(text) == one)]
          for one in sorted({kinds(text) for text in texts})]),
        ("Kinds", ["kind", *COUNTS, "twice_pipelines"],
         [[kind, *counted(pipelines, lambda text, kind=kind: kind in kinds(text).split()),
           sum(kinds(text).split().count(kind) > 1 for text in texts)] for kind in kinds_with]),
        ("Early", ["reducers_before_last", *COUNTS],
         [[n, *counted(pipelines, lambda text, n=n: reducers(text) == n)] for n in range(4)]),
        ("Behind", ["component", *COUNTS],
         [[one, *counted(pipelines, lambda text, one=one: behind_cut(text) == one)]
          for one in sorted({behind_cut(text) for text in texts} - {""})]),
        ("Reducers", ["component", "stage", *COUNTS],
         [[one, 4, *counted(pipelines, lambda text, one=one: stages(text)[-1] == one)]
          for one in ("ZE", "RLE")])]


def components(pipelines):
    """The four tables of `query components`, as far as verdicts read them."""
    names = [name for text in pipelines.values() for name in stages(text)]
    families = sorted({re.sub("[0-9]+", "n", name) for name in names})
    cuts = [len(stages(text.split("|")[0])) for text in pipelines.values()]
    return [("Components", ["component", "total"], [[one, names.count(one)]
                                                    for one in sorted(set(names))]),
            ("Families", ["family", "total", "share_percent"],
             [[one, sum(re.sub("[0-9]+", "n", name) == one for name in names), 0.0]
              for one in families]),
            ("Cuts", ["stages_before_cut", "pipelines", "share_percent"],
             [[cut, cuts.count(cut), 0.0] for cut in range(5)]),
            ("Shares", ["component"], [])]


def put(test, pipelines, best, published):
    """The documents of a study with these best pipelines; `best`: precision -> the one for all;
    `published`: pipelines of a paper, in the same form."""
    names = sorted({name for name, _ in pipelines})
    test.document("runs", support.runs(*((name, precision, 16384, 1, "yes")
                                         for name, precision in sorted(pipelines))))
    test.document("patterns-1", support.tables("query patterns", *patterns(pipelines),
                                               *patterns(published)))
    test.document("components-1", support.tables("query components", *components(pipelines),
                                                 *components(published)))
    test.document("best", support.tables("query best", (
        "Best", ["data_set", "double_ratio", "double_pipeline", "single_ratio", "single_pipeline"],
        [[name, *(cell for precision in PRECISIONS
                  for cell in ((1.5, pipelines[name, precision])
                               if (name, precision) in pipelines else (None, None)))]
         for name in names] + [["Best", 1.2, best["double"], 1.2, best["single"]]])))
    test.document("top-1", support.tables("query top", (
        "Top", ["data_set", "precision", "rank", "pipeline", "ratio"],
        [[*key, 1, text, 1.5] for key, text in pipelines.items()]), (
        "Ties", ["data_set", "precision", "pipeline", "ties", "tied_algorithms",
                 "next_below_percent"],
        [[*key, text, 0, 0, 0.1] for key, text in pipelines.items()])))
    test.document("overall", support.tables(
        "query overall",
        ("Top", ["precision", "rank", "pipeline", "harmonic_mean_ratio", "lowest_ratio",
                 "lowest_on"], []),
        ("Left out", ["excluded", "precision", "best_of_the_others", "excluded_ratio",
                      "own_best_ratio", "shortfall_percent"],
         [[*key, best[key[1]], 1.4, 1.5, 6.7] for key in pipelines])))
    test.document("stages", support.tables("query stages", (
        "Stages", ["data_set", "precision", "ratio_1", "ratio_2", "ratio_3", "ratio_4",
                   "share_1_percent"],
        [[name, "double", 1.2, 1.4, 1.45, 1.46, 82.2] for name in names])))
