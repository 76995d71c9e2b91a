"""A virtual controller moves its arm as the registers say, and stops when it should."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.worlds.arm.kinematics import angle_between, forward, pose_vector
from offnominal.worlds.arm.rtde import HOME, VirtualController
from offnominal.worlds.arm.rtde.commands import ANSWER, ARGUMENTS, COMMAND, HEARTBEAT, Answer, Command, control_script
from offnominal.worlds.arm.rtde.dashboard_session import DashboardSession
from offnominal.worlds.arm.rtde.fields import OUTPUTS
from offnominal.worlds.arm.rtde.limits import distance
from offnominal.worlds.arm.rtde.status import RuntimeState, SafetyMode, SafetyStatus

pytestmark = pytest.mark.long

DOWN = pose_vector(forward(HOME))


def shifted(x=0.0, y=0.0, z=0.0):
    return DOWN + np.array([x, y, z, 0.0, 0.0, 0.0])


def near(pose, target, tolerance=1e-6):
    return distance(pose, target) < tolerance and angle_between(pose, target) < tolerance


def started(model="cb3", **options):
    controller = VirtualController(model, **options)
    controller.start_program(control_script(0.5))
    return controller


def give(controller, command, *numbers):
    controller.write({COMMAND: int(command), **dict(zip(ARGUMENTS, numbers, strict=False))})


def run(controller, seconds):
    for _ in range(round(seconds * controller.model.rate)):
        controller.write({HEARTBEAT: controller.cycles})
        controller.cycle()


def run_to_end(controller, limit=60.0):
    for _ in range(round(limit * controller.model.rate)):
        if controller.registers.answer == Answer.DONE:
            run(controller, 0.5)
            return
        controller.write({HEARTBEAT: controller.cycles})
        controller.cycle()
    raise AssertionError("the motion never ended")


def tcp(controller):
    return np.array(controller.value("actual_TCP_pose"))


@pytest.mark.parametrize("model", ["cb3", "e-series"])
def test_move_l_ends_at_its_target_on_a_straight_line(model):
    controller = started(model)
    target = shifted(-0.1, 0.03, -0.08)
    give(controller, Command.MOVE_L, *target, 0.2, 0.8)
    way = []
    while controller.registers.answer != Answer.DONE:
        run(controller, 0.02)
        way.append(tcp(controller)[:3])
    run(controller, 0.5)
    assert near(tcp(controller), target)
    line = (target - DOWN)[:3] / np.linalg.norm((target - DOWN)[:3])
    off = [point - DOWN[:3] - line * ((point - DOWN[:3]) @ line) for point in way]
    assert np.abs(off).max() < 1e-4


def test_move_j_ends_at_its_target_with_limited_speed():
    controller = started()
    target = np.add(HOME, [0.5, -0.1, 0.2, 0.0, 0.1, -0.3])
    give(controller, Command.MOVE_J, *target, 0.6, 1.0)
    fastest = 0.0
    while controller.registers.answer != Answer.DONE:
        run(controller, 0.02)
        fastest = max(fastest, float(np.abs(controller.value("actual_qd")).max()))
    run(controller, 0.5)
    assert np.abs(np.array(controller.value("actual_q")) - target).max() < 1e-6
    assert 0.5 < fastest <= 0.61


def test_program_answers_done_until_the_command_is_cleared():
    controller = started()
    assert controller.value(ANSWER) == Answer.READY
    give(controller, Command.MOVE_J, *HOME, 0.5, 0.5)
    run_to_end(controller)
    assert controller.value(ANSWER) == Answer.DONE
    give(controller, Command.NONE)
    controller.cycle()
    assert controller.value(ANSWER) == Answer.READY


def test_asynchronous_motion_goes_on_after_the_answer():
    controller = started()
    controller.write({"input_int_register_1": 1})
    target = shifted(z=-0.05)
    give(controller, Command.MOVE_L, *target, 0.1, 0.5)
    run(controller, 0.1)
    assert controller.value(ANSWER) == Answer.DONE
    assert controller.value("output_int_register_2") == 0
    give(controller, Command.NONE)
    run(controller, 3.0)
    assert controller.value(ANSWER) == Answer.READY
    assert controller.value("output_int_register_2") == -1
    assert near(tcp(controller), target)


def servo_step(controller, seconds=0.3, delay=0.005, lookahead=0.06):
    target = shifted(0.01)
    give(controller, Command.SERVO_L, *target, 1.5, 2.5, delay, lookahead, 100.0)
    way = []
    for _ in range(round(seconds * controller.model.rate)):
        run(controller, controller.dt)
        way.append(tcp(controller)[0] - DOWN[0])
    return np.array(way)


def test_servo_reaches_its_target_and_stays_ready():
    controller = started()
    way = servo_step(controller, 1.0)
    assert abs(way[-1] - 0.01) < 1e-6
    assert controller.value(ANSWER) == Answer.READY
    give(controller, Command.SERVO_STOP, 10.0)
    run_to_end(controller)
    assert controller.value(ANSWER) == Answer.DONE


@pytest.mark.parametrize("fault", ["control_latency", "control_smoothing"])
def test_fault_slows_the_servo_down_and_the_stronger_one_more(fault):
    ways = []
    for value in (None, 0.05, 0.2) if fault == "control_latency" else (None, 0.1, 0.2):
        controller = started()
        setattr(controller.faults, fault, value)
        ways.append(servo_step(controller))
    assert ways[0].sum() > ways[1].sum() > ways[2].sum()


def test_latency_is_a_pure_delay():
    nominal, late = started(), started()
    late.faults.control_latency = 0.08
    first, second = servo_step(nominal, delay=0.008), servo_step(late)
    cycles = round((0.08 - 0.008) * 125)
    np.testing.assert_allclose(second[cycles:], first[:-cycles], atol=1e-12)
    assert (second[: cycles - 1] == second[0]).all()


@pytest.mark.parametrize(
    ("command", "numbers"),
    [
        (Command.SERVO_L, (*shifted(0.3), 1.5, 2.5, 0.005, 0.03, 100.0)),
        (Command.SERVO_L, (*shifted(3.0), 1.5, 2.5, 0.005, 0.03, 100.0)),
        (Command.SERVO_L, (float("nan"), *DOWN[1:], 1.5, 2.5, 0.005, 0.03, 100.0)),
        (Command.MOVE_L, (*DOWN[:5], float("inf"), 0.1, 0.1)),
        (Command.MOVE_L, (*shifted(1.0), 0.5, 5.0)),
        (Command.MOVE_J, (*(np.array(HOME) + 1.0), 20.0, 100.0)),
        (Command.PROTECTIVE_STOP, ()),
    ],
)
def test_impossible_motion_is_a_protective_stop(command, numbers):
    controller = started()
    give(controller, command, *numbers)
    run(controller, 3.0)
    assert controller.safety is SafetyMode.PROTECTIVE_STOP
    assert controller.value("safety_status_bits") & SafetyStatus.PROTECTIVE_STOPPED
    assert controller.value("runtime_state") == RuntimeState.STOPPED
    before = tcp(controller)
    controller.start_program(control_script(0.5))
    give(controller, Command.MOVE_J, *HOME, 0.5, 0.5)
    run(controller, 0.5)
    assert not controller.running
    np.testing.assert_allclose(tcp(controller), before, atol=1e-6)
    controller.unlock()
    controller.start_program(control_script(0.5))
    assert controller.running


def test_watchdog_stops_the_arm_within_its_time():
    controller = started()
    give(controller, Command.MOVE_L, *shifted(-0.2), 0.1, 0.5)
    for _ in range(150):
        controller.cycle()
    assert not controller.running
    stopped = tcp(controller)
    run(controller, 1.0)
    assert 0.02 < DOWN[0] - tcp(controller)[0] < 0.07
    assert np.abs(tcp(controller) - stopped).max() < 0.02


def test_unknown_command_is_answered_with_a_message():
    controller = started()
    give(controller, 200)
    controller.cycle()
    assert controller.value(ANSWER) == Answer.DONE
    assert "200" in controller.messages[0]


def test_every_output_field_has_a_value_of_its_type():
    controller = VirtualController()
    for name, kind in OUTPUTS.items():
        value = controller.value(name)
        assert (len(value) if isinstance(value, tuple) else 1) == kind.length, name


def test_same_seed_gives_the_same_encoder_noise_and_reset_leaves_no_trace():
    first = started(seed=3, encoder_noise=1e-4)
    servo_step(first)
    values = [first.value(name) for name in ("actual_q", "actual_TCP_pose", "timestamp")]
    first.faults.control_latency = 0.2
    first.reset(3)
    assert first.running
    servo_step(first)
    assert [first.value(name) for name in ("actual_q", "actual_TCP_pose", "timestamp")] == values
    second = started(seed=4, encoder_noise=1e-4)
    servo_step(second)
    assert second.value("actual_q") != values[0]
    assert second.value("actual_TCP_pose") == values[1]


def test_unknown_model_is_a_named_error():
    with pytest.raises(InvalidParameter, match="model"):
        VirtualController("ur99")


def test_dashboard_answers_as_documented():
    session = DashboardSession(started())
    answers = {
        "robotmode": "Robotmode: RUNNING",
        "safetymode": "Safetymode: NORMAL",
        "running": "Program running: true",
        "programState": "PLAYING <unnamed>",
        "PolyscopeVersion": "URSoftware 3.15.8.106339 (virtual)",
        "is in remote control": "true",
        "stop": "Stopped",
        "offnominal": "offnominal virtual controller",
        "offnominal control_latency 0.05": "offnominal: done",
        "offnominal control_latency off": "offnominal: done",
        "offnominal protective stop": "offnominal: done",
        "unlock protective stop": "Protective stop releasing",
        "power off": "Powering off",
        "make coffee": 'could not understand: "make coffee"',
    }
    assert {command: session.answer(command) for command in answers} == answers
    for bad in ("control_latency nan", "control_latency -1", "control_latency x", "reset -1", "reset x", "dance"):
        assert session.answer(f"offnominal {bad}") != "offnominal: done"
