"""Runs the program to create the documents that figures need, if they are missing or outdated."""

import glob
import json
import os

from analysis import documents
from analysis.files import make, put
from analysis.problems import Problem
from analysis.published import Published
from analysis.running import present, run, say

PART = ["--timed-bytes", "8M"]  # of each data set: there are many settings, and slow compressors
BIG = 1 << 26  # bytes of a study, with more of which fewer settings are swept and measured
LESS = ["--timed-bytes", "2M", "--repetitions", "1"]
FEWER = ["--chunks", "1,8,512,32768", "--threads", "1,2,3,4,5,6,8,12,16"]
DOUBLES = "study-doubles"  # without the data sets of singles, of which GFC and pFPC take none
TIMED = 3  # how many of the best pipelines over a study's data sets are timed in each precision
# Exponents of pFPC's table sizes: the two of its paper, 8 KiB and 2 MiB, and the largest of its
# "progressively slower but better compressing modes" (GFC paper, Figure 5).
SMALL, LARGE, LARGEST = 9, 17, 19
ENTRY = 16  # bytes of tables an entry
MODES = 7
# Descriptions of compressors that are programs.
PEERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "configs", "peers")
# The documents beside these that have numbers which the papers print.
PRINTED = ("statistics", "pfpc-paper", "gfc-paper")
MEASURED = ("compare", "gfc", "pfpc", "holt")  # the documents on which claims of speed are judged


def prepare(program, config, runs, sample):
    """Creates missing documents of a study in DIR/documents. Leaves out unavailable data sets."""
    description, missing = present(program, config)
    name = description["name"]
    if not description["data"]:
        say(f"{name}: none of its data sets is available")
        return
    folder = os.path.join(runs, documents.FOLDER)
    make(folder)
    study = os.path.join(folder, "study.json")
    put_if_new(study, description)
    if missing:
        say(f"{name}: left out because their data are not available: {', '.join(missing)}")
    if sample and unsearched(description, runs):
        search(program, study, runs, sample)
    results = results_in(runs)
    if not results:
        say(f"{name}: {runs} contains no results; search first: fpsynth search --study {config} "
            f"--out {runs}")
    # Always created: it takes a second and identifies the program.
    first = os.path.join(folder, "runs.json")
    commit = None
    if results:
        ask(program, ["query", "runs", "--runs", runs], first)
        commit = documents.read_document(first)["program"]
    commit = create(program, name, folder, wanted(study, runs, results, folder), commit)
    if results:
        speeds(program, name, runs, folder, commit)
    by_size_on_gpu(program, name, study, runs, folder, commit)


def create(program, name, folder, documents_wanted, commit):
    """Creates those of the documents that are missing or outdated. Returns the program's identity."""
    for stem, command, sources in documents_wanted:
        path = os.path.join(folder, stem + ".json")
        if not fresh(path, command, sources, commit):
            say(f"{name}: {documents.shown(['fpsynth'] + command)}")
            ask(program, command, path)
            commit = commit or documents.read_document(path)["program"]
    return commit


def prepare_beyond(program, runs, beyond):
    """Creates the documents of a search of a study's data sets in a wider space, `beyond`. Those of
    the study must be there. Does nothing where there are no results."""
    study = os.path.join(runs, documents.FOLDER, "study.json")
    results = results_in(beyond)
    if not results or not os.path.exists(study):
        return
    folder = os.path.join(beyond, documents.FOLDER)
    make(folder)
    first = os.path.join(folder, "runs.json")
    ask(program, ["query", "runs", "--runs", beyond], first)
    part = part_of(os.path.join(runs, documents.FOLDER))
    create(program, beyond, folder, [
        ("one-core", on_one_core(study, beyond, part), [study, *results])],
        documents.read_document(first)["program"])


def prepare_deeper(program, runs, directories):
    """Creates the document of searches of a study's data sets with more stages, which stand in
    `directories`. Those without results are left out, and nothing is done without any."""
    there = [one for one in directories if results_in(one)]
    if not there or not results_in(runs):
        return
    folder = os.path.join(runs, documents.FOLDER)
    make(folder)
    command = ["query", "stages", "--runs", runs]
    for one in there:
        command += ["--deeper", one]
    results = [file for one in (runs, *there) for file in results_in(one)]
    program_of = os.path.join(folder, "runs.json")
    commit = documents.read_document(program_of)["program"] if os.path.exists(program_of) else None
    create(program, runs, folder, [("deeper", command, results)], commit)


def prepare_peers(program, runs, beyond):
    """Creates the document of what was found beside other compressors, after all comparisons:
    `beyond` has the directory of the searches with preludes, if there are some, and in the wide
    space."""
    folder = os.path.join(runs, documents.FOLDER)
    others = sorted(glob.glob(os.path.join(folder, "compare*.json")))
    if not others:
        return
    command, sources = ["query", "peers", *others], list(others)
    for what, directory in (("pipelines", runs), *beyond.items()):
        path = os.path.join(directory, documents.FOLDER, "one-core.json")
        if os.path.exists(path):
            command += [f"--{what}", path]
            sources.append(path)
    program_of = documents.read_document(others[0])["program"]
    create(program, runs, folder, [("peers", command, sources)], program_of)


def put_if_new(path, description):
    """Writes a study unless the file has it: documents are made again if it is newer than they."""
    text = json.dumps(description, indent=1) + "\n"
    if not os.path.exists(path) or open(path, "rb").read() != text.encode("utf-8"):
        put(path, text)


def speeds(program, name, runs, folder, commit):
    """Times the best pipelines over a study's data sets, unless there are timings from any device;
    then creates the documents of the front and the means. Does not fit models, which predict other
    pipelines, because that takes minutes; `fpsynth bench pipelines --runs` fits them."""
    if not timed(runs):
        rows = documents.read_document(os.path.join(folder, "overall.json"))["tables"][0]["rows"]
        best = list(dict.fromkeys(row["pipeline"] for row in rows if row["rank"] <= TIMED))
        # As many bytes as of the compressors that stand beside them.
        command = ["bench", "pipelines", *best, "--runs", runs, "--no-model", "--bytes",
                   part_of(folder)[1]]
        say(f"{name}: {documents.shown(['fpsynth'] + command)}")
        run(program, command)
    compared = os.path.join(folder, "compare.json")
    for stem, command, sources in (
            ("pareto", ["pareto", "--runs", runs, "--compared", compared], [compared]),
            ("timed", ["timed", "--runs", runs], [])):
        command = ["query", *command]
        path = os.path.join(folder, stem + ".json")
        if timed(runs) and not fresh(path, command, [*sources, *timed(runs)], commit):
            say(f"{name}: {documents.shown(['fpsynth'] + command)}")
            ask(program, command, path)


def by_size_on_gpu(program, name, study, runs, folder, commit):
    """Creates the document of Holt by size on a GPU, if there are timings from a GPU. If this
    machine has no GPU, prints a note."""
    path = os.path.join(folder, "holt-gpu.json")
    command = ["baseline", "holt", "sweep", "--study", study, "--backend", "cuda"]
    if not any(file.endswith(".cuda.throughput.json") for file in timed(runs)) or \
            fresh(path, command, [study], commit):
        return
    say(f"{name}: {documents.shown(['fpsynth'] + command)}")
    try:
        ask(program, command, path)
    except Problem as problem:
        say(f"{name}: Holt by size on a GPU is left out: {problem}")


def timed(runs):
    """The documents of throughputs in a directory."""
    return [os.path.join(runs, name) for name in os.listdir(runs)
            if name.endswith(".throughput.json")]


def tables_that_fit(sizes):
    """The largest exponent of tables that at least half of the data sets are as large as."""
    median = sorted(sizes)[(len(sizes) - 1) // 2] if sizes else 0
    return max(SMALL, min(LARGEST, (median // ENTRY).bit_length() - 1))


def modes(largest):
    """Exponents from the smallest to the largest tables, with the papers' among them."""
    steps = {SMALL + round(step * (largest - SMALL) / (MODES - 1)) for step in range(MODES)}
    return [str(one) for one in sorted(steps | {min(LARGE, largest)})]


def sizes_of(folder, precision):
    """The bytes of the data sets that have values of a precision, by the document of `data info`."""
    rows = documents.read_document(os.path.join(folder, "statistics.json"))["tables"][0]["rows"]
    return {row["data_set"]: row["bytes"] for row in rows if row["precision"] == precision}


def without_singles(study, folder, doubles):
    """The path of the study with the data sets `doubles` alone."""
    description = documents.read_study(study)
    kept = [item for item in description["data"] if documents.item_name(item) in doubles]
    if len(kept) == len(description["data"]):
        return study
    path = os.path.join(folder, DOUBLES + ".json")
    put_if_new(path, {**description, "data": kept})
    return path


def wanted(study, runs, results, folder):
    """The name of each document, the command that creates it, and the files that it depends on. The
    caller creates each before it asks for the next, because settings depend on the data's sizes."""
    over = ["--runs", runs]
    if results:
        yield from ((stem, ["query", *query, *over], results) for stem, query in (
            ("best", ["best"]), ("best-published", ["best", "--published"]),
            ("means", ["means", "--published"]), ("overall", ["overall"]),
            ("stages", ["stages"]), ("components-1", ["components", "--top", "1", "--published"]),
            ("components-100", ["components", "--top", "100"]),
            ("patterns-1", ["patterns", "--top", "1", "--published"]), ("top-1", ["top", "1"]),
            ("common", ["common"]), ("distribution", ["distribution"])))
    data = ["--study", study]
    yield "statistics", ["data", "info", *data], [study]
    doubles, part = sizes_of(folder, "double"), part_of(folder)
    peers = sorted(glob.glob(os.path.join(PEERS, "*.json")))
    yield "compare", ["compare", *data, *(over if results else []), "--published", *part,
                      *(part for file in peers for part in ("--external", file))], \
        [study, *results, *peers]
    if results:
        yield "one-core", on_one_core(study, runs, part), [study, *results]
        compared = os.path.join(os.path.dirname(study), "compare.json")
        yield "dimensionality", ["query", "dimensionality", *over, "--compared", compared], \
            [*results, compared]
    yield "holt", ["baseline", "holt", "sweep", *data], [study]
    if doubles:
        study = without_singles(study, folder, doubles)
        yield from papers_settings(["--study", study], study)
        yield from sweeps_of_doubles(study, doubles, part)
    if results:
        measured = [os.path.join(folder, stem + ".json") for stem in MEASURED]
        measured = [path for path in measured if os.path.exists(path)]
        yield "claims", ["query", "claims", *over, *compared_with(measured)], [*results, *measured]
        measured += [path for stem in PRINTED
                     if os.path.exists(path := os.path.join(folder, stem + ".json"))]
        yield "scorecard", ["query", "scorecard", *over, *compared_with(measured)], \
            [*results, *measured]


def compared_with(paths):
    return [part for path in paths for part in ("--compared", path)]


def part_of(folder):
    """What of the data is timed, by their sizes in the document of `data info`."""
    sizes = {**sizes_of(folder, "single"), **sizes_of(folder, "double")}
    return LESS if sum(sizes.values()) > BIG else PART


def on_one_core(study, runs, part):
    """The command that times each data set's best pipeline on one core."""
    return ["compare", "--study", study, "--runs", runs, "--only", "searched", "--threads", "1", *part]


def sweeps_of_doubles(study, doubles, part):
    data, threads = ["--study", study], str(len(os.sched_getaffinity(0)))
    largest = tables_that_fit(doubles.values())
    big = part is LESS
    yield "gfc", ["baseline", "gfc", "sweep", *data, *(LESS[:2] if big else [])], [study]
    yield "pfpc", ["baseline", "pfpc", "sweep", *data, *part, "--tables",
                   f"{SMALL},{min(LARGE, largest)}" if largest > SMALL else str(SMALL),
                   *(FEWER if big else [])], [study]
    yield "pfpc-modes", ["baseline", "pfpc", "sweep", *data, "--tables", ",".join(modes(largest)),
                         "--threads", f"1,{threads}", "--chunks", "1024", *part], [study]


def papers_settings(data, study):
    """pFPC and GFC with the settings of the MPC paper, which depend on its machine, if the study has
    data sets of the paper."""
    published = Published()
    if any("made" not in item and documents.item_name(item) in published.sets
           for item in documents.read_study(study)["data"]):
        pfpc, gfc = published.settings("pFPC -1M"), published.settings("GFC")
        yield "pfpc-paper", ["baseline", "pfpc", "sweep", *data, "--tables", str(pfpc["table_bits"]),
                             "--threads", str(pfpc["instances"]), "--chunks",
                             str(pfpc["chunk_values"]), "--repetitions", "1", *PART], [study]
        yield "gfc-paper", ["baseline", "gfc", "sweep", *data, "--chunks", str(gfc["chunks"]),
                            "--repetitions", "1", *PART], [study]


def fresh(path, command, sources, program):
    """Whether a document exists, is not damaged, is from the same command and program, and is not
    older than its sources."""
    if not os.path.exists(path) or program is None:
        return False
    try:
        document = documents.read_document(path)
    except Problem:
        return False
    written_by = documents.arguments_of(document).split(" --out ")[0]
    age = os.path.getmtime(path)
    return written_by == " ".join(command) and document["program"] == program and \
        all(os.path.getmtime(source) <= age for source in sources)


def ask(program, command, path):
    """Runs a command that writes its tables to a document."""
    run(program, [*command, "--out", path])


def unsearched(description, runs):
    """Whether a data set of a study has no results in one of its precisions."""
    names = [f"{documents.item_name(item)}.{precision}.json" for item in description["data"]
             for precision in description.get("precisions", [])]
    return any(not os.path.exists(os.path.join(runs, name)) for name in names)


def search(program, study, runs, sample):
    """Searches data sets without results, and resumes interrupted searches."""
    say(f"searching one chunk in {sample}: {study} -> {runs}")
    run(program, ["search", "--study", study, "--out", runs, "--sample", str(sample), "--resume"])


def is_result(name):
    return name.endswith((".double.json", ".single.json"))


def results_in(runs):
    """The documents of a search in a directory, which need not exist."""
    return [os.path.join(runs, file) for file in os.listdir(runs) if is_result(file)] \
        if os.path.isdir(runs) else []
