"""Name, limits and reference returns of the lane-keeping world, and the geometry that controllers need to know."""

from __future__ import annotations

from dataclasses import replace
from math import pi

from offnominal.core.registry import Spec
from offnominal.worlds.world_card import Channel, PhysicsParameter, TrainingPresets, WorldCard

DT = 0.05
"""Seconds per transition."""
MAX_SPEED = 100.0 / 3.6
"""Speed that observations of speeds are divided by, m/s."""
TARGET_SPEED = 50.0 / 3.6
"""Speed that the car should keep, m/s."""
INCREMENT = 0.1
"""Change of a command by an action of 1."""
MAX_GAP = 100.0
"""Largest distance to the vehicle ahead that is observed, m."""
DRIVE = 3.5
"""Acceleration at full throttle, m/s²."""
BRAKE = 8.0
"""Deceleration at full brake, m/s²."""
MAX_STEERING = 0.6
"""Angle of the front wheels at a steering command of 1, rad."""
FRONT, REAR = 1.4, 1.5
"""Distance from the centre of mass to the front and the rear axle, m."""
WHEELBASE = FRONT + REAR

LANE_KEEP = WorldCard(
    id="CAR-LaneKeep-v0",
    summary="drive along a lane of a highway at 50 km/h, in traffic that sometimes brakes",
    dt=DT,
    max_steps=500,
    expert_length=500,
    expert_return=-47.263,
    random_return=-220.78,
    observation=(
        Channel("speed", "100 km/h", 0.0, 2.0, "standing to 200 km/h"),
        Channel("target speed", "100 km/h", 0.0, 2.0, "standing to 200 km/h"),
        Channel("acceleration", "m/s²", -10.0, 10.0, "grip of dry tyres, about 1 g"),
        Channel("heading", "rad", -0.25 * pi, 0.25 * pi, "45 degrees, where an episode ends"),
        Channel("distance to lane centre", "m", -1.5, 1.5, "distance at which an episode ends"),
        Channel("distance to vehicle ahead", "m", 0.0, MAX_GAP, "reach of the distance sensor"),
        Channel("relative velocity of vehicle ahead", "m/s", -56.0, 56.0, "200 km/h in either direction"),
        Channel("acceleration command", "1", -1.0, 1.0, "full brake to full throttle"),
        Channel("steering command", "1", -1.0, 1.0, "full lock"),
    ),
    action=tuple(
        Channel(f"change of {command}", "0.1", -1.0, 1.0, "largest change") for command in ("acceleration", "steering")
    ),
    physics_parameters=(
        PhysicsParameter(
            "brake_fail",
            1.0,
            "factor on every decrease of the acceleration command",
            "1",
            minimum=0.0,
            combine="multiply",
            typical=0.04,
            plausible=(0.0, 1.0),
            range_of="from no effect of the brake to the nominal one",
        ),
        PhysicsParameter(
            "steer_fail",
            1.0,
            "factor on every change of the steering command",
            "1",
            minimum=0.0,
            combine="multiply",
            typical=0.05,
            plausible=(0.0, 1.0),
            range_of="from no effect of the steering to the nominal one",
        ),
        PhysicsParameter(
            "slippery_road",
            1.0,
            "factor on the friction between tyres and road",
            "1",
            minimum=0.0,
            combine="multiply",
            typical=0.06,
            plausible=(0.05, 1.0),
            range_of="wet ice to a dry road",
        ),
        PhysicsParameter(
            "ghost_driver",
            0.0,
            "speed of a wrong-way car in the lane, 150 m ahead at the onset; 0 for no such car",
            "m/s",
            minimum=0.0,
            typical=20.0,
            plausible=(0.0, 56.0),
            range_of="200 km/h",
        ),
        PhysicsParameter(
            "heavy_rain",
            0.0,
            "rain, which takes friction from the road and sight from the camera",
            "mm/h",
            minimum=0.0,
            typical=100.0,
            plausible=(0.0, 300.0),
            range_of="the largest rainfall of an hour on record, 305 mm",
        ),
    ),
    target="offnominal.worlds.road.lane_keeping:LaneKeeping",
    tags=("camera",),
    scripted_expert=Spec("LaneFollower", "offnominal.worlds.road.lane_follower:LaneFollower"),
    training=TrainingPresets(
        policy={
            "steps": 2_000_000,
            "critic_layer_norm": True,
            "standardize_observations": True,
            "actor_polyak": 0.005,
            "target_entropy": -2.0,
            "demonstrator": "scripted",
            "n_demonstrations": 400,
            "cloning_weight": 20.0,
        },
        population={
            "steps": 2_000_000,
            "gradient_steps": 16,
            "standardize_observations": True,
            "anneal_learning_rate": True,
        },
    ),
    page="car-lanekeep",
)

GEARED_LANE_KEEP = replace(
    LANE_KEEP,
    id="CAR-LaneKeep-v1",
    summary="drive along a lane of a highway at 50 km/h, with gears and an engine that brakes",
    target="offnominal.worlds.road.lane_keeping:GearedLaneKeeping",
    scripted_expert=Spec("GearedLaneFollower", "offnominal.worlds.road.geared_lane_follower:GearedLaneFollower"),
    training=TrainingPresets(population=LANE_KEEP.training.population),
    page="car-lanekeep-v1",
)
"""No policy learned here so far: its expert is the scripted one."""

CARDS = {card.id: card for card in (LANE_KEEP, GEARED_LANE_KEEP)}
