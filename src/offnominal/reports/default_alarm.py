"""The alarm whose delays are shown first, on every surface."""

from __future__ import annotations

from typing import Any

from offnominal.studies.guarantees import guarantees


def default_alarm(table: Any) -> str | None:
    """Return the alarm of a run that terminal, page and server show first: the first one with a guarantee.

    Args:
        table: Results of a run.

    Returns:
        The first alarm if none has a guarantee; None if the run has no alarm.

    Example:
        >>> import pyarrow as pa
        >>> default_alarm(pa.Table.from_pylist([{"alarm": name} for name in (None, "3 sigma", "CUSUM")]))
        '3 sigma'
    """
    if "alarm" not in table.column_names:
        return None
    names = [name for name in table["alarm"].unique().to_pylist() if name is not None]
    guaranteed = {alarm for (alarm, _, _), check in guarantees(table).items() if check.level is not None}
    return next((name for name in names if name in guaranteed), next(iter(names), None))
