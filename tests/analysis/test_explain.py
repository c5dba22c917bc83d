"""The picture of what each step of a method makes of the data."""

import contextlib
import io
import json
import os
import tempfile
import unittest

import support  # noqa: F401  (finds analysis)
from analysis import explain

STEPS = [{"name": "", "word_bytes": 1, "bytes": 4, "beside_bytes": 0, "ratio": 1.0,
          "shown_words": 4, "ones": ["00ff00ff"] * 8},
         {"name": "ZE", "word_bytes": 1, "bytes": 0, "beside_bytes": 2, "ratio": 2.0,
          "shown_words": 0, "ones": [""] * 8}]


class Explain(unittest.TestCase):
    def drawn(self, document, out="picture.svg"):
        """The exit status, what was said, and the picture."""
        with tempfile.TemporaryDirectory() as folder, \
                contextlib.redirect_stderr(io.StringIO()) as said:
            path = os.path.join(folder, "document.json")
            with open(path, "w", encoding="utf-8") as stream:
                json.dump(document, stream)
            status = explain.main([path, os.path.join(folder, out)])
            names = set(os.listdir(folder)) - {"document.json"}
            text = ""
            if names:
                with open(os.path.join(folder, names.pop()), encoding="utf-8") as stream:
                    text = stream.read()
            return status, said.getvalue(), text

    def test_a_strip_for_each_step(self):
        status, said, text = self.drawn({"schema": explain.SCHEMA, "data_set": "small",
                                         "steps": STEPS})
        self.assertEqual((status, said), (0, ""))
        for part in ("small", "4 bytes, ratio 1.00", "ZE", "2 bytes, ratio 2.00"):
            self.assertIn(part, text)

    def test_other_documents_are_refused(self):
        status, said, text = self.drawn({"schema": "fpsynth-tables"})
        self.assertEqual((status, text), (1, ""))
        self.assertIn("document.json is no document of fpsynth explain", said)
        status, said, text = self.drawn({}, out="picture.gif")
        self.assertEqual((status, text), (2, ""))


if __name__ == "__main__":
    unittest.main()
