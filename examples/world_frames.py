"""Draw four frames of an episode of the worlds: `python examples/world_frames.py [folder]`.

The agents are small scripted controllers; the gait of the cheetah is the best of some random ones. The images
of the arm and highway worlds come from `world_clips.py`.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

import offnominal as off
from offnominal.agents import scripted_expert
from offnominal.core import stream_keys
from offnominal.core.philox import fill_uniform
from offnominal.worlds.mujoco.reacher import hand_position

SIDE, GAP = 384, 8


def frames_of(
    id: str, act: Callable[[np.ndarray, int], np.ndarray], seed: int, steps: Sequence[int]
) -> list[np.ndarray]:
    """Return frames of an episode, each before the transition of that index."""
    env = off.make(id, render_mode="rgb_array")
    observation, _ = env.reset(seed=seed)
    frames: list[np.ndarray] = []
    for t in range(max(steps) + 1):
        if t in steps:
            frames.append(np.asarray(env.render()))
        observation, *_ = env.step(act(observation, t))
    env.close()
    return frames


def strip(path: Path, frames: Sequence[np.ndarray]) -> None:
    """Write frames next to each other into one image."""
    sheet = Image.new("RGB", (len(frames) * (SIDE + GAP) - GAP, SIDE), "white")
    for index, frame in enumerate(frames):
        enlarged = Image.fromarray(frame).resize((SIDE, SIDE), Image.Resampling.LANCZOS)
        sheet.paste(enlarged, (index * (SIDE + GAP), 0))
    sheet.save(path, optimize=True)
    print(f"Written: {path}")


def scripted(id: str) -> Callable[[np.ndarray, int], np.ndarray]:
    """Return the scripted expert of a world as a function."""
    policy = scripted_expert(id)
    return lambda observation, _: policy.act(observation[None], None)[0][0]


def swing_up(observation: np.ndarray, _: int) -> np.ndarray:
    """Swing the pole up by energy pumping, then balance it."""
    x, angle, speed, spin = observation
    tilt = angle % (2 * np.pi) - np.pi
    if abs(tilt) < 0.6:
        force = 1.0 * x + 12.0 * tilt + 1.5 * speed + 2.5 * spin
    else:
        force = 1.5 * np.sign(spin * np.cos(angle)) - 0.7 * x
    return np.clip(np.array([force]), -3.0, 3.0)


def reach(observation: np.ndarray, t: int) -> np.ndarray:
    """Fold the stretched arm, then pull the hand to the goal: Jacobian transpose with damping."""
    if t < 30:
        return np.array([1.0, 0.0, -1.0, -1.0, 0.0, -0.3, 0.0])
    q = observation[:7].astype(np.float64)
    hand = np.array(hand_position(q))
    jacobian = np.stack([(np.array(hand_position(q + 1e-5 * e)) - hand) / 1e-5 for e in np.eye(7)], axis=1)
    return np.clip(12.0 * jacobian.T @ (observation[7:10] - hand) - 0.3 * observation[10:], -1.0, 1.0)


class Rhythm(off.Policy):
    """A sine per joint; frequency, sizes and phases are drawn from each episode's own stream."""

    def start(self, seeds: np.ndarray, episodes: np.ndarray) -> tuple[np.ndarray, int]:
        """Draw the rhythms."""
        drawn = np.empty((len(seeds), 13))
        fill_uniform(stream_keys(seeds, episodes, "policy"), np.zeros(len(seeds), np.int64), 0, drawn)
        return drawn, 0

    def act(self, observations: np.ndarray, state: tuple[np.ndarray, int]) -> tuple[np.ndarray, tuple[np.ndarray, int]]:
        """Return the actions of the rhythms."""
        drawn, t = state
        turns = (1.0 + 3.0 * drawn[:, :1]) * 0.05 * t + drawn[:, 1:7]
        return drawn[:, 7:] * np.sin(2 * np.pi * turns), (drawn, t + 1)


def gait() -> off.Episode:
    """Return the fastest of 300 rhythms that keep the cheetah upright."""
    episodes = off.collect("MJC-HalfCheetah-v0", Rhythm(), 300, max_steps=100)
    upright = [episode for episode in episodes if not episode.extras["critical"].any()]
    return max(upright, key=lambda episode: episode.total_reward)


def main(folder: Path) -> None:
    """Write one strip per world."""
    folder.mkdir(parents=True, exist_ok=True)
    strip(folder / "sap.png", frames_of("SAP-Goal2-v0", scripted("SAP-Goal2-v0"), 255, (0, 7, 14, 21)))
    starts = [frames_of(id, scripted(id), 97, (0,))[0] for id in ("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0")]
    strip(folder / "sap-layouts.png", starts)
    upright = frames_of("OOD-CartPole-v0", scripted("OOD-CartPole-v0"), 3, (40,))
    leaning = frames_of("OOD-CartPole-v0", lambda *_: np.array(1), 3, (9,))
    swinging = frames_of("OOD-Pendulum-v0", scripted("OOD-Pendulum-v0"), 5, (0, 16, 32, 120))
    strip(folder / "classic.png", [*upright, *leaning, *swinging])
    strip(folder / "cartpole-swingup.png", frames_of("MJC-CartpoleSwingup-v0", swing_up, 0, (0, 22, 34, 190)))
    strip(folder / "reacher3d.png", frames_of("MJC-Reacher3D-v0", reach, 0, (0, 45, 90, 190)))
    best = gait()
    steps = (60, 62, 64, 66)
    strip(folder / "half-cheetah.png", frames_of("MJC-HalfCheetah-v0", lambda _, t: best.actions[t], best.seed, steps))


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets"]))
