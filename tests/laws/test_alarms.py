"""Every registered alarm obeys the laws; broken alarms fail them."""

from dataclasses import dataclass

import numpy as np
import pytest

from offnominal.alarms import EpisodeCusum, EpisodeMaximum, Guarantee, alarms
from offnominal.alarms.guarantee import EXCHANGEABLE
from offnominal.alarms.guarantee_audit import audit_rates
from offnominal.core.errors import LawBroken
from offnominal.core.registry import Spec
from offnominal.laws import alarm as laws
from offnominal.laws import check_alarm

pytestmark = pytest.mark.long

GUARANTEE = "its guarantee holds"
CHANGED = "a changed argument is refused"
COVERED = "its code version covers its code"


@pytest.mark.parametrize("id", alarms.ids())
def test_every_alarm_obeys_the_laws(id):
    report = check_alarm(id)
    report.raise_if_broken()
    promises = alarms.make(id).guarantee.kind != "none"
    assert [finding.law for finding in report if not finding.holds] == ([] if promises else [GUARANTEE])


class _Silent(EpisodeMaximum):
    """Has no guarantee, so that its check takes no time."""

    @property
    def guarantee(self):
        return Guarantee("none", None, "episode", "nothing")


class Impatient(EpisodeMaximum):
    """Takes a rank too low by two."""

    def _rank(self, n):
        return super()._rank(n) - 2


class Hasty(EpisodeMaximum):
    """Takes a rank too low by one: a rate of 0.0625 instead of 0.05 with 79 episodes."""

    def _rank(self, n):
        return super()._rank(n) - 1


class Overconfident(EpisodeMaximum):
    """Claims a PAC guarantee that holds only on average."""

    @property
    def guarantee(self):
        return Guarantee("pac", self.alpha, "episode", EXCHANGEABLE, 0.95)


class Pooled(EpisodeMaximum):
    """Claims a guarantee per episode with a threshold on single steps."""

    def fit_threshold(self, episodes):
        super().fit_threshold(episodes)
        self.threshold_ = float(np.quantile(np.concatenate(episodes), 1.0 - self.alpha))


class StepGuarantee(EpisodeMaximum):
    """Claims a rate per step that it exceeds."""

    @property
    def guarantee(self):
        return Guarantee("marginal", 0.001, "step", EXCHANGEABLE)


class Clairvoyant(_Silent):
    """Uses the whole episode at every step."""

    def alarm(self, scores):
        return [np.full(len(values), values.max() > self.threshold_) for values in self.statistic(scores)]


class Sociable(_Silent):
    """Subtracts the mean of all episodes of the call."""

    def update_statistic(self, state, scores):
        return state.after(), scores - scores.mean() + 1.0


class Adaptive(_Silent):
    """Changes its threshold while it is used."""

    def update(self, state, scores):
        self.threshold_ *= 1.01
        return super().update(state, scores)


class Scribbling(EpisodeCusum):
    """Writes into the given state."""

    guarantee = _Silent.guarantee

    def update_statistic(self, state, scores):
        after, total = super().update_statistic(state, scores)
        state.memory[:] = total
        return after, total


class Reusing(_Silent):
    """Changes the given state and returns it."""

    def update_statistic(self, state, scores):
        np.add(state.steps, 1, out=state.steps)
        return state, scores


class Scaling(_Silent):
    """Writes into the given scores."""

    def alarm(self, scores):
        for episode in scores:
            if isinstance(episode, np.ndarray):
                np.multiply(episode, 1.0000001, out=episode)
        return super().alarm(scores)


class Latching(_Silent):
    """Stays raised, but only in a batch."""

    def alarm(self, scores):
        return [np.maximum.accumulate(raised) for raised in super().alarm(scores)]


class Lax(_Silent):
    """Accepts NaN as nominal."""

    def alarm(self, scores):
        return super().alarm([np.nan_to_num(episode) for episode in scores])


class Crude(_Silent):
    """Raises a built-in error."""

    def update(self, state, scores):
        if np.isnan(scores).any():
            raise ValueError("nan")
        return super().update(state, scores)


class Secretive(_Silent):
    """Does not store all fitted values."""

    def fit_threshold(self, episodes):
        super().fit_threshold(episodes)
        self.secret = self.threshold_

    def update_statistic(self, state, scores):
        return state.after(), scores - 0.1 * getattr(self, "secret", 0.0)


@dataclass(eq=False)
class Boasting(EpisodeMaximum):
    """States its guarantee for the level that it has now, not for that of the fit."""

    @property
    def guarantee(self):
        return Guarantee("marginal", self.alpha, "episode", EXCHANGEABLE)


@dataclass(eq=False)
class Adjustable(_Silent):
    """Is used with another argument than that of the fit."""

    shift: float = 0.1

    def update_statistic(self, state, scores):
        return state.after(), scores - self.shift

    def require_unchanged(self):
        pass


@dataclass(eq=False)
class Archived(_Silent):
    """Is saved with another argument than that of the fit."""

    def to_dict(self):
        self.keep_arguments()
        return super().to_dict()


@pytest.fixture
def register(monkeypatch):
    """Register a class as `Broken` during a test."""
    alarms.ids()

    def add(kind):
        kind.id = "Broken"
        monkeypatch.setattr(alarms, "_specs", {**alarms._specs, "Broken": Spec("Broken", "tests:Broken")})
        monkeypatch.setattr(Spec, "load", lambda self: kind)
        return kind()

    return add


@pytest.mark.parametrize(
    ("broken", "law", "problem"),
    [
        (Impatient, GUARANTEE, "level 0.05"),
        (Hasty, GUARANTEE, "level 0.05"),
        (Pooled, GUARANTEE, "of episodes, level 0.05"),
        (Overconfident, GUARANTEE, "of 100 calibrations, level 0.05"),
        (StepGuarantee, GUARANTEE, "of steps, level 0.001"),
        (Clairvoyant, "later scores do not change earlier alarms", "change alarms before"),
        (Sociable, "episodes are independent", "depend on the other episodes"),
        (Adaptive, "using it changes nothing", "using it changed its fitted values"),
        (Scribbling, "using it changes nothing", "a repeated update gives another result at step 0"),
        (Reusing, "using it changes nothing", "a repeated update gives another result at step 0"),
        (Scaling, "using it changes nothing", "given scores were changed"),
        (Latching, "online equals batch", "differ between update and alarm"),
        (Secretive, "a saved alarm is loaded unchanged", "raises other alarms"),
        (Crude, "invalid input is a named error", "gives ValueError, which is not a named error"),
        (Lax, "invalid input is a named error", "alarm for NaN raises no error"),
        (Boasting, CHANGED, "it states another guarantee after alpha was set to 0.1 after the fit"),
        (Adjustable, CHANGED, "alarm is not refused after alpha was set to 0.1 after the fit"),
        (Archived, CHANGED, "to_dict is not refused after alpha was set to 0.1 after the fit"),
    ],
)
def test_a_broken_alarm_fails_its_law(broken, law, problem, register):
    report = check_alarm(register(broken))
    assert problem in {finding.law: finding.problem for finding in report}[law]
    with pytest.raises(LawBroken, match=f"Broken breaks .*{law}"):
        report.raise_if_broken()


@pytest.mark.parametrize(
    ("errors", "outcome"), [(-8.0, "kept"), (0.0, "kept"), (2.2, "undecided"), (3.0, "broken"), (8.0, "broken")]
)
def test_a_guarantee_is_judged_by_the_rule_of_audits(errors, outcome, monkeypatch):
    """Rates above the level by some standard errors; 2.2 of them are no proof, and the law says what would be one."""
    noise = np.random.default_rng(0).normal(0.0, 0.03, laws.CALIBRATIONS)
    rates = 0.05 + noise - noise.mean() + errors * noise.std(ddof=1) / np.sqrt(laws.CALIBRATIONS)
    monkeypatch.setattr(laws._Case, "_rates", lambda *ignored: rates)
    alarm = EpisodeMaximum(alpha=0.05)
    assert audit_rates(alarm.guarantee, rates, calibration=79, episodes=200).outcome == outcome
    (found,) = [finding for finding in check_alarm(alarm) if finding.law == GUARANTEE]
    assert (found.holds, bool(found.problem)) == (outcome == "kept", outcome == "broken")
    assert found.skipped.startswith("undecided: more calibrations would decide; " if outcome == "undecided" else "")


def test_an_undecided_guarantee_asks_for_more_than_it_had():
    rates = [0.05 + 0.05 * (-1) ** number for number in range(20)]
    alarm, strict = EpisodeMaximum(alpha=0.05), EpisodeMaximum(confidence=0.95)
    audit = audit_rates(alarm.guarantee, rates, calibration=79, episodes=200)
    calibrations, episodes = audit.deciding
    assert calibrations > 20
    assert episodes > 200
    for above, count, wanted in ((0, 20, 72), (0, 72, None), (1, 100, 180), (5, 100, None)):
        measured = [0.03] * (count - above) + [0.09] * above
        found = audit_rates(strict.guarantee, measured, calibration=79, episodes=600)
        assert found.deciding == (None if wanted is None else (wanted, 600))


def test_an_alarm_of_a_user_is_checked_and_not_fitted():
    class Mine(EpisodeMaximum):
        pass

    alarm = Mine(alpha=0.1)
    report = check_alarm(alarm)
    report.raise_if_broken()
    unnamed = ["a saved alarm is loaded unchanged", COVERED]
    assert [finding.law for finding in report if finding.skipped] == unnamed
    assert not alarm.fitted


def test_a_promise_per_step_is_counted_per_step():
    class Rare(EpisodeMaximum):
        guarantee = Guarantee("marginal", 0.03, "step", EXCHANGEABLE)

    check_alarm(Rare(alpha=0.05)).raise_if_broken()


def test_a_strict_alarm_needs_more_episodes():
    strict = EpisodeMaximum(alpha=0.01)
    assert all("too few" in finding.problem for finding in check_alarm(strict))
    check_alarm(strict, calibration=99).raise_if_broken()
