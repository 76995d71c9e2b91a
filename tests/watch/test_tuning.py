"""The choice of a monitor for a log: what its hours show, what they cannot show, and that the last block is unseen."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from offnominal.alarms import TooFewEpisodes
from offnominal.cli.program import program
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, InvalidState, OffnominalError
from offnominal.datasets import episodes_from, import_log
from offnominal.detectors import make_detector
from offnominal.watch import AllowedRate, Deployment, Fleet, MeasuredRate, tune
from offnominal.watch.tuning.alarm_count import count_false_alarms
from offnominal.watch.tuning.candidates import Candidate, Wanted, candidates_of
from offnominal.watch.tuning.injected_pieces import FAULTS, InjectedPieces
from offnominal.watch.tuning.result import NOT_SHOWN, REFUSED, SHOWN, Tried
from offnominal.watch.tuning.search import _chosen
from offnominal.watch.tuning.time_blocks import BLOCKS, FOLDS, LAST, TimeBlocks

pytestmark = pytest.mark.long

DAY = 24.0
FEW = {"detectors": ["Mahalanobis"], "alarms": ["EDetector"], "windows": [20]}


def values_of(steps, seed=0, drift=0.0):
    random = np.random.default_rng(seed)
    return random.normal(size=(steps + 1, 2)) + drift * np.linspace(0.0, 1.0, steps + 1)[:, None]


def episode_of(values):
    steps = len(values) - 1
    return Episode(values, np.zeros((steps, 0)), np.zeros(steps), np.zeros(steps, bool))


def log_of(hours, period, **changes):
    return [episode_of(values_of(round(hours * 3600 / period), **changes))]


def test_the_last_block_counts_exactly_the_false_alarms_that_are_in_it():
    period, hours = 30.0, 20 * DAY
    (log,) = log_of(hours, period)
    quiet = tune([log], "1/hour", period=period, detectors=["Mahalanobis"], alarms=["WindowMaximum"], windows=[60])
    spiked = log.observations.copy()
    places = np.linspace(0.76, 0.99, 7)
    spiked[(places * len(log)).astype(int)] = 50.0
    found = tune(
        [episode_of(spiked)],
        "1/hour",
        period=period,
        detectors=["Mahalanobis"],
        alarms=["WindowMaximum"],
        windows=[60],
    )
    assert found.final.alarms == quiet.final.alarms + len(places)
    assert [each.rate for each in found.tried] == [each.rate for each in quiet.tried]
    assert quiet.final.hours == pytest.approx(hours / 4, rel=0.05)


def test_a_log_long_enough_shows_the_rate_and_the_detector_that_sees_the_faults_is_chosen():
    random = np.random.default_rng(3)
    shared = random.normal(size=(46_001, 1))
    log = [episode_of(np.hstack([shared, shared]) + 0.02 * random.normal(size=(46_001, 2)))]
    found = tune(
        log,
        "1/day",
        period=30.0,
        detectors={"blind": make_detector("Random"), "sees": make_detector("Mahalanobis")},
        alarms=["EDetector"],
        windows=[20],
    )
    assert found.chosen.detector == "sees"
    assert found.verdict == SHOWN
    assert found.missing_hours == 0.0
    assert found.final.upper <= found.allowed.per_hour
    detected = {(each.candidate.detector, each.candidate.aim): each.detected for each in found.tried}
    assert detected["sees", 1.0] - detected["blind", 1.0] > 0.5


def test_a_log_that_is_too_short_says_how_many_hours_are_missing():
    found = tune(log_of(3 * DAY, 30.0), "1/day", period=30.0, **FEW)
    assert found.final.alarms == 0
    assert found.verdict == NOT_SHOWN
    # Without alarms, a rate r needs a last quarter of -log(0.05) / r hours.
    assert found.missing_hours == pytest.approx(-4 * np.log(0.05) * DAY - 3 * DAY, rel=1e-3)
    assert found.achievable * DAY == pytest.approx(-4 * np.log(0.05) / 3, rel=1e-6)
    assert "8.98 days of nominal log are missing" in str(found)


def test_a_log_that_drifts_is_refused_and_not_written(tmp_path):
    drifted = tune(log_of(15 * DAY, 60.0, drift=3.0), "1/day", period=60.0, **FEW)
    assert drifted.drifts
    assert drifted.verdict == REFUSED
    with pytest.raises(InvalidState, match="refused: the scores change with time"):
        drifted.write(tmp_path / "drifted")
    assert not (tmp_path / "drifted").exists()
    assert not tune(log_of(15 * DAY, 60.0), "1/day", period=60.0, **FEW).drifts


def test_a_rate_that_the_last_block_contradicts_is_refused():
    found = tune(log_of(3 * DAY, 30.0), "1/day", period=30.0, **FEW)
    assert replace(found, final=MeasuredRate(5, 18.0)).verdict == REFUSED
    undecided = replace(found, final=MeasuredRate(1, 18.0))
    assert undecided.verdict == NOT_SHOWN
    assert undecided.missing_hours == np.inf
    assert "too many alarms" in undecided.conclusion


def test_the_choice_follows_the_rule():
    allowed = AllowedRate(1.0, "day")

    def tried(name, alarms, detected, days=10.0):
        return Tried(Candidate(name, "EDetector", 50), MeasuredRate(alarms, days * DAY), detected)

    failed = Tried(Candidate("failed", "EDetector", 50), reason="too few")
    keeps = [failed, tried("simple", 1, 0.5), tried("best", 3, 0.8), tried("as good", 0, 0.8), tried("over", 9, 1.0)]
    assert _chosen(keeps, allowed).detector == "best"
    short = [tried("some", 1, 1.0, 1.0), tried("none", 0, 0.2, 1.0), tried("none, better", 0, 0.4, 1.0)]
    assert _chosen(short, allowed).detector == "none, better"
    assert _chosen([*short, tried("later", 0, 0.4, 1.0)], allowed).detector == "none, better"


@pytest.mark.slow
def test_the_bound_of_the_choice_covers_its_true_rate_in_nineteen_of_twenty_logs():
    covered, shown = [], []
    for seed in range(60):
        found = tune(
            log_of(4 * DAY, 30.0, seed=seed),
            "12/day",
            period=30.0,
            detectors=["Mahalanobis"],
            alarms=["WindowMaximum", "EDetector"],
            windows=[20],
        )
        fresh = log_of(40 * DAY, 30.0, seed=1000 + seed)
        rate = count_false_alarms(found.alarm.alarm(found.detector.score(fresh)), 30.0).rate
        covered.append(rate <= found.final.upper)
        if found.verdict == SHOWN:
            shown.append(rate <= found.allowed.per_hour)
    # 95 % of 60 logs, less three standard errors; a rate that is shown is kept as often.
    assert np.mean(covered) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60)
    assert len(shown) > 10
    assert np.mean(shown) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(shown))


def test_blocks_are_in_the_order_of_time_and_share_no_transition():
    blocks = TimeBlocks.of(log_of(10.0, 10.0))
    for training, calibration, later in (*FOLDS, LAST):
        assert training[0] < training[1] <= calibration[0] < calibration[1] <= later[0] < later[1]
    assert max(fold[2][1] for fold in FOLDS) <= LAST[2][0]
    values = np.concatenate([each.observations[:-1] for k in range(BLOCKS) for each in blocks.part((k, k + 1))])
    assert np.array_equal(values, blocks.episodes[0].observations[:-1])


def test_blocks_end_with_episodes_that_are_close():
    log = [episode_of(values_of(30)) for _ in range(60)]
    blocks = TimeBlocks.of(log)
    parts = [blocks.part((k, k + 1)) for k in range(BLOCKS)]
    assert sum(len(each) for part in parts for each in part) == 1800
    assert sum(map(len, parts)) <= 60 + BLOCKS - 1
    assert sum(len(each) == 30 for part in parts for each in part) >= 52


@pytest.mark.parametrize("rate", [0.3, 2.0])
def test_the_upper_bound_holds_as_often_as_stated(rate):
    counts = np.random.default_rng(0).poisson(rate * 4.0, size=4000)
    uppers = {k: MeasuredRate(int(k), 4.0) for k in np.unique(counts)}
    assert np.mean([uppers[k].upper >= rate for k in counts]) >= 0.945
    assert np.mean([uppers[k].lower <= rate for k in counts]) >= 0.945
    assert np.mean([0.2 * uppers[k].upper >= rate for k in counts]) < 0.9


def test_bounds_are_those_of_tables():
    # Exact one-sided Poisson limits at 95 %: 2.996, 4.744, 6.296 for 0, 1, 2 events.
    assert [MeasuredRate(k, 1.0).upper for k in range(3)] == pytest.approx([2.9957, 4.7439, 6.2958], abs=1e-4)
    assert MeasuredRate(2, 1.0).lower == pytest.approx(0.3554, abs=1e-4)
    shown = MeasuredRate(1, 10.0).hours_to_show(0.5)
    assert MeasuredRate(0, shown).upper < 0.5
    assert float(MeasuredRate(1, 10.0)._upper_after(shown)) == pytest.approx(0.5, rel=1e-4)


def test_an_alarm_counts_once_and_one_that_never_clears_has_a_high_rate():
    nothing, always = np.zeros(3600, bool), np.ones(3600, bool)
    assert count_false_alarms([nothing], 1.0) == MeasuredRate(0, 1.0)
    assert count_false_alarms([always], 1.0) == MeasuredRate(1, 0.0)
    assert count_false_alarms([always], 1.0).upper == np.inf
    # Hits that are closer than the delay of a second are one alarm; the third raise in a minute chatters, later ones
    # are not told until it is quiet for a minute.
    for step, alarms in (([10, 11], 1), ([10, 20], 2), ([10, 20, 30, 40, 50], 3), ([10, 20, 30, 40, 200], 4)):
        condition = nothing.copy()
        condition[step] = True
        assert count_false_alarms([condition], 1.0).alarms == alarms


def test_injected_pieces_are_alike_for_all_and_faults_are_detected_after_their_onset_only():
    (log,) = log_of(10.0, 10.0)
    pieces = InjectedPieces.of([log], [log])
    assert set(pieces.faults) == {anomaly for anomaly, _ in FAULTS}
    for episode, onset in zip(pieces.episodes, pieces.onsets, strict=True):
        assert episode.onset == onset
    early = [np.ones(len(each), bool) for each in pieces.episodes]
    late = [np.arange(len(each)) >= onset for each, onset in zip(pieces.episodes, pieces.onsets, strict=True)]
    assert pieces.detected(late).all()
    assert not pieces.detected(early).any()


def test_what_is_asked_for_makes_the_alarms():
    wanted = Wanted(steps=8640.0, period=10.0, episode=432.0, episodes=50)
    tried = candidates_of(["KNN"], ["EpisodeMaximum", "WindowMaximum"], [90])
    made: dict[tuple[str, float], Any] = {(each.alarm, each.aim): each.make(wanted) for each in tried}
    assert made["EpisodeMaximum", 1.0].alpha == pytest.approx(0.05)
    assert made["EpisodeMaximum", 0.25].alpha == pytest.approx(0.0125)
    assert made["WindowMaximum", 1.0].guarantee.per_hour == pytest.approx(1 / DAY)
    assert Candidate("KNN", "EDetector", 50).make(wanted).guarantee.run_length == 8640
    with pytest.raises(InvalidParameter, match="which is no limit"):
        Candidate("KNN", "WindowMaximum", 9000).make(wanted)
    with pytest.raises(InvalidParameter, match="the log has 3 episodes"):
        Candidate("KNN", "EpisodeMaximum", None).make(replace(wanted, episodes=3))


def test_what_was_not_tried_has_a_line_per_alarm():
    found = tune(
        log_of(3 * DAY, 30.0),
        "1/day",
        period=30.0,
        detectors=["Mahalanobis"],
        alarms=["EpisodeMaximum", "EDetector"],
        windows=[20, 1000],
    )
    first, second = found.not_tried
    assert first.startswith(
        "2 of 2 with EpisodeMaximum, such as Mahalanobis with EpisodeMaximum made for 0.25/day: the"
    )
    assert second.startswith("2 of 4 with EDetector, such as Mahalanobis with EDetector of 1,000 steps made for 0.25")


def test_a_log_of_many_episodes_can_have_an_alarm_per_episode():
    log = [episode_of(values_of(100, seed=seed)) for seed in range(240)]
    found = tune(log, "6/hour", period=1.0, detectors=["Mahalanobis"], alarms=["EpisodeMaximum"])
    assert [(each.candidate.aim, each.rate is not None) for each in found.tried] == [(0.25, True), (1.0, True)]
    assert found.alarm.guarantee.unit == "episode"


def test_what_cannot_be_tuned_is_a_named_error():
    log = log_of(3.0, 10.0)
    for call, message in (
        (lambda: tune(log, "1/day"), "the time of a step is not known"),
        (lambda: tune(log, "often", period=1.0), "expected such as 1/day"),
        (lambda: tune(log, "0/day", period=1.0), "number of allowed false alarms"),
        (lambda: tune(log_of(0.1, 10.0), "1/day", period=10.0), "give 1,000 or more"),
        (lambda: tune([], "1/day", period=10.0), "give 1,000 or more"),
        (lambda: tune(log, "1/day", period=10.0, alarms=["Maximum"]), "alarm to tune"),
        (lambda: tune(log, "1/day", period=10.0, detectors=[]), "nothing to try"),
        (lambda: tune([episode_of(np.zeros((2000, 2)))], "1/day", period=10.0, **FEW), "every channel is constant"),
        (lambda: tune([replace(log[0], active=np.ones(len(log[0]), bool))], "1/day", period=1.0), "active labels"),
    ):
        with pytest.raises(OffnominalError, match=message):
            call()
    with pytest.raises(TooFewEpisodes, match="no alarm can be fitted"):
        tune(log, "1/day", period=10.0, detectors=["Mahalanobis"], alarms=["EDetector"], windows=[1000])


def test_a_tail_model_is_an_assumption_by_name():
    found = tune(
        log_of(DAY, 10.0), "1/week", period=10.0, detectors=["Mahalanobis"], alarms=["ParetoTail"], windows=[10]
    )
    assert found.alarm.guarantee.kind == "none"
    assert "Pareto tail" in found.assumption
    assert "assumed, not guaranteed" in str(found)


def test_watch_raises_the_alarms_that_were_counted(tmp_path):
    pytest.importorskip("onnx")
    period, (log,) = 30.0, log_of(4 * DAY, 30.0)
    found = tune([log], "24/day", period=period, detectors=["KNN"], alarms=["WindowMaximum"], windows=[20])
    found.write(tmp_path / "pump", anyway=True)
    fleet = Fleet(Deployment.load(tmp_path / "pump"))
    (last,) = TimeBlocks.of([log]).part(LAST[2])
    told = []
    for t, values in enumerate(last.observations.tolist()):
        sample = {"robot": "p", "seq": t, "time": t * period, "observation": values, "action": []}
        told += [e.kind for e in fleet.take(sample, received=t * period) if e.alarm == "score"]
    assert found.final.alarms == told.count("raised") + told.count("chattering") > 0


def test_the_command_writes_a_folder_or_says_why_not(tmp_path, monkeypatch):
    pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    run, few = CliRunner().invoke, ["--time", "time", "--detector", "Mahalanobis", "--alarm", "EDetector"]
    for name, drift in (("pump", 0.0), ("worn", 3.0)):
        values = values_of(8000, drift=drift)
        table = np.column_stack([60.0 * np.arange(len(values)), values])
        np.savetxt(f"{name}.csv", table, fmt="%.5f", delimiter=",", header="time,flow,heat", comments="")
    good = run(program, ["tune", "pump.csv", "--false-alarms", "1/day", *few])
    assert good.exit_code == 0, good.output
    assert good.output.startswith("1/day is not shown: 6.43 days of nominal log are missing.")
    assert Deployment.load("pump-monitor").manifest.observations == ("flow", "heat")
    refused = run(program, ["tune", "worn.csv", "--false-alarms", "1/day", *few, "--json"])
    assert refused.exit_code == 1
    assert json.loads(refused.stdout)["verdict"] == REFUSED
    assert not (tmp_path / "worn-monitor").exists()
    written = run(program, ["tune", "worn.csv", "--false-alarms", "1/day", *few, "--anyway", "--out", "worn"])
    assert (written.exit_code, Deployment.load("worn").manifest.alarm) == (1, "EDetector")


def test_a_dataset_is_tuned_in_the_order_of_time(tmp_path):
    from offnominal.watch.tuning.nominal_log import nominal_log

    values = values_of(4000)
    table = {"time": 60.0 * np.arange(4001), "flow": values[:, 0], "heat": values[:, 1]}
    import_log(episodes_from(table, time="time", window=100), tmp_path / "pump", name="pump")
    episodes = nominal_log(tmp_path / "pump")
    begins = [float(each.extras["time"][0]) for each in episodes]
    assert begins == sorted(begins)
    assert len(begins) == 40
    assert tune(episodes, "1/hour", **FEW).period == 60.0
    with pytest.raises(InvalidParameter, match="which has these already"):
        nominal_log(tmp_path / "pump", time="time")
