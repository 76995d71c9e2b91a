"""Invalid input must give an error of this package."""

from __future__ import annotations

from collections.abc import Callable

from offnominal.core.errors import OffnominalError
from offnominal.laws.require import require


def require_named_error(what: str, call: Callable[..., object], *arguments: object) -> None:
    """Raise :class:`LawBroken` unless the call raises one of our errors."""
    try:
        call(*arguments)
    except OffnominalError:
        return
    except Exception as error:
        require(False, f"{what} gives {type(error).__name__}, which is not a named error")
    require(False, f"{what} raises no error")
