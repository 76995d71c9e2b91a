"""How our docstrings become pages."""

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|func|meth|mod):(?=`)")
EXAMPLE = re.compile(r"^Example:$", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Show examples as code, and leave out the roles that only editors understand."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of anything that is loaded."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub("Examples:", ROLE.sub("", obj.docstring.value))
