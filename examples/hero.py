"""Write the clip of the landing page: `python examples/hero.py [folder]`.

A running cheetah whose motor fails, beside its nominal twin, and the scores of three detectors. Each score is scaled so
that 0 is the nominal median and 1 the threshold of its alarm. Writes `hero.webp` and one of its frames, `hero.png`,
which holds the sentence about the first alarm as text, too.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.core.plot_style import FAULTY, INK, REFERENCE, RULE, SERIES, STYLE, pyplot
from offnominal.detectors import make_detector
from offnominal.evaluation.timing import measure_timing
from offnominal.reports.direct_labels import label_ends

WORLD, SEED = "MJC-HalfCheetah-v0", 5
ONSET, FIRST, LAST, STILL = 60, 30, 105, 81
HIGH = 5.0
"""Of the axis; higher scores are cut off."""
FAULT = off.Fault("action/scaling", 0.0, schedule=ONSET, channels=[0])
TITLE = "faulty: the motor of the back thigh fails"
SETTINGS = {"PE-DM": {"n_epochs": 20}}
"""Parameters other than the defaults: the fault is so strong that a short training suffices."""
DETECTORS = {"PE-DM": SERIES[0], "KNN": SERIES[4], "Mahalanobis": SERIES[6]}
WIDTH, GAP, HEAD, PICTURE, CHART = 900, 12, 34, 290, 290
MILLISECONDS, HOLD = 90, 1500
LARGEST = 1_500_000


@dataclass
class Recording:
    """An episode and its pictures."""

    pictures: list[Image.Image] = field(default_factory=list)
    episode: Any = None


def record(fault: off.Fault | None) -> Recording:
    """Run the expert and keep a picture of every step that is shown."""
    env: Any = off.make(WORLD, faults=fault)
    policy: Any = off.expert(WORLD)
    state = policy.start(np.array([SEED]), np.zeros(1, np.int64))
    observation, _ = env.reset(seed=SEED)
    observations, actions, rewards, found = [observation], [], [], Recording()
    for step in range(LAST + 1):
        if step >= FIRST:
            found.pictures.append(cropped(env.unwrapped.world.frames(size=2 * picture_width())[0]))
        action, state = policy.act(observation[None], state)
        observation, reward, *_ = env.step(action[0])
        observations.append(observation)
        actions.append(action[0])
        rewards.append(reward)
    env.close()
    active = np.arange(len(actions)) >= (ONSET if fault else len(actions))
    found.episode = off.Episode(np.array(observations), np.array(actions), np.array(rewards, float), active)
    return found


def picture_width() -> int:
    """Return the width of one of the two pictures."""
    return (WIDTH - GAP) // 2


def cropped(frame: np.ndarray) -> Image.Image:
    """Return the middle of a square picture, at half its size."""
    side = picture_width()
    small = Image.fromarray(frame).resize((side, side), Image.Resampling.LANCZOS)
    top = (side - PICTURE) * 2 // 3
    return small.crop((0, top, side, top + PICTURE))


def relative_scores(episode: Any) -> dict[str, np.ndarray]:
    """Return the scores of an episode by detector; 0 is the nominal median, 1 the threshold of its alarm."""
    policy = off.expert(WORLD)
    train, calibration = off.collect(WORLD, policy, 30), off.collect(WORLD, policy, 60, seed=1000)
    found = {}
    for name in DETECTORS:
        detector = make_detector(name, **SETTINGS.get(name, {})).fit(train)
        nominal = detector.score(calibration)
        alarm, middle = EpisodeMaximum(alpha=0.05).fit(nominal), np.median(np.concatenate(nominal))
        found[name] = (detector.score([episode])[0] - middle) / (alarm.threshold_ - middle)
    return found


def chart(plt: Any, scores: dict[str, np.ndarray], step: int) -> Image.Image:
    """Draw the scores up to a step."""
    figure = plt.figure(figsize=(WIDTH / 100, CHART / 100), dpi=100)
    axes = figure.add_axes((0.085, 0.17, 0.775, 0.72))
    axes.set(xlim=(FIRST, LAST), ylim=(-0.6, HIGH))
    axes.axhline(1.0, color=INK, lw=1.1, ls=(0, (4, 3)))
    axes.text(FIRST + 0.5, 1.05, "alarm threshold", fontsize=9.5, va="bottom")
    if step >= ONSET:
        axes.axvspan(ONSET, step, color=FAULTY, alpha=0.12, lw=0)
        axes.axvline(ONSET, color=FAULTY, lw=1.4)
        axes.text(ONSET - 0.7, 0.92 * HIGH, "fault begins", color=FAULTY, fontsize=11, ha="right", va="center")
    for name, shade in DETECTORS.items():
        values = scores[name][FIRST : step + 1]
        axes.plot(np.arange(FIRST, step + 1), values, color=shade, lw=2.0)
    alarms(axes, scores, step)
    ends = {name: min(float(scores[name][step]), HIGH) for name in DETECTORS}
    label_ends(axes, ends, DETECTORS, x=step, size=11.0)
    axes.set_xlabel("time (steps)", fontsize=10.5)
    axes.set_ylabel("anomaly score\n(1 = alarm threshold)", fontsize=10.5)
    axes.grid(color=RULE)
    figure.canvas.draw()
    image = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3])
    plt.close(figure)
    return image


def alarms(axes: Any, scores: dict[str, np.ndarray], step: int) -> None:
    """Mark the first alarm of each detector, and write which was the first of all."""
    for name, values in scores.items():
        above = np.flatnonzero(values[: step + 1] > 1.0)
        if len(above):
            axes.plot(above[0], values[above[0]], "o", ms=9, mfc="white", mec=DETECTORS[name], mew=2.2, zorder=5)
    found = first_alarm(scores, step)
    if found:
        text, shade = said(*found), DETECTORS[found[0]]
        axes.text(ONSET + 0.9, 0.92 * HIGH, text, color=shade, fontsize=11, va="center", fontweight="bold")


def first_alarm(scores: dict[str, np.ndarray], step: int) -> tuple[str, int] | None:
    """Return the detector with the smallest delay up to a step, and that delay; None before any alarm."""
    raised = {name: values[: step + 1] > 1.0 for name, values in scores.items()}
    delays = {name: measure_timing([alarm], [ONSET], replicates=0).median_delay.value for name, alarm in raised.items()}
    known = {name: int(delay) for name, delay in delays.items() if delay is not None and np.isfinite(delay)}
    name = min(known, key=lambda each: known[each], default=None)
    return None if name is None else (name, known[name])


def said(name: str, delay: int) -> str:
    """Return the sentence about the first alarm."""
    return f"first alarm: {name}, delay {delay} step{'' if delay == 1 else 's'}"


def composed(nominal: Image.Image, faulty: Image.Image, below: Image.Image, step: int) -> Image.Image:
    """Return a frame: both pictures with titles, the chart below."""
    frame = Image.new("RGB", (WIDTH, HEAD + PICTURE + CHART), "white")
    draw = ImageDraw.Draw(frame)
    font = ImageFont.load_default(20)
    active = step >= ONSET
    left = picture_width() + GAP
    for place, image, title, colour in ((0, nominal, "nominal twin", INK), (left, faulty, TITLE, FAULTY)):
        waiting = place and not active
        draw.text(
            (place + 3, 4),
            "same start, no fault yet" if waiting else title,
            font=font,
            fill=REFERENCE if waiting else colour,
        )
        frame.paste(image, (place, HEAD))
        edge = FAULTY if place and active else RULE
        draw.rectangle((place, HEAD, place + picture_width() - 1, HEAD + PICTURE - 1), outline=edge, width=4)
    frame.paste(below, (0, HEAD + PICTURE))
    return frame


def main(folder: Path) -> None:
    """Write hero.webp and hero.png."""
    nominal, faulty = record(None), record(FAULT)
    scores = relative_scores(faulty.episode)
    plt = pyplot()
    frames = []
    with plt.rc_context(STYLE):
        for step in range(FIRST, LAST):
            at = step - FIRST
            frames.append(composed(nominal.pictures[at], faulty.pictures[at], chart(plt, scores, step), step))
    folder.mkdir(parents=True, exist_ok=True)
    about = PngImagePlugin.PngInfo()
    about.add_text("Description", said(*first_alarm(scores, LAST) or ("none", 0)))
    frames[STILL - FIRST].save(folder / "hero.png", optimize=True, pnginfo=about)
    durations = [MILLISECONDS] * (len(frames) - 1) + [HOLD]
    path = folder / "hero.webp"
    for quality in (65, 45, 30):
        frames[0].save(
            path, save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=quality, method=4
        )
        if path.stat().st_size <= LARGEST:
            break
    print(f"Written: {path} ({path.stat().st_size / 1000:.0f} kB, quality {quality}, {len(frames)} frames)")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets"]))
