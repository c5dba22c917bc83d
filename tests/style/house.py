#!/usr/bin/env python3
"""Holds the includes of runners/ to the libraries that runners/CMakeLists.txt links: what a folder includes, its
library links, itself or through others; what it links, it includes. So no two folders include each other."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
links = {name: set(re.findall(r"fpsynth_(\w+)", libraries)) for name, libraries in re.findall(
    r"^fpsynth_runner\((\w+)([^)]*)\)", (ROOT / "runners/CMakeLists.txt").read_text(), re.M)}
includes = {name: {} for name in links}
listed = subprocess.run(["git", "ls-files", "runners"], cwd=ROOT, text=True, capture_output=True)
files = listed.stdout.split() or [str(p.relative_to(ROOT)) for p in ROOT.glob("runners/**/*.*")]
for file in files:
    folder = file.split("/")[1]
    # The program of MPI is the command line's, started by its ranks.
    if folder in links and file != "runners/cluster/mpi/main.cpp" and re.search(r"\.(hpp|cpp|cu|cuh|cc)$", file):
        for other in re.findall(r'#include "runners/(\w+)/', (ROOT / file).read_text()):
            if other != folder:
                includes[folder].setdefault(other, file)


def linked(name):
    """All that a library links; a circle would not end."""
    return links[name].union(*map(linked, links[name] & links.keys()))


wrong = [f"{file} includes runners/{other}/, which runners/{name}/ does not link in runners/CMakeLists.txt"
         for name in links for other, file in includes[name].items() if other not in linked(name)]
wrong += [f"runners/CMakeLists.txt: {name} links {other}, of which it includes nothing"
          for name in links for other in sorted(links[name] & links.keys() - includes[name].keys())]
print("\n".join(wrong))
sys.exit(bool(wrong))
