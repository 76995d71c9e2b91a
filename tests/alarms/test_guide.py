"""The table of the guide equals its simulation."""

import re
from pathlib import Path

import numpy as np
import pytest

from offnominal.alarms import alarms, make_alarm, simulate_scores

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "alarms.md"
CALIBRATIONS, EPISODES, STEPS, ONSET = 200, 100, 200, 100
ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)


def row(id):
    """Return an alarm's row: its false-alarm rate over calibrations, and how a doubling of the scores is noticed."""
    rates, noticed, delays = [], [], []
    for number in range(CALIBRATIONS):
        scores = simulate_scores(2 * EPISODES, steps=STEPS, seed=number)
        alarm = make_alarm(id).fit(scores[:EPISODES])
        rates.append(np.mean([first is not None for first in alarm.first_alarms(scores[EPISODES:])]))
        faulty = [np.where(np.arange(STEPS) < ONSET, episode, 2.0 * episode) for episode in scores[EPISODES:]]
        found = [first for first in alarm.first_alarms(faulty) if first is None or first >= ONSET]
        noticed.append(np.mean([first is not None for first in found]) if found else np.nan)
        delays += [np.inf if first is None else first - ONSET for first in found]
    low, high = np.quantile(rates, [0.05, 0.95])
    # A miss is longer than every delay, so the median is that of all episodes and not of the detected ones.
    delay = np.median(delays)
    median = f"{delay:.0f}" if np.isfinite(delay) else "> 50 % missed"
    return f"{np.mean(rates):.3f} | {low:.2f} to {high:.2f} | {np.nanmean(noticed):.2f} | {median}"


@pytest.mark.slow
@pytest.mark.parametrize("id", alarms.ids())
def test_the_table_equals_the_simulation(id):
    printed = dict(ROW.findall(PAGE.read_text(encoding="utf-8")))
    assert printed[id].endswith(row(id))
