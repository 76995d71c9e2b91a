"""Fields that a controller exchanges, and their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from types import MappingProxyType

from offnominal.core.errors import UnknownName, did_you_mean

Value = int | float | bool | tuple[int, ...] | tuple[float, ...]
"""Value of a field: a number, or a tuple for a vector."""
REGISTERS = 48
"""Number of general-purpose registers of each kind: integers and doubles, inputs and outputs."""


class FieldType(Enum):
    """Type of a field.

    Attributes:
        wire_name: Name that the protocol uses.
        code: Layout of one element, as :mod:`struct` writes it.
        length: Number of elements.
    """

    BOOL = ("BOOL", "?", 1)
    UINT8 = ("UINT8", "B", 1)
    UINT32 = ("UINT32", "I", 1)
    UINT64 = ("UINT64", "Q", 1)
    INT32 = ("INT32", "i", 1)
    DOUBLE = ("DOUBLE", "d", 1)
    VECTOR3D = ("VECTOR3D", "d", 3)
    VECTOR6D = ("VECTOR6D", "d", 6)
    VECTOR6INT32 = ("VECTOR6INT32", "i", 6)
    VECTOR6UINT32 = ("VECTOR6UINT32", "I", 6)

    def __init__(self, wire_name: str, code: str, length: int) -> None:
        self.wire_name, self.code, self.length = wire_name, code, length


def _fields() -> dict[str, FieldType]:
    """Return the output fields of both controllers with their types."""
    named = {
        FieldType.DOUBLE: (
            "timestamp actual_execution_time speed_scaling target_speed_fraction actual_momentum actual_main_voltage "
            "actual_robot_voltage actual_robot_current standard_analog_input0 standard_analog_input1 "
            "standard_analog_output0 standard_analog_output1 io_current euromap67_24V_voltage euromap67_24V_current "
            "tool_analog_input0 tool_analog_input1 tool_output_current tool_temperature tcp_force_scalar payload"
        ),
        FieldType.VECTOR6D: (
            "target_q target_qd target_qdd target_current target_moment actual_q actual_qd actual_current "
            "actual_current_window joint_control_output actual_TCP_pose actual_TCP_speed actual_TCP_force "
            "target_TCP_pose target_TCP_speed joint_temperatures actual_joint_voltage payload_inertia ft_raw_wrench"
        ),
        FieldType.VECTOR3D: "actual_tool_accelerometer elbow_position elbow_velocity payload_cog",
        FieldType.VECTOR6INT32: "joint_mode",
        FieldType.INT32: "robot_mode safety_mode safety_status tool_output_voltage",
        FieldType.UINT32: (
            "runtime_state robot_status_bits safety_status_bits analog_io_types euromap67_input_bits "
            "euromap67_output_bits tool_mode tool_analog_input_types output_bit_registers0_to_31 "
            "output_bit_registers32_to_63 input_bit_registers0_to_31 input_bit_registers32_to_63"
        ),
        FieldType.UINT64: "actual_digital_input_bits actual_digital_output_bits",
    }
    fields = {name: kind for kind, names in named.items() for name in names.split()}
    for side in ("output", "input"):
        fields |= {f"{side}_int_register_{index}": FieldType.INT32 for index in range(REGISTERS)}
        fields |= {f"{side}_double_register_{index}": FieldType.DOUBLE for index in range(REGISTERS)}
    return fields


OUTPUTS: Mapping[str, FieldType] = MappingProxyType(_fields())
"""Fields that a client can read. Input registers can be read back."""
INPUTS: Mapping[str, FieldType] = MappingProxyType(
    {name: kind for name, kind in OUTPUTS.items() if name.startswith("input_")}
    | {
        "speed_slider_mask": FieldType.UINT32,
        "speed_slider_fraction": FieldType.DOUBLE,
        "standard_digital_output_mask": FieldType.UINT8,
        "standard_digital_output": FieldType.UINT8,
        "configurable_digital_output_mask": FieldType.UINT8,
        "configurable_digital_output": FieldType.UINT8,
        "tool_digital_output_mask": FieldType.UINT8,
        "tool_digital_output": FieldType.UINT8,
        "standard_analog_output_mask": FieldType.UINT8,
        "standard_analog_output_type": FieldType.UINT8,
        "standard_analog_output_0": FieldType.DOUBLE,
        "standard_analog_output_1": FieldType.DOUBLE,
        "external_force_torque": FieldType.VECTOR6D,
    }
)
"""Fields that a client can write."""
NEEDS_E_SERIES = frozenset({"ft_raw_wrench"})
"""Fields that a CB3 controller does not have."""


def field_types(names: Sequence[str], known: Mapping[str, FieldType]) -> tuple[FieldType, ...]:
    """Return the types of fields, or raise :class:`UnknownName`."""
    for name in names:
        if name not in known:
            raise UnknownName(f"no RTDE field named {name!r}.{did_you_mean(name, known)}")
    return tuple(known[name] for name in names)
