"""Runs the program, and finds those data sets of a study that it can read."""

import json
import os
import subprocess
import sys

from analysis import documents
from analysis.problems import Problem


def run(program, arguments):
    """Runs a command and returns its output. Raises Problem if it fails."""
    # On shared processors, spinning threads take time from those that work.
    environment = {"OMP_WAIT_POLICY": "passive", **os.environ}
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              encoding="utf-8", errors="replace")
    except OSError as error:
        raise Problem(f"{program}: {error.strerror}; build it (./run build) and name it with "
                      "--fpsynth") from error
    if done.returncode != 0:
        raise Problem(f"{documents.shown([program, *arguments])} ended with status "
                      f"{done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def present(program, config):
    """The study without its unavailable data sets, with absolute paths of files; and the names of
    the unavailable ones."""
    description = documents.read_study(config)
    available, missing, sets = [], [], described(program)
    for item in description["data"]:
        item = dict(item)
        if "file" in item:
            item["file"] = locate(item["file"], os.path.dirname(config))
        (available if is_available(item, sets) else missing).append(item)
    description["data"] = available
    if "datasets" in description:
        files = description["datasets"]
        description["datasets"] = [locate(file, os.path.dirname(config))
                                   for file in ([files] if isinstance(files, str) else files)]
    return description, [documents.item_name(item) for item in missing]


def locate(file, study_folder):
    """The path of a study's file, as the program finds it: in its folder, then in FPSYNTH_DATA."""
    for folder in (study_folder, os.environ.get("FPSYNTH_DATA", "")):
        path = os.path.abspath(os.path.join(folder, file))
        if os.path.exists(path):
            return path
    return os.path.abspath(os.path.join(study_folder, file))


def described(program):
    """Name -> whether the data of a described data set are available."""
    sets = json.loads(run(program, ["data", "list", "--json"]))
    return {one["name"]: one["here"] is not None for one in sets}


def is_available(item, sets):
    if "dataset" in item:
        return sets.get(item["dataset"], True)  # the program knows sets that the study describes
    return "made" in item or os.path.exists(item["file"])


def say(text):
    print(text, file=sys.stderr, flush=True)
