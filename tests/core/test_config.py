"""Configurations go to plain data and back; what does not fit is an error that names the field."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offnominal.core.config import Config
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidParameter


@dataclass(frozen=True)
class Wheel(Config):
    radius: float = 0.3
    spokes: int = 32


@dataclass(frozen=True)
class Bicycle(Config):
    name: str = "tourer"
    front: Wheel = Wheel()
    spares: tuple[Wheel, ...] = ()
    size: tuple[int, float] = (54, 1.5)
    brake: Literal["disc", "rim", 2] = "disc"
    gears: int | tuple[int, ...] = 1
    bell: Wheel | None = None
    electric: bool = False
    note: Any = None


PLAIN = {
    "name": "racer",
    "front": {"radius": 0.35, "spokes": 20},
    "spares": [{"radius": 0.3, "spokes": 32}, {"radius": 1.0, "spokes": 8}],
    "size": [56, 2.0],
    "brake": "rim",
    "gears": [2, 11],
    "bell": {"radius": 0.02, "spokes": 0},
    "electric": True,
    "note": {"sold": False},
}
RACER = Bicycle(
    name="racer",
    front=Wheel(0.35, 20),
    spares=(Wheel(), Wheel(1.0, 8)),
    size=(56, 2.0),
    brake="rim",
    gears=(2, 11),
    bell=Wheel(0.02, 0),
    electric=True,
    note={"sold": False},
)


def test_plain_data_becomes_typed():
    assert Bicycle.from_dict(PLAIN) == RACER


def test_typed_becomes_plain_data():
    assert RACER.to_dict() == PLAIN


@pytest.mark.parametrize("config", [RACER, Bicycle(), Wheel(), Bicycle(gears=3, brake=2)], ids=repr)
def test_json_returns_the_same_configuration(config):
    assert type(config).from_dict(json.loads(json.dumps(config.to_dict()))) == config


@given(
    st.builds(
        Event,
        anomaly=st.text(),
        parameter=st.floats(allow_nan=False),
        onset=st.integers(),
        end=st.none() | st.integers(),
        channels=st.lists(st.integers()).map(tuple),
    )
)
def test_any_event_survives_json(event):
    again = Event.from_dict(json.loads(json.dumps(event.to_dict())))
    assert again == event
    assert again.digest() == event.digest()


def test_missing_optional_fields_take_their_defaults():
    assert Bicycle.from_dict({"front": {"spokes": 4}}) == Bicycle(front=Wheel(0.3, 4))


def test_a_missing_required_field_is_an_error():
    with pytest.raises(InvalidParameter, match="onset"):
        Event.from_dict({"anomaly": "action/noise", "parameter": 1.0})


def test_an_integer_serves_as_a_float():
    radius = Wheel.from_dict({"radius": 1}).radius
    assert radius == 1.0
    assert isinstance(radius, float)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"nam": "x"}, "Bicycle has no field 'nam'. Did you mean 'name'? It has: name, "),
        ({"front": {"spoke": 1}}, "Wheel has no field 'spoke'. Did you mean 'spokes'?"),
        ({"name": 3}, "Bicycle.name is 3 (int)"),
        ({"front": 3}, "Bicycle.front is 3 (int)"),
        ({"front": {"spokes": 1.5}}, "Wheel.spokes is 1.5 (float)"),
        ({"front": {"spokes": True}}, "Wheel.spokes is True (bool)"),
        ({"front": {"radius": True}}, "Wheel.radius is True (bool)"),
        ({"front": {"radius": "1"}}, "Wheel.radius is '1' (str)"),
        ({"front": {"radius": None}}, "Wheel.radius is None (NoneType)"),
        ({"spares": [{"radius": "big"}]}, "Wheel.radius is 'big' (str)"),
        ({"spares": "none"}, "Bicycle.spares is 'none' (str)"),
        ({"size": [1]}, "Bicycle.size is [1] (list)"),
        ({"size": [1, 2.0, 3]}, "Bicycle.size is [1, 2.0, 3] (list)"),
        ({"size": [1.5, 2.0]}, "Bicycle.size is 1.5 (float)"),
        ({"brake": "drum"}, "Bicycle.brake is 'drum' (str)"),
        ({"brake": 3}, "Bicycle.brake is 3 (int)"),
        ({"gears": "many"}, "Bicycle.gears is 'many' (str)"),
        ({"gears": [1, "many"]}, "Bicycle.gears is [1, 'many'] (list)"),
        ({"bell": 0}, "Bicycle.bell is 0 (int)"),
        ({"electric": 1}, "Bicycle.electric is 1 (int)"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_an_error_that_names_the_field(data, message):
    with pytest.raises(InvalidParameter) as caught:
        Bicycle.from_dict(data)
    assert message in str(caught.value)


def test_a_configuration_cannot_be_changed_only_replaced():
    with pytest.raises(dataclasses.FrozenInstanceError):
        RACER.name = "tourer"
    assert RACER.replace(name="tourer").name == "tourer"
    assert RACER.name == "racer"


def test_the_digest_is_the_same_on_every_machine():
    assert Wheel().digest() == "bb824ee63f2f257bb13c0898c45ad7d8c7945367f7f28c6b8a05c63ba8be8100"


def test_the_digest_follows_the_content_and_the_class():
    @dataclass(frozen=True)
    class Disc(Config):
        radius: float = 0.3
        spokes: int = 32

    digests = {config.digest() for config in (Wheel(), Wheel(spokes=31), Wheel(radius=0.31), Disc(), RACER)}
    assert len(digests) == 5
    assert Wheel(0.3, 32).digest() == Wheel().digest()


def test_the_digest_does_not_depend_on_the_order_of_a_mapping():
    assert Bicycle(note={"a": 1, "b": 2}).digest() == Bicycle(note={"b": 2, "a": 1}).digest()
