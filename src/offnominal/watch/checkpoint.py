"""Checkpoints: the state of a service in one file, written atomically."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from offnominal.core.checksum import NoChecksum, read_checked_text, write_checked_text
from offnominal.core.errors import DamagedFile, UnsupportedFormat
from offnominal.core.files import parse_json
from offnominal.core.printable import shown

FORMAT = 2
READABLE = (1, FORMAT)
"""Format 1 has no alarms and scores of recalibrations."""
ENTRIES = {"format", "fleet", "outbox"}


def write_checkpoint(path: Path, fleet: Mapping[str, Any], outbox: list[dict[str, Any]]) -> None:
    """Write the state of a fleet, and the events that no receiver has confirmed.

    Args:
        path: File to write; it is replaced as a whole, or stays as it is.
        fleet: Result of :meth:`~offnominal.watch.fleet.Fleet.to_dict`.
        outbox: The events.
    """
    data = {"format": FORMAT, "fleet": fleet, "outbox": outbox}
    write_checked_text(path, json.dumps(data, separators=(",", ":")) + "\n")


def read_checkpoint(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the state of the fleet and the events of a checkpoint.

    Raises:
        DamagedFile: It is no checkpoint, or was changed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoChecksum)
        try:
            data = read_checked_text(path, lambda text: parse_json(text, path))
        except NoChecksum:
            raise DamagedFile(f"{path} is no checkpoint: it has no checksum.") from None
    if not isinstance(data, dict) or data.keys() != ENTRIES:
        raise DamagedFile(f"{path} is no checkpoint; expected the entries {', '.join(sorted(ENTRIES))}.")
    if data["format"] not in READABLE:
        raise UnsupportedFormat(f"{path} has format {shown(data['format'])}; this version reads 1 and {FORMAT}.")
    if not isinstance(data["fleet"], dict) or not isinstance(data["outbox"], list):
        raise DamagedFile(f"{path} is no checkpoint: its entries are of other types.")
    return data["fleet"], data["outbox"]
