"""Compressors from wheels as peers from outside. Only the last test needs the wheels."""

import importlib.util
import itertools
import os
import subprocess
import sys

import support

PEERS = os.path.join(support.ROOT, "configs", "peers")
PACKAGES = {"pco.py": "pcodec", "openzl_peer.py": "openzl"}
OPTIONS = {"pco.py": [], "openzl_peer.py": ["--fit", "0.2"]}


class Wheels(support.Folder):
    def call(self, program, *arguments, path=""):
        return subprocess.run([sys.executable, os.path.join(PEERS, program), *arguments], check=False,
                              capture_output=True, encoding="utf-8",
                              env={**os.environ, "PYTHONPATH": path})

    def test_without_the_wheel(self):
        for program, package in (*PACKAGES.items(), ("pco.py", "numpy")):
            self.write(f"{package}.py", f"raise ImportError('there is no {package}')")
            done = self.call(program, "--version", path=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"there is no {package}", done.stderr)
            self.assertIn(f"-m pip install {package}", done.stderr)

    def test_files_of_any_length(self):
        there = {program for program, package in PACKAGES.items() if importlib.util.find_spec(package)}
        if not there:
            self.skipTest("neither pcodec nor openzl is here; `python3 -m pip install pcodec openzl`")
        names = [os.path.join(self.folder, name) for name in ("in", "packed", "out", "seconds")]
        for program, kind, size in itertools.product(there, ("f64", "f32", "i64", "u32"),
                                                     (0, 3, 8, 8003, 16000)):
            with open(names[0], "wb") as stream:
                stream.write(bytes(i * i % 251 for i in range(size)))
            for options, way, one, two in ((OPTIONS[program], "compress", 0, 1),
                                           ([], "decompress", 1, 2)):
                done = self.call(program, *options, way, kind, names[one], names[two], names[3])
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(names[3], encoding="ascii") as stream:
                    self.assertGreater(float(stream.read()), 0)
            with open(names[0], "rb") as first, open(names[2], "rb") as second:
                self.assertEqual(first.read(), second.read())
