"""same_documents.py DIR OTHER: exit status 1, and a line for each difference, unless two result
directories hold the same documents, whoever searched: the same files, and in them the same but for how
and how fast they came about."""

import json
import sys
from pathlib import Path

# Keys of a document's "run" that tell of the machines and the time, and nothing of the results.
PROVENANCE = {"compiler", "backend", "device", "threads", "seconds", "pipeline_bytes_per_second"}


def results_of(file):
    document = json.loads(file.read_text())
    for key in PROVENANCE:
        document.get("run", {}).pop(key, None)
    return document


def differences(one, other, where):
    """Yields the paths at which two JSON values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            if key not in one or key not in other:
                yield f"{where}.{key}: only in {'the second' if key in other else 'the first'}"
            else:
                yield from differences(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other)):
            yield from differences(*pair, f"{where}[{index}]")
    elif one != other:
        yield f"{where}: {json.dumps(one)[:60]} and {json.dumps(other)[:60]}"


def main():
    one, other = (Path(folder) for folder in sys.argv[1:3])
    files = {folder: {file.name for file in folder.glob("*.json")} for folder in (one, other)}
    found = [f"{name}: only in one of them" for name in sorted(files[one] ^ files[other])]
    for name in sorted(files[one] & files[other]):
        found += differences(results_of(one / name), results_of(other / name), name)
    if not any(name != "study.json" for name in files[one]):
        found.append(f"{one} holds no documents")
    print(*found[:20], sep="\n", end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
