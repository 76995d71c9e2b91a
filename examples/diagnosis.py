"""Draw the explanation of an episode with a faulty sensor: `python examples/diagnosis.py [folder]`."""

import sys
from pathlib import Path

import offnominal as off
from offnominal.detectors import make_detector

WORLD = "MJC-CartpoleSwingup-v0"
NAMES = ["cart position", "pole angle", "cart velocity", "pole velocity", "force"]


def main(folder: Path) -> None:
    """Write diagnosis.png."""
    policy = off.expert(WORLD)
    fault = off.Fault("observation/offset", 0.3, schedule=100, channels=["cart position"])
    (faulty,) = off.collect(WORLD, policy, 1, seed=500, faults=fault)
    detector = make_detector("Mahalanobis", view="transition").fit(off.collect(WORLD, policy, 30))
    nominal = off.collect(WORLD, policy, 40, seed=2000)
    explanation = detector.explain(faulty, names=NAMES, nominal=nominal)
    print(explanation)
    print(explanation.table())
    folder.mkdir(parents=True, exist_ok=True)
    explanation.plot().savefig(folder / "diagnosis.png")
    print(f"Written: {folder / 'diagnosis.png'}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets"]))
