"""Files with the weights of shipped policies: in the package, in a checkout, in the data home, or downloaded."""

from __future__ import annotations

import os
from importlib.resources import as_file, files
from pathlib import Path

from offnominal.agents.files import PolicyCard, TrainedPolicy, load_weights, read_card
from offnominal.core.directories import DATA_VARIABLE, data_home
from offnominal.core.download import fetch_file
from offnominal.core.errors import MissingFile

URL_VARIABLE = "OFFNOMINAL_WEIGHTS_URL"
DEFAULT_URL = "https://github.com/offnominal/offnominal/raw/main/weights"
CHECKOUT = Path(__file__).parents[3] / "weights"
"""The folder ``weights`` of a checkout, if the package is imported from one."""


def shipped_names() -> list[str]:
    """Return the names of all shipped policies, as ``"<world>--<algorithm>"``."""
    entries = (files("offnominal.agents") / "trained").iterdir()
    return sorted(Path(entry.name).stem for entry in entries if entry.name.endswith(".json"))


def shipped_card(name: str) -> PolicyCard:
    """Return the card of a shipped policy."""
    with as_file(files("offnominal.agents") / "trained" / f"{name}.json") as path:
        return read_card(path)


def shipped_policy(name: str) -> TrainedPolicy:
    """Return a shipped policy.

    Small weights are part of the package. Large ones are in the folder ``weights`` of a checkout, or in the folder
    ``weights`` of the :func:`~offnominal.core.directories.data_home`. If neither has the file, it is downloaded once
    from ``$OFFNOMINAL_WEIGHTS_URL`` into the latter. The hash in the card is checked in every case.

    Args:
        name: One of :func:`shipped_names`.

    Raises:
        MissingFile: The weights are not on this machine and cannot be downloaded.
        DamagedFile: The file does not have the hash of the card.
    """
    card, file = shipped_card(name), f"{name}.safetensors"
    packaged = files("offnominal.agents") / "trained" / file
    if packaged.is_file():
        with as_file(packaged) as path:
            return load_weights(path, card)
    checkout = CHECKOUT / file
    return load_weights(checkout if checkout.is_file() else _fetched(file, card.sha256), card)


def _fetched(file: str, sha256: str) -> Path:
    """Return the path of a file in the data home; download it first if it is missing."""
    url = f"{(os.environ.get(URL_VARIABLE) or DEFAULT_URL).rstrip('/')}/{file}"
    try:
        return fetch_file(url, data_home() / "weights", sha256=sha256)
    except MissingFile as error:
        raise MissingFile(
            f"the weights {file} are not part of the installed package. {error} The file is in the folder weights of "
            f"the repository; ${URL_VARIABLE} sets another download location, ${DATA_VARIABLE} another data home."
        ) from None
