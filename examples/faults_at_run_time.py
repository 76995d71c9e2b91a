"""Start a fault while a monitor watches the agent, stop it after the alarm, and print the episode."""

import numpy as np

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.detectors import make_detector

WORLD = "MJC-CartpoleSwingup-v0"
SEED = 1000


def main() -> None:
    """Run one monitored episode with a fault that starts and stops at run time."""
    policy = off.expert(WORLD)
    nominal = off.collect(WORLD, policy, 60)
    detector = make_detector("KNN").fit(nominal[:30])
    alarm = EpisodeMaximum(alpha=0.1).fit(detector.score(nominal[30:]))
    env = off.make(WORLD, faults=())
    monitor = off.Monitor(env, detector, alarm)
    observation, info = monitor.reset(seed=SEED)
    state = policy.start(np.array([SEED]), np.array([0]))
    for t in range(60):
        if t == 40:
            env.start_fault(off.Fault("observation/drift", 0.02))
        if info["alarm"]:
            env.stop_fault()
        actions, state = policy.act(observation[None], state)
        observation, _, _, _, info = monitor.step(actions[0])
        label = "faulty" if info["active"] else "nominal"
        print(f"{t:3d}  {label:8s} score {info['score']:6.3f}{'  alarm' if info['alarm'] else ''}")
    print(*env.events)


if __name__ == "__main__":
    main()
