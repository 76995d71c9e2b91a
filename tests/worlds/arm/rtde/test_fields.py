"""Fields have the documented types, and recipes lay them out in order."""

import struct

import pytest

from offnominal.core.errors import UnknownName
from offnominal.worlds.arm.errors import InvalidPackage
from offnominal.worlds.arm.rtde.fields import INPUTS, OUTPUTS, FieldType
from offnominal.worlds.arm.rtde.recipe import Recipe

pytestmark = pytest.mark.long

POSE = (0.1, -0.3, 0.25, 0.0, 3.14, 0.0)
DOCUMENTED = {
    "timestamp": "DOUBLE",
    "actual_q": "VECTOR6D",
    "actual_qd": "VECTOR6D",
    "actual_TCP_pose": "VECTOR6D",
    "actual_TCP_speed": "VECTOR6D",
    "actual_tool_accelerometer": "VECTOR3D",
    "payload_cog": "VECTOR3D",
    "joint_mode": "VECTOR6INT32",
    "robot_mode": "INT32",
    "safety_mode": "INT32",
    "runtime_state": "UINT32",
    "robot_status_bits": "UINT32",
    "safety_status_bits": "UINT32",
    "actual_digital_input_bits": "UINT64",
    "actual_digital_output_bits": "UINT64",
    "speed_scaling": "DOUBLE",
    "output_int_register_0": "INT32",
    "output_int_register_47": "INT32",
    "output_double_register_19": "DOUBLE",
    "input_int_register_0": "INT32",
}


@pytest.mark.parametrize(("name", "kind"), DOCUMENTED.items())
def test_field_has_the_documented_type(name, kind):
    assert OUTPUTS[name].wire_name == kind


def test_servo_command_has_the_documented_layout():
    names = ("input_int_register_0", *(f"input_double_register_{index}" for index in range(11)))
    recipe = Recipe.of(2, names, INPUTS)
    values = dict(zip(names, (24, *POSE, 1.5, 2.5, 0.005, 0.06, 100.0), strict=True))
    payload = recipe.pack(values)
    assert payload == b"\x02" + struct.pack(">i11d", 24, *POSE, 1.5, 2.5, 0.005, 0.06, 100.0)
    assert recipe.unpack(payload) == values


@pytest.mark.parametrize("kind", FieldType)
def test_each_type_survives_the_way(kind):
    recipe = Recipe(9, ("field",), (kind,))
    value = True if kind is FieldType.BOOL else 3 if kind.length == 1 else tuple(range(kind.length))
    assert recipe.unpack(recipe.pack({"field": value})) == {"field": value}


def test_package_of_another_size_or_recipe_is_a_named_error():
    recipe = Recipe.of(1, ("actual_q",), OUTPUTS)
    payload = recipe.pack({"actual_q": POSE})
    with pytest.raises(InvalidPackage, match="48 bytes; recipe 1 has 49"):
        recipe.unpack(payload[:-1])
    with pytest.raises(InvalidPackage, match="recipe 3"):
        recipe.unpack(b"\x03" + payload[1:])


@pytest.mark.parametrize("value", [POSE[:5], 2**40, "text"])
def test_value_that_does_not_fit_is_a_named_error(value):
    recipe = Recipe.of(1, ("input_int_register_0",), INPUTS)
    with pytest.raises(InvalidPackage):
        recipe.pack({"input_int_register_0": value})


def test_unknown_field_names_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'actual_q'"):
        Recipe.of(1, ("actual_Q",), OUTPUTS)
