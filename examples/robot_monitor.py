"""Watch a virtual UR robot online: a fault of its commands raises an alarm, and the alarm stops the arm."""

from typing import Any

import offnominal as off
from offnominal.agents import scripted_expert
from offnominal.alarms import AlarmEvidence, EpisodeMaximum
from offnominal.detectors import make_detector

WORLD = "URR-Reach-v0"
ONSET = 60


def main() -> None:
    """Fit a detector and an alarm, then run one faulty episode."""
    policy = scripted_expert(WORLD)
    detector = make_detector("KNN", view="transition").fit(off.collect(WORLD, policy, 30))
    alarm = EpisodeMaximum(alpha=0.05).fit(detector.score(off.collect(WORLD, policy, 20, seed=1000)))
    fault = off.Fault("action/offset", 1.0, schedule=ONSET)
    robot: Any = off.make(WORLD, faults=fault)

    def stop(evidence: AlarmEvidence) -> None:
        print(f"fault at step {ONSET}, alarm at step {evidence.step}: stop")
        robot.unwrapped.world.stop()

    env = off.Monitor(robot, detector, alarm, on_alarm=stop)
    observation, _ = env.reset(seed=2000)
    over = False
    while not over:
        observation, _, terminated, truncated, info = env.step(policy(observation))
        over = terminated or truncated or info["alarmed"]
    env.close()


if __name__ == "__main__":
    main()
