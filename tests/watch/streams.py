"""Streams of samples of episodes."""

import json

RATE = 50.0


def samples(episode, robot="r1", *, first=0, begin=0.0, **also):
    """Return the samples of an episode; the last one has the action zero."""
    actions = [*episode.actions.tolist(), [0.0] * episode.actions.shape[1]]
    return [
        {
            "robot": robot,
            "seq": first + t,
            "time": begin + (first + t) / RATE,
            "observation": observation,
            "action": action,
            **({"start": True} if t == 0 else {}),
            **also,
        }
        for t, (observation, action) in enumerate(zip(episode.observations.tolist(), actions, strict=True))
    ]


def stream(episodes, robot="r1", *, begin=0.0):
    """Return the samples of episodes one after the other."""
    found = []
    for episode in episodes:
        found += samples(episode, robot, first=len(found), begin=begin)
    return found


def interleaved(streams):
    """Return the samples of robots in the order of their times."""
    return sorted((sample for each in streams for sample in each), key=lambda sample: sample["time"])


def lines(found):
    """Return samples as JSON lines."""
    return "".join(json.dumps(sample) + "\n" for sample in found)
