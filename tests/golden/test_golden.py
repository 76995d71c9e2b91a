"""Episodes pinned byte by byte: no change of code, compiler or machine may alter them unnoticed.

The particle worlds, the cart and its pole, the highway, the classic worlds, the faults and the policies use nothing but
IEEE arithmetic in a fixed order, so their pins hold on every CPU. MuJoCo calls the C library's sine and cosine, so its
pins hold for one kind of machine and one version.

A change that is meant to alter episodes replaces the pins: `python tests/golden/test_golden.py` writes those of this
machine.
"""

import hashlib
import json
import platform
from pathlib import Path
from tempfile import TemporaryDirectory

import mujoco
import numpy as np
import pytest

from offnominal.agents import NetworkPolicy, RandomPolicy, scripted_expert
from offnominal.anomalies import Fault, Schedule
from offnominal.anomalies.strengths import published_strengths
from offnominal.datasets import Recipe, generate
from offnominal.rollouts import collect
from offnominal.worlds.catalogue import make_world, worlds

pytestmark = pytest.mark.long

PLACE = f"{platform.machine()} with MuJoCo {mujoco.__version__}"
COMMON = {
    "nominal": None,
    "observation noise": Fault("observation/noise", 0.1, (2, 12)),
    "observation temporal noise": Fault("observation/temporal_noise", 0.2, Schedule(onset=3, ramp=3)),
    "observation quantisation": Fault("observation/quantisation", 0.3, 2, channels=[0, 1]),
    "action delay and offset": (Fault("action/delay", 2, 3), Fault("action/offset", 0.3, 5)),
    "action noise that wanders": Fault("action/noise", 0.5, Schedule(onset=(1, 6), walk=0.2)),
    "force that comes and goes": Fault("dynamics/force", 2.0, Schedule(onset=1, period=4)),
}
CLASSIC = {
    "OOD-CartPole-v0": {
        "long pole and weak pushes": (Fault("dynamics/pole_length", 2.5, 2), Fault("dynamics/push_force", 5.0, 4)),
        "light cart and heavy pole": (Fault("dynamics/cart_mass", 0.2), Fault("dynamics/pole_mass", 0.5, 3)),
    },
    "OOD-Pendulum-v0": {
        "short and heavy": (Fault("dynamics/length", 0.5, 2), Fault("dynamics/mass", 5.0, 4)),
        "slow and weak": (Fault("dynamics/max_speed", 1.6, 2), Fault("dynamics/max_torque", 0.4, 3)),
    },
}
ARM = {
    "slow arm and moving goal": (Fault("dynamics/robot_speed", 0.002, 2), Fault("dynamics/moving_goal", 0.01, 4)),
    "viscous joints and a payload that comes and goes": (
        Fault("dynamics/robot_friction", 100.0, 3),
        Fault("dynamics/payload", 4.0, Schedule(onset=1, period=4)),
    ),
}
ROBOT = {
    "late controller and moving goal": (
        Fault("dynamics/control_latency", 0.09, 2),
        Fault("dynamics/moving_goal", 0.01, 4),
    ),
    "smoothing that comes and goes": Fault("dynamics/control_smoothing", 0.17, Schedule(onset=1, period=4)),
}
ROAD = {
    "weak brakes and steering": (Fault("dynamics/brake_fail", 0.1, 2), Fault("dynamics/steer_fail", 0.1, 4)),
    "ice that comes and goes": Fault("dynamics/slippery_road", 0.06, Schedule(onset=1, period=4)),
    "wrong-way driver in the rain": (Fault("dynamics/ghost_driver", 20.0, 3), Fault("dynamics/heavy_rain", 90.0, 5)),
}
CRAFT = {
    "fence and another recipe": (Fault("dynamics/fence", 2, 3), Fault("dynamics/recipe", 1, 5)),
    "inserted item that comes and goes": Fault("dynamics/inserted_item", 7, Schedule(onset=1, period=4)),
    "supplier": Fault("dynamics/supplier", 3, 2),
}
PUBLISHED = published_strengths()


def faults_of(world):
    """Return what goes wrong in a world; strengths are numbers that no calibration changes."""
    if world.startswith("OOD"):
        return classic_faults_of(world)
    if world.startswith("UR"):
        common = {name: fault for name, fault in COMMON.items() if not name.startswith("force")}
        grip = {"weak grip": Fault("dynamics/grip_loss", 0.9, 2)} if "PnP" in world else {}
        return common | (ARM | grip if world.startswith("URM") else ROBOT)
    if world.startswith("CAR"):
        return {name: fault for name, fault in COMMON.items() if not name.startswith("force")} | ROAD
    if world.startswith("CRAFT"):
        thief = {"thief": Fault("dynamics/thief", 2, 1)} if world == "CRAFT-Pogo-v2" else {}
        return (
            {name: fault for name, fault in COMMON.items() if not name.startswith(("force", "action"))} | CRAFT | thief
        )
    if (world, "dynamics/mass", "strong") not in PUBLISHED:
        return {name: fault for name, fault in COMMON.items() if not name.startswith("force")}
    own = {"mass": Fault("dynamics/mass", PUBLISHED[world, "dynamics/mass", "strong"], 2)}
    if world.startswith("SAP"):
        own["moving objects"] = Fault("dynamics/moving_objects", 20.0)
    else:
        own["friction"] = Fault("dynamics/friction", PUBLISHED[world, "dynamics/friction", "strong"], 3)
    return COMMON | own


def classic_faults_of(world):
    """Return the common faults that a classic world has, then its own: there is no force, and choices are no signal."""
    missing = ("force", "action") if world == "OOD-CartPole-v0" else ("force",)
    common = {name: fault for name, fault in COMMON.items() if not name.startswith(missing)}
    return (
        common
        | {"gravity that comes and goes": Fault("dynamics/gravity", 49.0, Schedule(onset=1, period=4))}
        | CLASSIC[world]
    )


# Pong is played by an emulator that is not ours.
FAULTS = {world: faults_of(world) for world in worlds.ids() if world != "OOD-Pong-v0"}

FILMED = {
    "clean": None,
    "noisy and late": (Fault("camera/noise", 20.0, 2), Fault("camera/delay", 2, 4)),
    "blurred, dark and covered": (
        Fault("camera/blur", 1.5, 1),
        Fault("camera/exposure", -1.0, 2),
        Fault("camera/occlusion", 0.3, 3),
    ),
    "dead pixels, hanging, dropping": (
        Fault("camera/dead_pixels", 0.05, 1),
        Fault("camera/frozen", 2, 2),
        Fault("camera/drop", 0.3, 4),
    ),
    "rows dead, compressed": (Fault("camera/dead_rows", 0.1, 1), Fault("camera/compression", 2.0, 3)),
}
PINS = Path(__file__).with_name("pins.json")
PINNED = json.loads(PINS.read_text())
EVERYWHERE, MUJOCO, DATASET = PINNED["every CPU"], PINNED["by machine"], PINNED["dataset"]
FILMS, MUJOCO_FILMS = PINNED["films on every CPU"], PINNED["films by machine"]


def policy_for(world, name):
    sample = make_world(world, 1)
    if name == "random":
        return RandomPolicy(sample.action_space)
    if name == "scripted":
        return scripted_expert(world)
    return NetworkPolicy.random(sample.observation_space.shape[0], sample.action_space, hidden=(16, 16), seed=1)


def digest(episodes):
    """Return the SHA-256 of everything recorded in some episodes."""
    total = hashlib.sha256()
    for episode in episodes:
        total.update(json.dumps([episode.seed, *(event.to_dict() for event in episode.events)]).encode())
        for name, values in sorted(episode.arrays().items()):
            total.update(f"{name} {np.asarray(values).dtype.str} {values.shape}".encode())
            total.update(values.tobytes())
    return total.hexdigest()


def found(name, fault):
    """Return the digest of a few episodes; the name says the world and the policy."""
    world, policy = name.split()
    return digest(collect(world, policy_for(world, policy), 3, faults=FAULTS[world][fault], seed=1000, max_steps=20))


@pytest.mark.parametrize(("name", "fault"), [(name, fault) for name, pins in EVERYWHERE.items() for fault in pins])
def test_episodes_are_the_same_on_every_cpu(name, fault):
    assert found(name, fault) == EVERYWHERE[name][fault], found(name, fault)


@pytest.mark.skipif(PLACE not in MUJOCO, reason=f"no MuJoCo episodes are pinned for {PLACE}")
@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name, pins in MUJOCO.get(PLACE, {}).items() for fault in pins]
)
def test_mujoco_episodes_are_the_same_on_this_kind_of_machine(name, fault):
    assert found(name, fault) == MUJOCO[PLACE][name][fault], found(name, fault)


def filmed(world, faults):
    """Return the digest of the frames of a few short episodes."""
    policy = policy_for(world, "random")
    episodes = collect(world, policy, 2, faults=FILMED[faults], seed=1000, max_steps=8, frames=True)
    total = hashlib.sha256()
    for episode in episodes:
        total.update(episode.extras["frames"].tobytes())
    return total.hexdigest()


@pytest.mark.parametrize(("world", "faults"), [(world, faults) for world, pins in FILMS.items() for faults in pins])
def test_frames_are_the_same_on_every_cpu(world, faults):
    assert filmed(world, faults) == FILMS[world][faults], filmed(world, faults)


@pytest.mark.skipif(PLACE not in MUJOCO_FILMS, reason=f"no MuJoCo frames are pinned for {PLACE}")
@pytest.mark.parametrize(
    ("world", "faults"), [(world, faults) for world, pins in MUJOCO_FILMS.get(PLACE, {}).items() for faults in pins]
)
def test_mujoco_frames_are_the_same_on_this_kind_of_machine(world, faults):
    assert filmed(world, faults) == MUJOCO_FILMS[PLACE][world][faults], filmed(world, faults)


def contents(folder):
    """Return the hashes of a small dataset: of its recipe, and of the episodes of every split."""
    strengths = {("action/noise", "tiny"): 0.5, ("dynamics/mass", "strong"): 4.0, ("observation/drift", "medium"): 0.05}
    policy = policy_for("SAP-Goal1-v0", "network")
    manifest = generate(
        Recipe.for_world(
            "SAP-Goal1-v0", episodes=3, policy=policy, strengths=strengths, twins=True, extras=("applied",)
        ),
        folder,
        policy=policy,
    ).manifest
    return {"recipe": manifest.recipe_sha256, **{name: entry.content for name, entry in manifest.splits.items()}}


def test_a_dataset_holds_the_same_episodes_on_every_cpu(tmp_path):
    assert contents(tmp_path) == DATASET


def repin():
    """Write the pins of this machine; those of others are kept only if nothing else changed."""
    everywhere = {
        f"{world} {policy}": {fault: found(f"{world} {policy}", fault) for fault in FAULTS[world]}
        for world in FAULTS
        for policy in ("random", "scripted" if world.startswith("OOD") else "network")
    }
    films = {world: {faults: filmed(world, faults) for faults in FILMED} for world in FAULTS}
    here, films_here = (
        {name: pins.pop(name) for name in list(pins) if any(part in name for part in ("Cheetah", "Reacher", "UR"))}
        for pins in (everywhere, films)
    )
    with TemporaryDirectory() as folder:
        pins = {
            "every CPU": everywhere,
            "by machine": {PLACE: here},
            "films on every CPU": films,
            "films by machine": {PLACE: films_here},
            "dataset": contents(folder),
        }
    PINS.write_text(json.dumps(pins, indent=1) + "\n")


if __name__ == "__main__":
    repin()
