"""Links between pages: addresses of the server, or files of an export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote, urlencode


@dataclass(frozen=True, slots=True)
class Links:
    """Links from one page to others.

    Args:
        here: Address of the page, without the leading slash.
        static: Whether the pages are files that link to each other by relative paths.

    Example:
        >>> Links("runs/toy").to("compare/toy", a="KNN"), Links("runs/toy", static=True).to("compare/toy", a="KNN")
        ('/compare/toy?a=KNN', '../compare/toy.html?a=KNN')
    """

    here: str
    static: bool = False

    def to(self, path: str, **query: str) -> str:
        """Return the link to a page or a file.

        Args:
            path: Its address, without the leading slash; one with an extension is a file.
            **query: What follows the question mark.
        """
        address = self.root + quote(self.file(path))
        return f"{address}?{urlencode(query)}" if query else address

    @property
    def root(self) -> str:
        """Link to the folder of all pages, with a slash at its end."""
        return "../" * self.here.count("/") if self.static else "/"

    @property
    def suffix(self) -> str:
        """End of the address of a page."""
        return ".html" if self.static else ""

    def file(self, path: str) -> str:
        """Return the address of a page or file below the root."""
        return file_of(path) if self.static else path


def file_of(path: str) -> str:
    """Return the file of a page in an export.

    Example:
        >>> file_of(""), file_of("runs/toy"), file_of("static/page.js")
        ('index.html', 'runs/toy.html', 'static/page.js')
    """
    if PurePosixPath(path).suffix in EXTENSIONS:
        return path
    return f"{path or 'index'}.html"


EXTENSIONS = (".css", ".js", ".json", ".webp", ".gif", ".png", ".svg", ".csv")
