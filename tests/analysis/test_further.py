"""pcodec as a peer from outside. Only the last test needs its wheel."""

import importlib.util
import os
import subprocess
import sys
import unittest

import support

PCO = os.path.join(support.ROOT, "configs", "peers", "pco.py")


class Pco(support.Folder):
    def call_pco(self, *arguments, path=""):
        return subprocess.run([sys.executable, PCO, *arguments], capture_output=True, check=False,
                              encoding="utf-8", env={**os.environ, "PYTHONPATH": path})

    def test_without_the_wheel(self):
        self.write("pcodec.py", "raise ImportError('there is none')")
        done = self.call_pco("--version", path=self.folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("there is none", done.stderr)
        self.assertIn("-m pip install pcodec", done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("pcodec"),
                         "pcodec is not here; `python3 -m pip install pcodec`")
    def test_files_of_any_length(self):
        names = [os.path.join(self.folder, name) for name in ("in", "packed", "out", "seconds")]
        for kind in ("f64", "f32"):
            for size in (0, 3, 8, 8003, 16000):
                with open(names[0], "wb") as stream:
                    stream.write(bytes(i * i % 251 for i in range(size)))
                for way, one, two in (("compress", 0, 1), ("decompress", 1, 2)):
                    done = self.call_pco(way, kind, names[one], names[two], names[3])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    with open(names[3], encoding="ascii") as stream:
                        self.assertGreater(float(stream.read()), 0)
                with open(names[0], "rb") as first, open(names[2], "rb") as second:
                    self.assertEqual(first.read(), second.read())


if __name__ == "__main__":
    unittest.main()
