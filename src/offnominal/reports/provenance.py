"""Provenance of a report: versions, commits and dates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offnominal._version import __version__
from offnominal.core.errors import MissingProvenance
from offnominal.studies.run_manifest import commit

PRIVATE = ("store",)
"""Entries of a manifest that say something about the machine alone; no page shows them."""
UNKNOWN_VERSION, UNKNOWN_COMMIT, UNKNOWN_DATE = "of unknown version", "unknown commit", "an unknown date"


def complete(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of a run in which version and commit are either known or said to be unknown.

    Example:
        >>> complete({"commit": "", "versions": {"python": "3.12.3", "offnominal": "none"}})
        {'commit': 'unknown commit', 'versions': {'python': '3.12.3', 'offnominal': 'of unknown version'}}
    """
    found = dict(manifest) | {"commit": manifest.get("commit") or UNKNOWN_COMMIT}
    if isinstance(versions := manifest.get("versions"), Mapping):
        known = versions.get("offnominal", "none")
        found["versions"] = {**versions, "offnominal": UNKNOWN_VERSION if known == "none" else known}
    return found


def check_provenance(manifest: Mapping[str, Any]) -> None:
    """Raise an error unless the manifest has the version and the commit of the results.

    Raises:
        MissingProvenance: One of them is unknown.

    Example:
        >>> check_provenance({"commit": "", "versions": {"offnominal": "0.2.0"}})
        Traceback (most recent call last):
            ...
        offnominal.core.errors.MissingProvenance: the manifest of the run does not name its commit; ...
    """
    known = complete(manifest)
    unknown = [
        name
        for name, found in (
            ("version", known.get("versions", {}).get("offnominal", UNKNOWN_VERSION) != UNKNOWN_VERSION),
            ("commit", known["commit"] != UNKNOWN_COMMIT),
        )
        if not found
    ]
    if unknown:
        raise MissingProvenance(
            f"the manifest of the run does not name its {' and its '.join(unknown)}; run the study again from a "
            "checkout of the repository, or write the report without publishing it."
        )


def provenance(manifest: Mapping[str, Any]) -> str:
    """Return two sentences: versions and dates of the results, and of the report.

    Example:
        >>> versions = {"python": "3.12.3", "offnominal": "0.2.0"}
        >>> manifest = {"commit": "1c2fe5b", "versions": versions, "finished": "2026-11-15T14:23:53+00:00"}
        >>> provenance(manifest).partition(" This")[0]
        'Results by Offnominal 0.2.0 (commit 1c2fe5b, Python 3.12.3), 2026-11-15.'
    """
    known = complete(manifest)
    versions = known.get("versions", {})
    date = manifest.get("finished") or manifest.get("started")
    computed = _sentence(
        str(versions.get("offnominal", UNKNOWN_VERSION)),
        str(known["commit"]),
        f", Python {versions['python']}" if versions.get("python") else "",
    )
    day = str(date).partition("T")[0] if date else UNKNOWN_DATE
    return f"Results by Offnominal {computed}, {day}. This report by Offnominal {_sentence(__version__, commit())}."


def short_provenance(manifest: Mapping[str, Any]) -> str:
    """Return version, commit and date of the results, for the head of a page.

    Example:
        >>> manifest = {
        ...     "commit": "1c2fe5b11d2a",
        ...     "versions": {"offnominal": "0.2.0"},
        ...     "finished": "2026-11-15T14:23:53",
        ... }
        >>> short_provenance(manifest)
        'Computed with Offnominal 0.2.0, commit 1c2fe5b11d, on 2026-11-15.'
    """
    known = complete(manifest)
    version = known.get("versions", {}).get("offnominal", UNKNOWN_VERSION)
    commit = known["commit"]
    short = commit if commit == UNKNOWN_COMMIT else f"commit {commit[:10]}{'+' if commit.endswith('+') else ''}"
    date = manifest.get("finished") or manifest.get("started")
    day = str(date).partition("T")[0] if date else UNKNOWN_DATE
    return f"Computed with Offnominal {version}, {short}, on {day}."


def _sentence(version: str, commit: str, more: str = "") -> str:
    source = UNKNOWN_COMMIT if commit in ("", UNKNOWN_COMMIT) else f"commit {commit}"
    return f"{version} ({source}{more})"
