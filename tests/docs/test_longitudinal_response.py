"""The table of the lane-keeping car's response is what the car does, and CARLA's model brakes with its engine."""

import csv
import math

import pytest

from offnominal.worlds.road.card import DRIVE

from .test_docs import script

response = script("longitudinal_response")


@pytest.fixture(scope="module")
def table() -> dict[str, dict[str, str]]:
    with response.TABLE.open(encoding="utf-8") as file:
        return {row["quantity"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize(
    ("column", "made"),
    [
        ("CAR-LaneKeep-v0", response.our_car),
        ("CAR-LaneKeep-v1", response.our_geared_car),
        ("CARLA's vehicle model", response.CarlaCar),
    ],
)
def test_the_table_is_measured(table: dict[str, dict[str, str]], column: str, made: type) -> None:
    seconds = response.seconds_until(made(), 0.0, 1.0, lambda speed: speed >= 100.0 / response.KMH)
    assert table["0 to 100 km/h at full throttle"][column] == f"{seconds:.1f} s"
    drive = made()
    at = response.settled(drive, 50.0 / response.KMH)
    assert table["throttle that keeps 50 km/h"][column] == f"{response.keeping_throttle(drive, at):.2f}"
    braking = (at - drive(at, 0.0)) / response.DT
    assert table["deceleration at 50 km/h without throttle"][column] == f"{braking:.2f} m/s²"


def test_without_damping_the_engine_does_not_brake(monkeypatch: pytest.MonkeyPatch) -> None:
    def braking() -> float:
        drive = response.CarlaCar()
        speed = response.settled(drive, 50.0 / response.KMH)
        return (speed - drive(speed, 0.0)) / response.DT

    plain = braking()
    monkeypatch.setattr(response.CarlaCar, "DAMPING_ZERO", 0.0)
    speed = 50.0 / response.KMH
    drag = response.CarlaCar.DRAG * speed**2 + 4 * response.CarlaCar.WHEEL_DAMPING * speed / response.CarlaCar.RADIUS**2
    assert braking() < drag / response.CarlaCar.MASS + 1e-3 < 0.2 * plain


def test_our_car_holds_the_speed_at_which_drag_and_drive_balance() -> None:
    throttle = response.keeping_throttle(response.our_car(), 50.0 / response.KMH)
    force = response.vehicle.DRAG * (50.0 / response.KMH) ** 2 + response.vehicle.ROLLING
    assert math.isclose(throttle, force / (response.vehicle.MASS * DRIVE), rel_tol=1e-3)
