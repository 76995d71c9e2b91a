"""The controls of the experiments of a paper."""

from __future__ import annotations

from offnominal.papers.catalogue import paper
from offnominal.papers.causes import REPETITIONS, Control, control


def controls(id: str, *, repetitions: int = REPETITIONS) -> list[Control]:
    """Return what each experiment of a paper explains, of the true published values and of exchanged ones.

    Args:
        id: Short name of the paper.
        repetitions: Number of exchanges.

    Example:
        >>> controls("ood-rl")
        []
    """
    published = paper(id).load_published()
    experiments, lines = published.experiments(), published.experiment_lines()
    exchanged = "" if published.protocol is None else published.protocol.exchanged
    names = dict.fromkeys(each.cause for each in experiments)
    return [control(name, experiments, lines, exchanged, repetitions=repetitions) for name in names]
