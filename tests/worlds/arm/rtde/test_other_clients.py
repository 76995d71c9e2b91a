"""The virtual controller answers other clients as a robot does, message by message."""

import numpy as np
import pytest

from offnominal.worlds.arm.errors import InvalidPackage
from offnominal.worlds.arm.kinematics import forward, pose_vector
from offnominal.worlds.arm.rtde import FREE_PORTS, HOME, RobotServer, VirtualController
from offnominal.worlds.arm.rtde.connection import Connection, DashboardConnection, RtdeConnection
from offnominal.worlds.arm.rtde.packages import Package, PackageType

pytestmark = pytest.mark.long

DOWN = pose_vector(forward(HOME))
PATIENCE = 60.0
"""Seconds after which an answer counts as missing; long, because the machine may be busy."""
ANSWER = "output_int_register_0"
# What the receiving client of ur_rtde asks for, whatever the controller.
RECEIVED = [
    "timestamp",
    "target_q",
    "target_qd",
    "target_qdd",
    "target_current",
    "target_moment",
    "actual_q",
    "actual_qd",
    "actual_current",
    "joint_control_output",
    "actual_TCP_pose",
    "actual_TCP_speed",
    "actual_TCP_force",
    "target_TCP_pose",
    "target_TCP_speed",
    "actual_digital_input_bits",
    "joint_temperatures",
    "actual_execution_time",
    "robot_mode",
    "joint_mode",
    "safety_mode",
    "actual_tool_accelerometer",
    "speed_scaling",
    "target_speed_fraction",
    "actual_momentum",
    "actual_main_voltage",
    "actual_robot_voltage",
    "actual_robot_current",
    "actual_joint_voltage",
    "actual_digital_output_bits",
    "runtime_state",
    "standard_analog_input0",
    "standard_analog_input1",
    "standard_analog_output0",
    "standard_analog_output1",
    "robot_status_bits",
    "safety_status_bits",
    "payload",
    "payload_cog",
    "payload_inertia",
]
REGISTERS = [
    "output_int_register_2",
    *(f"output_{kind}_register_{index}" for kind in ("int", "double") for index in range(12, 20)),
]
CONTROLLED = ["timestamp", "robot_status_bits", "safety_status_bits", "runtime_state", ANSWER]


def doubles(count):
    return [f"input_double_register_{index}" for index in range(count)]


@pytest.fixture(params=["cb3", "e-series"])
def server(request):
    with RobotServer(VirtualController(request.param), ports=FREE_PORTS, speed="lockstep") as running:
        yield running


@pytest.fixture
def link(server):
    connection = RtdeConnection(Connection("127.0.0.1", server.ports.rtde, PATIENCE))
    yield connection
    connection.close()


def test_receiving_client_gets_all_its_fields(server, link):
    extra = ["ft_raw_wrench"] if server.controller.model.name == "e-series" else []
    link.setup_outputs((*RECEIVED, *extra, *REGISTERS), float(server.controller.model.rate))
    link.start()
    values = link.read(PATIENCE)
    np.testing.assert_allclose(values["actual_q"], HOME)
    assert (values["robot_mode"], values["safety_mode"], values["runtime_state"]) == (7, 1, 1)


def test_version_tells_the_rate(server, link):
    expected = {"cb3": (3, 15), "e-series": (5, 11)}[server.controller.model.name]
    assert (link.version.major, link.version.minor) == expected


def test_pause_stops_the_data_and_start_goes_on(server, link):
    link.setup_outputs(("timestamp",), 125.0)
    link.start()
    link.read(PATIENCE)
    link.pause()
    link.newest()
    server.controller.cycle()
    assert link.newest() is None
    link.start()
    assert link.read(PATIENCE)["timestamp"] == server.controller.time


def test_data_follows_the_answers_and_start_needs_outputs(link):
    with pytest.raises(InvalidPackage, match="set up the outputs first"):
        link.start()


def test_input_recipes_are_numbered_in_their_order(link):
    # As many doubles as the controlling client of ur_rtde has in its recipes; it assumes the numbers 1 to 20.
    recipes = [doubles(count) for count in (8, 11, 18, 0, 9, 6, 4, 1, 0, 14, 0, 12, 8, 14, 0, 13, 6)]
    recipes += [["external_force_torque"], doubles(7), doubles(1)]
    assert [link.setup_inputs(("input_int_register_0", *names)).id for names in recipes] == [*range(1, 21)]


def test_commands_through_registers_are_done_and_cleared(server, link):
    link.setup_outputs(tuple(CONTROLLED), float(server.controller.model.rate))
    command = link.setup_inputs(("input_int_register_0", *doubles(8), "input_int_register_1"))
    clear = link.setup_inputs(("input_int_register_0",))
    link.start()
    assert link.read(PATIENCE)["runtime_state"] == 1
    dashboard = DashboardConnection(Connection("127.0.0.1", server.ports.dashboard, PATIENCE))
    script = Connection("127.0.0.1", server.ports.script, PATIENCE)
    script.send(b"def rtde_control():\n  while True:\n    sync()\n  end\nend\n")
    values = link.read(PATIENCE)
    assert values["runtime_state"] == 2
    assert values[ANSWER] == 1
    target = [*DOWN[:2], DOWN[2] - 0.05, *DOWN[3:], 0.25, 1.0]
    values = dict(zip(command.names, (3, *target, 0), strict=True))
    link.write(command, values)
    assert link.read(PATIENCE)[ANSWER] == 2
    link.write(clear, {"input_int_register_0": 0})
    assert link.read(PATIENCE)[ANSWER] == 1
    assert abs(server.controller.backend.tcp_pose[2] - target[2]) < 1e-3
    link.write(clear, {"input_int_register_0": 255})
    assert link.read(PATIENCE)["runtime_state"] == 1
    assert dashboard.ask("programState") == "STOPPED <unnamed>"
    for connection in (dashboard, script):
        connection.close()


def test_wrong_data_package_is_answered_with_a_text_message(link):
    link.setup_outputs(("timestamp",), 125.0)
    recipe = link.setup_inputs(("input_int_register_0",))
    for payload in (b"", b"\x07\0\0\0\0", bytes([recipe.id]), bytes([recipe.id]) + bytes(9)):
        link.connection.send(Package(PackageType.DATA, payload).encode())
    link.start()
    assert len(link.messages) == 4
    assert all("data package" in message.text for message in link.messages)


def test_unknown_and_taken_fields_are_named(server, link):
    for names in (("no_such_field",), ("timestamp",)):
        payload = link.request(PackageType.SETUP_INPUTS, ",".join(names).encode())
        assert payload == b"\x00NOT_FOUND"
    link.setup_inputs(("input_int_register_0",))
    other = RtdeConnection(Connection("127.0.0.1", server.ports.rtde, PATIENCE))
    with pytest.raises(InvalidPackage, match="another client writes input_int_register_0"):
        other.setup_inputs(("input_int_register_0",))
    other.close()
