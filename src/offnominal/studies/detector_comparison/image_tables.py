"""The table of the paper on images: ours; of print we know no number."""

from __future__ import annotations

import json
import math

from offnominal.evaluation.estimate import Estimate
from offnominal.studies.comparison import Comparison
from offnominal.studies.detector_comparison.classes import class_values
from offnominal.studies.detector_comparison.outcomes import Outcomes
from offnominal.studies.results import RunResults


def table_6(results: RunResults) -> list[Comparison]:
    """Give the test AUC of each method on each class left out, and the mean over classes.

    The printed numbers are not known to us, so there is nothing to compare with.
    """
    outcomes = Outcomes.of(results.table)
    notes = {place: _note(found.configurations) for place, found in outcomes.chosen("mean").items()}
    return [
        Comparison(
            {"images": images, "class": name, "method": method},
            Estimate(None if math.isnan(value) else value),
            None,
            note=notes[images, method],
        )
        for (images, name, method), value in class_values(outcomes).items()
    ]


def _note(configurations: tuple[str, ...]) -> str:
    """Say on how many training images the chosen machines were fitted."""
    chosen = json.loads(configurations[0]) if configurations else {}
    return f"{chosen['machines']} machines of {chosen['rows']:,} images each" if "machines" in chosen else ""
