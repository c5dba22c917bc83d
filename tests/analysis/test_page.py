"""The page in a headless browser, at the widths of a screen and of a telephone. Needs a browser of
Chromium's family, named by BROWSER."""

import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import synthetic_documents
from support import Folder

BROWSER = shutil.which(os.environ.get("BROWSER") or "chromium-headless-shell")
HERE = os.path.dirname(os.path.abspath(__file__))
SETS = 20
LIMIT = 3 << 20  # bytes of a page


@unittest.skipUnless(BROWSER, "set BROWSER to a browser of Chromium's family")
class Page(Folder):
    drawn = None  # the folder in which the page was drawn once
    views = {}

    def setUp(self):
        if not Page.drawn:
            holder = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(holder.cleanup)
            self.make(holder.name)
            names = [f"field_of_science_set_{number:02}" for number in range(1, SETS + 1)]
            self.config = self.write("study.json", {
                "name": "many", "data": [{"made": name, "bytes": 16384} for name in names]})
            synthetic_documents.put_many(self, names)
            self.call(painted=True)
            Page.drawn = holder.name
        self.make(Page.drawn)

    def shown(self, width, *options):
        """What page_probe.js saw at a width. Each view is opened once."""
        if (width, *options) not in Page.views:
            Page.views[width, *options] = self.view(width, *options)
        return Page.views[width, *options]

    def view(self, width, *options):
        with open(os.path.join(HERE, "page_probe.js"), encoding="utf-8") as stream:
            probe = stream.read()
        path = self.write("probed.html", self.text("index.html").replace(
            "</body>", f"<script>{probe}</script></body>"))
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(
                [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                 f"--user-data-dir={home}", f"--window-size={width},900", *options, "--dump-dom",
                 "file://" + path], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                encoding="utf-8", env={**os.environ, "HOME": home})
        console = [line for line in done.stderr.splitlines() if ":CONSOLE:" in line]
        found = re.search('<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
        self.assertTrue(found, f"{console}\n{done.stderr[-2000:]}")
        seen = json.loads(html.unescape(found.group(1)))
        self.assertEqual(seen["width"], width)
        self.assertEqual(console, [])
        return seen

    def expect_no_overflow(self, seen):
        self.assertEqual(seen["wide"], [])
        self.assertLessEqual(seen["content"], seen["width"])

    def test_on_a_screen(self):
        seen = self.shown(1280)
        self.expect_no_overflow(seen)
        self.assertTrue(seen["contents"])
        self.assertEqual((seen["unresolved"], seen["repeated"]), ([], []))
        self.assertEqual((seen["captions"], seen["drawn"]), (seen["figures"], seen["figures"]))
        self.assertGreater(seen["figures"], 5)
        self.assertGreater(seen["tips"], 10 * SETS)
        for link in seen["links"]:
            self.assertTrue(os.path.exists(os.path.join(self.out, link)), link)
        self.assertIn("tables/mpc-tables-3-4-double.csv", seen["links"])

    def test_tables_sort_and_filter(self):
        seen = self.shown(1280)
        for way, reverse in (("up", False), ("down", True)):
            known = [float(text) for text in seen[way] if not text.startswith("\u2013")]
            self.assertEqual(known, sorted(known, reverse=reverse))
            self.assertGreater(len(set(known)), SETS)
            empty = seen[way][len(known):]  # with the mark of their reason
            self.assertEqual(empty, ["\u2013\u00b2"] * (len(seen[way]) - len(known)))
        self.assertEqual(seen["filtered"], ["field_of_science_set_01"])
        self.assertEqual(seen["again"], len(seen["up"]))

    def test_cards(self):
        seen = self.shown(1280)
        self.assertEqual(seen["cards"], SETS)
        self.assertEqual(seen["found"], ["field_of_science_set_01 many"])
        self.assertGreaterEqual(seen["copies"], 3)

    def test_on_a_telephone(self):
        seen = self.shown(390)
        self.expect_no_overflow(seen)
        self.assertFalse(seen["contents"])  # folded
        self.assertEqual(seen["drawn"], seen["figures"])
        self.assertGreater(seen["letters"], 6.5)

    def test_the_answer_is_on_the_first_screen_and_all_of_ours_on_twelve(self):
        for width in (1280, 390):
            with self.subTest(width):
                seen = self.shown(width)
                self.assertLess(seen["answered"], 1)
                self.assertEqual(seen["hidden"], 1)  # the answer's picture for other screens
                self.assertLess(seen["opened"], 12)
                self.assertGreater(seen["folded"], 20)
                self.assertEqual(seen["clipped"], 0)

    def test_dark(self):
        light, dark = self.shown(1280), self.shown(1280, "--blink-settings=preferredColorScheme=0")
        self.assertEqual(light["background"], "rgb(255, 255, 255)")
        self.assertLess(max(map(int, re.findall(r"\d+", dark["background"]))), 64)

    def test_size(self):
        self.assertLess(os.path.getsize(os.path.join(self.out, "index.html")), LIMIT)
