"""Writes folders in the layout of the published recordings of Anomaly-Gym, as Minari 0.5 and the authors' script do."""

import json

import numpy as np
import pytest

h5py = pytest.importorskip("h5py", reason="h5py is not installed")

SAPE = {"achieved_goal": 2, "desired_goal": 2, "observation": 22}
REACH = {"end_effector": 6, "goal": 7}
WIDTHS = {"Sape-Goal0": (SAPE, 2), "URMujoco-Reach": (REACH, 4), "Mujoco-HalfCheetah": (18, 6)}
POLICY = "TQC-final-onset_random-seed_42"


def write_split(folder, env_id, *, anomaly=None, parameter=None, episodes=3, steps=12, seed=10_000, faults=True):
    """Write a split, and return the arrays of its episodes."""
    widths, n_actions = WIDTHS[env_id]
    rng = np.random.default_rng([seed, len(folder.name)])
    data = folder / "data"
    data.mkdir(parents=True)
    written = []
    with h5py.File(data / "main_data.hdf5", "w", track_order=True) as file:
        for number in range(episodes):
            group = file.create_group(f"episode_{number}")
            group.attrs.update({"id": number, "seed": seed + number, "total_steps": steps})
            onset = 3 + number if anomaly and faults else steps
            labels = np.arange(-1, steps) >= onset
            arrays = {
                "actions": rng.normal(size=(steps, n_actions)).astype(np.float32),
                "rewards": rng.normal(size=steps),
                "terminations": np.arange(steps) == (steps - 1 if number else steps),
                "truncations": np.arange(steps) == (steps if number else steps - 1),
                "infos/is_anomaly": labels,
                "infos/is_success": np.arange(-1, steps) == steps - 1,
                "infos/is_critical": np.zeros(steps + 1, bool),
                "infos/cost": np.r_[0.0, rng.random(steps)],
            }
            # Last name first, so that only a reader that sorts them gets the right order.
            parts = {name: rng.normal(size=(steps + 1, width)) for name, width in _parts(widths)}
            for values in parts.values():
                values[1:][labels[1:]] += 8.0
            for name in sorted(parts, reverse=True):
                group.create_dataset(f"observations{name}", data=parts[name].astype(np.float32), chunks=True)
            for name, values in arrays.items():
                group.create_dataset(name, data=values, chunks=True)
            joined = np.concatenate([parts[name] for name in sorted(parts)], axis=1).astype(np.float32)
            written.append(arrays | {"observations": joined, "onset": onset if onset < steps else None})
    metadata = {
        "total_episodes": episodes,
        "total_steps": episodes * steps,
        "data_format": "hdf5",
        "minari_version": "0.5.0",
        "dataset_id": f"{env_id}/{folder.name}-v0",
        "algorithm_name": "TQC",
        "seed": seed,
        "anomaly_type": anomaly,
        "anomaly_param": parameter,
        "anomaly_onset": "random" if anomaly else None,
    }
    (data / "metadata.json").write_text(json.dumps(metadata))
    return written


def write_environment(folder, env_id="Sape-Goal0", faults=("obs_noise_tiny",), **options):
    """Write the nominal splits of an environment and those of faults, and return their arrays by split."""
    written = {
        name: write_split(folder / env_id / name, env_id, seed=10_000 + seed, **options)
        for name, seed in (("train", 1000), ("val", 2000), ("test", 3000))
    }
    for name in faults:
        anomaly = name.rpartition("_")[0]
        written[name] = write_split(
            folder / env_id / name, env_id, anomaly=anomaly, parameter=0.25, seed=14_000, **options
        )
    (folder / env_id / "train" / "videos").mkdir()
    (folder / env_id / "train" / "videos" / "episode_0_.mp4").write_bytes(b"no video")
    return written


def change_metadata(folder, **changes):
    """Change entries of the metadata of a split; None removes one."""
    path = folder / "data" / "metadata.json"
    metadata = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({name: value for name, value in metadata.items() if value is not None}))


def changed_file(folder):
    """Return the open file of a split."""
    return h5py.File(folder / "data" / "main_data.hdf5", "a")


def _parts(widths):
    if isinstance(widths, int):
        return [("", widths)]
    return [(f"/{name}", width) for name, width in widths.items()]
