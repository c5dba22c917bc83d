"""Figures as SVG: files that stand alone, and elements of the page that follow its colours.

A tooltip is the `gid` of an artist (see `tip`), which Matplotlib writes as the id of its group."""

import html
import io
import re

TIP = "tip: "
MARGIN = 0.04  # inches around a figure
# Colours of lines and texts that the page exchanges for those of its style; the others, which stand
# for something, are the same in every style.
THEME = {"#000000": "ink", "#ffffff": "paper", "#dddddd": "grid", "#f2f2f2": "band",
         "#444444": "soft", "#4a4a4a": "soft", "#3b3b3b": "soft", "#555555": "soft"}
FONT = "'DejaVu Sans', Verdana, sans-serif"
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")


def tip(artist, text):
    """Makes a text appear when the pointer is on an artist; returns the artist."""
    artist.set_gid(TIP + text.replace('"', "'"))
    return artist


def standalone(figure, tips=True):
    """The text of an SVG file, with its tooltips if wanted. It depends on the contents alone."""
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", pad_inches=MARGIN,
                   bbox_inches=getattr(figure, "crop", "tight"),
                   metadata={"Date": None, "Creator": None})
    text = stream.getvalue().decode("utf-8")
    text = re.sub(r"<!-- .*? -->\n?", "", text, flags=re.DOTALL)
    text = re.sub(r" *<metadata>.*?</metadata>\n", "", text, flags=re.DOTALL)
    text = re.sub(r'="[^"]*"', lambda found: LONG_NUMBER.sub(short, found.group()), text)
    # Browsers show a group's title.
    return re.sub(f'<g id="{TIP}([^"]*)">', r'<g class="tip"><title>\1</title>' if tips else "<g>", text)


def short(match):
    """A number with two decimals at most, without trailing zeros."""
    text = f"{float(match.group()):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def inline(text, name, label):
    """A standalone SVG as an element of a page: with ids that only this picture has, and with the
    page's colours."""
    text = text[text.index("<svg"):]
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    head = (f'<svg class="{"page" if float(size.group(1)) > 350 else "column"}" role="img" '
            f'aria-label="{html.escape(label)}" {size.group()} '
            'xmlns:xlink="http://www.w3.org/1999/xlink">')
    text = head + text[text.index(">") + 1:]
    used = sorted(set(re.findall(r'(?:url\(#|xlink:href="#)([^")]+)', text)))
    places = {one: f"{name}.{number}" for number, one in enumerate(used)}
    text = re.sub(r' id="([^"]*)"', lambda found: f' id="{places[found.group(1)]}"'
                  if found.group(1) in places else "", text)
    text = re.sub(r'(url\(#|xlink:href="#)([^")]+)',
                  lambda found: found.group(1) + places[found.group(2)], text)
    text = re.sub(r"#[0-9a-f]{6}\b", lambda found: f"var(--{THEME[found.group()]})"
                  if found.group() in THEME else found.group(), text)
    text = re.sub(r" *<style type=\"text/css\">.*?</style>\n?", "", text, flags=re.DOTALL)
    text = re.sub(r'style="([^"]*)"', small_style, text.replace("'DejaVu Sans'", FONT))
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text)
    return re.sub(r" *\n\s*", "\n", without_plain_groups(text)).strip()


def small_style(match):
    return 'style="' + re.sub(r"([:;]) ", r"\1", match.group(1)).strip("; ") + '"'


def without_plain_groups(text):
    """Leaves out the groups without attributes, of which Matplotlib writes several an artist."""
    kept, parts = [], []
    for part in re.split(r"(<g>|<g [^>]*>|</g>)", text):
        if part.startswith("<g"):
            kept.append(part != "<g>")
            parts.append(part if kept[-1] else "")
        else:
            parts.append(part if part != "</g>" or kept.pop() else "")
    return "".join(parts)
