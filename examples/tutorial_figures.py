"""Run the Python blocks of the tutorials; copy the figures that they save to docs/assets/tutorials."""

import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
FIGURES = DOCS / "assets" / "tutorials"
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Run each tutorial that saves a figure, in an empty folder of its own."""
    FIGURES.mkdir(exist_ok=True)
    for page in sorted((DOCS / "tutorials").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if "savefig" not in text:
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            namespace: dict[str, object] = {}
            for block in PYTHON.findall(text):
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(block, namespace)
                sys.stdout.write(f"{page.stem}: {printed.getvalue()}" if printed.getvalue() else "")
            for figure in Path(folder).glob("*.png"):
                (FIGURES / figure.name).write_bytes(figure.read_bytes())
            os.chdir(DOCS)


if __name__ == "__main__":
    main()
