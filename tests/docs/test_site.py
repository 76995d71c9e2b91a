"""The built documentation: every public name has a place, pages are readable, and browsers find no serious fault.

`make docs` builds it, which `make test` does before the tests; without it they are skipped.
"""

import functools
import html
import http.server
import importlib
import pkgutil
import re
import threading
import zlib
from pathlib import Path

import pytest

import offnominal
from offnominal.anomalies import anomalies
from offnominal.worlds import worlds

from ..browsers import chromium
from ..consumers.accessibility import ALL, ANOTHER_LOOK, serious_findings

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
GALLERY = ROOT / "docs" / "assets" / "gallery"
LONGEST = 45_000
"""Characters of text of the longest API page."""
PAGES = ["", "guide/feature-detectors/", "api/rollouts/"]
"""One of each kind. A short one: the time to check its colours grows with the square of its length."""
VALUES = {"offnominal.__version__", "offnominal.cli.main", "offnominal.sensing.Model", "offnominal.sensing.Texture"}
"""Public names that are documented where they are used."""

WITHOUT_CLIP = {"dynamics/gain", "dynamics/control_latency", "dynamics/control_smoothing"}
"""Anomalies that no clip shows."""

built = pytest.mark.skipif(not (SITE / "objects.inv").exists(), reason="run `make docs` first")


def public_names():
    packages = [
        importlib.import_module(f"offnominal.{each.name}") for each in pkgutil.iter_modules(offnominal.__path__)
    ]
    for package in (offnominal, *packages):
        for name in getattr(package, "__all__", ()):
            yield f"{package.__name__}.{name}", getattr(package, name)


@built
def test_every_public_name_is_documented():
    inventory = (SITE / "objects.inv").read_bytes().split(b"\n", 4)[4]
    known = {line.split(" ")[0] for line in zlib.decompress(inventory).decode().splitlines()}

    def places(name, value):
        qualified = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
        package, _, last = name.rpartition(".")
        return {name, qualified, f"{package}.catalogue.{last}", f"{package}.kinds.{last}"}

    missing = {name for name, value in public_names() if not places(name, value) & known} - VALUES
    assert not missing


@built
def test_api_pages_have_a_readable_length():
    for page in sorted((SITE / "api").glob("*/index.html")):
        article = re.search(r"<article.*?</article>", page.read_text(encoding="utf-8"), re.DOTALL)[0]
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", article)).split())
        assert len(text) < LONGEST, f"{page.parent.name}: {len(text)} characters; split the page"


@pytest.mark.skipif(not GALLERY.exists(), reason="the clips of the galleries are not made")
def test_every_world_and_anomaly_has_a_clip():
    wanted = {f"worlds/{id}" for id in worlds.ids()}
    wanted |= {f"anomalies/{spec.id.replace('/', '-')}" for spec in anomalies if spec.id not in WITHOUT_CLIP}
    assert not {name for name in wanted if not (GALLERY / f"{name}.webp").exists()}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@built
@pytest.mark.parametrize(
    ("width", "scheme", "pages", "rules"),
    [
        (1280, "light", PAGES, ALL),
        pytest.param(390, "light", PAGES[:2], ALL, marks=pytest.mark.slow),
        pytest.param(1280, "dark", PAGES[:2], ANOTHER_LOOK, marks=pytest.mark.slow),
    ],
    ids=["1280-light", "390-light", "1280-dark"],
)
def test_pages_are_accessible_and_fit_the_screen(browser, address, width, scheme, pages, rules):
    pytest.importorskip("axe_playwright_python.sync_playwright")
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    tab = context.new_page()
    for page in pages:
        tab.goto(address + page)
        assert not serious_findings(tab, rules), page
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, page
        assert tab.locator("h1").count() == 1, page
        assert tab.locator('meta[name="description"]').get_attribute("content"), page
        assert tab.evaluate("[...document.images].every(image => image.alt)"), page
    context.close()
