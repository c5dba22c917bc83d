"""Searches, and their shards, that are killed at random times (abuse.py)."""

import json
import shutil
import signal
import subprocess
import time

SPACE = {"stages": 3, "components": ["NUL", "BIT", "DIM8", "LNV1s", "LNV2x", "ZE", "RLE"]}


def searched(abuse, name, arguments, runs, values=24 * 1024):
    """Arguments of a search of a small space, with its study file."""
    data = abuse.data(name, values, "rounded")
    study = abuse.folder / f"{name}.study.json"
    study.write_text(json.dumps({"name": "abuse", "data": [{"name": "walk", "file": str(data)}],
                                 "precisions": ["double"], "space": SPACE}))
    return ["search", "--study", str(study), "--out", str(runs), "--backend", "cpu", *arguments]


def findings_of(document):
    """The results of a search, without its time and speed."""
    return {key: document[key] for key in ("payload_bytes", "failed", "ranking", "overhead_bytes",
                                           "chunk_ranges", "sampled_bytes")}


def kill_at_random(abuse, arguments, seconds, by=(signal.SIGKILL,)):
    """Runs the program, and ends it by a signal within so many seconds. Whether it was still there."""
    process = subprocess.Popen([abuse.program, *arguments], env=abuse.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(abuse.random.uniform(0, seconds))
    number = abuse.random.choice(by)
    process.send_signal(number)
    return process.wait(abuse.hangs_after) == -number


def whole_search(abuse, name):
    """What a search finds that nothing disturbs, and its seconds; None if it fails, which is noted."""
    whole = abuse.folder / name
    start = time.monotonic()
    status, _, messages = abuse.run(searched(abuse, "kills.f64", [], whole, 64 * 1024))
    seconds = time.monotonic() - start
    if status != 0:
        abuse.find(f"search: status {status}, {messages}")
        return None, seconds
    return findings_of(json.loads((whole / "walk.double.json").read_text())), seconds


def killed_searches(abuse, count):
    """Searches killed (SIGKILL) at random times and resumed end with what an uninterrupted one has."""
    expected, seconds = whole_search(abuse, "uninterrupted")
    if expected is None:
        return "killed searches: the search failed"
    kills = rounds = 0
    while kills < count:
        rounds += 1
        runs = abuse.folder / f"killed{rounds}"
        arguments = searched(abuse, "kills.f64", ["--resume"], runs, 64 * 1024)
        for _ in range(abuse.random.randrange(1, 5)):
            kills += kill_at_random(abuse, arguments, 1.1 * seconds)
        status, _, messages = abuse.run(arguments)
        if status != 0:
            abuse.find(f"search --resume after kills, round {rounds}: status {status}, {messages}")
        elif findings_of(json.loads((runs / "walk.double.json").read_text())) != expected:
            abuse.find(f"search --resume after kills, round {rounds}: other results")
        elif abuse.leftovers(runs):
            abuse.find(f"search --resume after kills, round {rounds}: {abuse.leftovers(runs)} stay")
        shutil.rmtree(runs, ignore_errors=True)
    return f"{kills} kills of {rounds} searches, each resumed to the results of an uninterrupted one"


def numbers_in(text):
    """The numbers of a list such as 3,7,9-12."""
    numbers = []
    for item in filter(None, text.strip().split(",")):
        first, _, last = item.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def killed_shards(abuse, count):
    """Shards killed (SIGKILL, and SIGTERM, which saves what is done) at random times; those that
    `merge --missing` names are searched again, until it names none: the merged document is that of
    an undivided search."""
    expected, seconds = whole_search(abuse, "undivided")
    if expected is None:
        return "killed shards: the search failed"
    kills = rounds = again = 0
    while kills < count:
        rounds += 1
        parts, merged = abuse.folder / f"parts{rounds}", abuse.folder / f"merged{rounds}"
        shards = abuse.random.randrange(2, 7)
        name = f"merge of {shards} shards after kills, round {rounds}"
        missing = list(range(1, shards + 1))
        for attempt in range(50):
            for shard in missing:
                arguments = searched(abuse, "kills.f64",
                                     ["--resume", "--shard", f"{shard}/{shards}"], parts, 64 * 1024)
                if attempt < 2 and abuse.random.random() < 0.7:
                    kills += kill_at_random(abuse, arguments, 1.5 * seconds / shards,
                                            (signal.SIGKILL, signal.SIGTERM))
                    continue
                status, _, messages = abuse.run(arguments)
                if status != 0:
                    abuse.find(f"{name}: shard {shard}: status {status}, {messages}")
            status, output, messages = abuse.run(["merge", str(parts), "--missing"])
            if status == 0:
                missing = numbers_in(output.decode())
            elif "no shards" not in messages and "cannot list" not in messages:
                abuse.find(f"{name}: --missing: status {status}, {messages}")
                break
            if not missing:
                break
            again += len(missing)
        # A merge that is interrupted leaves nothing behind, and one that is not everything.
        merge = ["merge", str(parts), "--out", str(merged)]
        if not kill_at_random(abuse, merge, 0.03, (signal.SIGINT, signal.SIGTERM)):
            shutil.rmtree(merged, ignore_errors=True)
        elif any(merged.glob("*.json")):
            abuse.find(f"{name}: {list(merged.iterdir())} stay of a merge that was interrupted")
        status, _, messages = abuse.run(merge)
        if status != 0:
            abuse.find(f"{name}: status {status}, {messages}")
        elif findings_of(json.loads((merged / "walk.double.json").read_text())) != expected:
            abuse.find(f"{name}: other results")
        elif any(abuse.leftovers(folder) for folder in [*parts.iterdir(), merged]):
            abuse.find(f"{name}: temporary files stay")
        shutil.rmtree(parts, ignore_errors=True)
        shutil.rmtree(merged, ignore_errors=True)
    return (f"{kills} kills of shards of {rounds} searches, {again} shards searched again, each "
            "merged to the results of an undivided one")
