"""The anomalies we ship, by name."""

from __future__ import annotations

from collections.abc import Iterable

from offnominal.anomalies.anomaly import Anomaly, DynamicsAnomaly
from offnominal.core.registry import Registry, Spec

anomalies: Registry[Anomaly] = Registry("anomaly")

_SIGNALS = "offnominal.anomalies.signals"
_GENERIC = (
    ("noise", "Noise", "white noise of standard deviation s"),
    ("scaling", "Scaling", "multiplied by b"),
    ("offset", "Offset", "b added"),
    ("drift", "Drift", "b added per step since onset"),
    ("temporal_noise", "TemporalNoise", "autocorrelated noise of standard deviation s"),
)
for _kind, _class, _summary in _GENERIC:
    for _on in ("observation", "action"):
        anomalies.register(Spec(f"{_on}/{_kind}", f"{_SIGNALS}:{_class}", _summary, {"on": _on}))
anomalies.register(Spec("observation/quantisation", f"{_SIGNALS}:Quantisation", "rounded down to multiples of b"))
anomalies.register(Spec("action/delay", f"{_SIGNALS}:Delay", "executed d steps late"))

for _knob, _summary in (
    ("mass", "mass multiplied by b, inertia with it"),
    ("force", "constant external force of b newton"),
    ("friction", "dry friction raised (factor on contact friction in models found in other packages)"),
    ("moving_objects", "objects shaken by random forces up to b newton"),
    ("damping", "damping changed"),
    ("gravity", "gravity multiplied by b"),
    ("gain", "actuator gain multiplied by b"),
):
    anomalies.register(
        Spec(f"dynamics/{_knob}", "offnominal.anomalies.anomaly:DynamicsAnomaly", _summary, {"knob": _knob})
    )


def anomalies_with(knobs: Iterable[str]) -> list[str]:
    """Return the ids of what can go wrong in a world with these knobs: the faults of signals and one per knob.

    Example:
        >>> anomalies_with(["mass"])[-2:]
        ['observation/temporal_noise', 'dynamics/mass']
    """
    listed = [spec.id for spec in anomalies if not spec.id.startswith("dynamics/")]
    return listed + [f"dynamics/{name}" for name in knobs]


def make_anomaly(anomaly: str | Anomaly) -> Anomaly:
    """Return an anomaly by id; ``dynamics/<knob>`` exists for every knob a world declares."""
    if isinstance(anomaly, Anomaly):
        return anomaly
    if isinstance(anomaly, str) and anomaly.startswith("dynamics/") and anomaly not in anomalies:
        return DynamicsAnomaly(knob=anomaly.removeprefix("dynamics/"))
    return anomalies.make(anomaly)
