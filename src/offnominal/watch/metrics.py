"""Metrics of a service in the text format of Prometheus."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from offnominal._version import __version__
from offnominal.watch.service import Service

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MOST_LABELS = 100
"""Robots with metrics of their own; more would be a burden for the server that collects them."""
Sample = tuple[Mapping[str, str], float]


def metrics_text(service: Service, now: float) -> str:
    """Return the metrics of a service; to be called in its thread.

    Args:
        service: The service.
        now: Time of the wall clock.
    """
    return "".join(_lines(service, now))


def _lines(service: Service, now: float) -> Iterator[str]:
    fleet = service.fleet
    counts = fleet.counts
    manifest = fleet.deployment.manifest
    yield from _metric(
        "model_info",
        "gauge",
        "The deployable folder in use.",
        [
            (
                {
                    "digest": fleet.scorer.digest,
                    "detector": manifest.detector,
                    "alarm": manifest.alarm,
                    "version": __version__,
                },
                1.0,
            )
        ],
    )
    yield from _metric("samples_total", "counter", "Samples that were used.", [({}, counts["samples"])])
    yield from _metric("scored_total", "counter", "Transitions that got a score.", [({}, counts["scored"])])
    unused = {"refused": "refused", "duplicate": "duplicate", "late": "late"}
    dropped = [({"reason": reason}, float(counts[name])) for reason, name in unused.items()]
    dropped.append(({"reason": "overflow"}, float(service.inbox.dropped)))
    yield from _metric("samples_dropped_total", "counter", "Samples that were not used.", dropped)
    yield from _metric("samples_lost_total", "counter", "Samples that never came, by number.", [({}, counts["lost"])])
    yield from _metric(
        "confirmed_total", "counter", "Units of adaptive alarms that were confirmed.", [({}, counts["confirmed"])]
    )
    raised = [({"alarm": kind, "priority": priority}, float(n)) for (kind, priority), n in sorted(fleet.alarms.items())]
    yield from _metric("alarms_total", "counter", "Alarms that were raised.", raised)
    states = dict.fromkeys(("active", "acknowledged", "cleared"), 0)
    shelved = chattering = 0
    for robot in fleet.robots.values():
        for line in robot.lines.values():
            shelved += line.shelved_until is not None
            chattering += line.chattering
            if line.state in states:
                states[line.state] += 1
    now_in = [({"state": state}, float(n)) for state, n in states.items()]
    now_in += [({"state": "shelved"}, float(shelved)), ({"state": "chattering"}, float(chattering))]
    yield from _metric("alarms", "gauge", "Alarms by state.", now_in)
    yield from _metric("alarms_in_window", "gauge", "Alarms in the window of floods.", [({}, len(fleet.flood))])
    yield from _metric("flood", "gauge", "Whether there is a flood of alarms.", [({}, fleet.flood.active)])
    yield from _metric("threshold", "gauge", "Threshold of the statistic.", [({}, fleet.scorer.threshold)])
    yield from _metric("robots", "gauge", "Robots that are known.", [({}, len(fleet.robots))])
    robots = [robot for robot in fleet.robots.values() if not robot.ended][:MOST_LABELS]
    scores = [({"robot": each.name}, each.score) for each in robots if each.score is not None]
    yield from _metric("score", "gauge", "Last anomaly score.", scores)
    seen = [({"robot": each.name}, each.received) for each in robots]
    yield from _metric("last_sample_timestamp_seconds", "gauge", "Arrival of the last sample.", seen)
    yield from _metric("inbox_samples", "gauge", "Samples that wait.", [({}, len(service.inbox))])
    yield from _metric("outbox_events", "gauge", "Events that no receiver has confirmed.", [({}, len(service.outbox))])
    if service.checkpointed is not None:
        yield from _metric(
            "checkpoint_timestamp_seconds", "gauge", "Time of the last checkpoint.", [({}, service.checkpointed)]
        )
    yield from _metric("start_timestamp_seconds", "gauge", "Start of the process.", [({}, service.started)])
    yield from _histogram(service)


def _metric(name: str, kind: str, meaning: str, samples: Iterable[tuple[Mapping[str, str], float]]) -> Iterator[str]:
    full = f"offnominal_{name}"
    yield f"# HELP {full} {meaning}\n# TYPE {full} {kind}\n"
    for labels, value in samples:
        yield f"{full}{_labels(labels)} {_number(value)}\n"


def _histogram(service: Service) -> Iterator[str]:
    name = "offnominal_step_duration_seconds"
    yield f"# HELP {name} Time to process one sample.\n# TYPE {name} histogram\n"
    for bound, count in service.steps.cumulative():
        yield f"{name}_bucket{_labels({'le': _number(bound)})} {count}\n"
    yield f"{name}_sum {_number(service.steps.total)}\n{name}_count {service.steps.count}\n"


def _labels(labels: Mapping[str, str]) -> str:
    """Return labels as text."""
    if not labels:
        return ""
    escaped = {
        name: value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n") for name, value in labels.items()
    }
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped.items()) + "}"


def _number(value: float) -> str:
    """Return a number as text.

    Example:
        >>> _number(3), _number(0.25), _number(float("inf")), _number(True)
        ('3', '0.25', '+Inf', '1')
    """
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if math.isnan(value):
        return "NaN"
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
