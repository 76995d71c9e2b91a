"""The strengths of some anomalies and levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from offnominal.core.errors import UnknownName, did_you_mean

Names = Iterable[str] | None
"""Names, or None for all."""


def choose_strengths(
    strengths: Mapping[tuple[str, str], float],
    anomalies: Names,
    levels: Names,
    *,
    where: str,
    known: Iterable[tuple[str, str]] | None = None,
) -> dict[tuple[str, str], float]:
    """Return the fault parameters of some anomalies and levels.

    Args:
        strengths: Fault parameters by (anomaly, level).
        anomalies: Ids of the anomalies.
        levels: Names of the levels.
        where: Name of the world or worlds, for the error.
        known: Pairs of anomaly and level that may be chosen, although these strengths lack them; none if None.

    Raises:
        UnknownName: An anomaly or a level is not known.

    Example:
        >>> known = {("action/noise", "tiny"): 0.1, ("action/noise", "strong"): 0.4}
        >>> choose_strengths(known, None, ["tiny"], where="SAP-Goal0-v0")
        {('action/noise', 'tiny'): 0.1}
    """
    pairs = list(strengths if known is None else known)
    ids = _chosen("anomaly", anomalies, {anomaly for anomaly, _ in pairs}, where)
    names = _chosen("level", levels, {level for _, level in pairs}, where)
    return {key: value for key, value in strengths.items() if key[0] in ids and key[1] in names}


def _chosen(kind: str, given: Names, known: set[str], where: str) -> set[str]:
    if given is None:
        return known
    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        if name not in known:
            raise UnknownName(
                f"no {kind} {name!r} has a known strength in {where}.{did_you_mean(name, known)} "
                f"Known: {', '.join(sorted(known)) or 'none'}."
            )
    return set(names)
