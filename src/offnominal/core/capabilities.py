"""What registered objects can do and what they need, declared in their registry entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from offnominal.core.errors import InvalidParameter, did_you_mean

Tag = Literal["camera", "gpu", "onnx", "threads"]
"""What an object can do.

- ``camera``: a world that renders images.
- ``gpu``: it has a torch network, which runs on a GPU where there is one.
- ``onnx``: a detector that can be exported as an ONNX file.
- ``threads``: a world whose simulations run in several threads, as its argument `threads` says.
"""

Need = Literal["images", "policy", "symbols"]
"""What a detector needs besides vector episodes.

- ``images``: observations that are images.
- ``policy``: a policy with uncertainty estimates that acts in the world.
- ``symbols``: observations that are counts and categories.
"""


def check_capabilities(id: str, tags: Sequence[Tag], needs: Sequence[Need]) -> None:
    """Raise an error for a tag or need that does not exist.

    Args:
        id: Id of the entry that declares them.
        tags: Its tags.
        needs: Its needs.

    Example:
        >>> check_capabilities("Mine", ("gpus",), ())
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: 'Mine' has the tag 'gpus'. Did you mean 'gpu'? Choose from ...
    """
    for noun, given, known in (("tag", tags, get_args(Tag)), ("need", needs, get_args(Need))):
        if isinstance(given, str):
            raise InvalidParameter(f"{noun}s of {id!r} is the text {given!r}; expected a tuple, such as ({given!r},).")
        for name in given:
            if name not in known:
                raise InvalidParameter(
                    f"{id!r} has the {noun} {name!r}.{did_you_mean(str(name), known)} Choose from {', '.join(known)}."
                )
