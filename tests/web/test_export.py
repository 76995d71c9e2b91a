"""The static export: complete, and without a link that leads nowhere."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from offnominal.core.errors import AlreadyExists, DamagedFile, UnknownName
from offnominal.reports.modules import bundle
from offnominal.web.export import export_pages
from offnominal.web.files import script

pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def site(settings, tmp_path_factory):
    return export_pages(settings, tmp_path_factory.mktemp("export") / "site")


def test_every_link_of_every_page_is_a_file(site):
    assert not site.left_out
    pages = list(site.folder.rglob("*.html"))
    assert len(pages) > 10
    for page in pages:
        for target in re.findall(r'(?:href|src)="([^"#]+)"', page.read_text()):
            address = urlsplit(unescape(target))
            if not address.scheme:
                assert (page.parent / unquote(address.path)).is_file(), f"{page.name} links to {target}"


def test_pages_keep_their_policy_and_use_classic_scripts(site):
    page = (site.folder / "index.html").read_text()
    assert 'http-equiv="Content-Security-Policy"' in page
    assert 'type="module"' not in page
    for path in (site.folder / "static").glob("*.js"):
        assert not re.search(r"^(import|export) ", path.read_text(), re.MULTILINE)


def test_a_folder_with_something_else_is_not_overwritten(settings, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(AlreadyExists, match="no earlier export"):
        export_pages(settings, tmp_path)


def test_a_module_is_in_a_bundle_once_and_before_its_users():
    sources = {
        "a.js": 'import { b } from "./b.js";\nimport { c as d } from "./c.js";\nb(d);\n',
        "b.js": 'import { c } from "./c.js";\nexport function b() { return c; }\n',
        "c.js": "export const c = 1;\n",
    }
    text = bundle("a.js", sources.__getitem__)
    assert text.index("const module_c") < text.index("const module_b") < text.index("const module_a")
    assert text.count("const c = 1") == 1
    assert "const { c: d } = module_c;" in text


@pytest.mark.parametrize(
    "sources",
    [
        {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'},
        {"a.js": 'import * as b from "./b.js";\n'},
        {"a.js": "export default 1;\n"},
    ],
)
def test_scripts_that_cannot_be_bundled_are_refused(sources):
    with pytest.raises(DamagedFile):
        bundle("a.js", sources.__getitem__)


def test_only_scripts_of_the_package_are_modules():
    for name in ("no.js", "../app.py", "site.css", str(Path(__file__))):
        with pytest.raises(UnknownName):
            script(name)
