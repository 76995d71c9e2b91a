"""Write the numbers of NovelCraft that follow from the released scores: `python tools/recompute_novelcraft.py`.

The scores must be in the data home, as `novelcraft/released_scores.npz`. The file in the package names their source.
"""

import csv
import sys
from pathlib import Path

import offnominal
from offnominal.core.files import sha256_of
from offnominal.papers.novelcraft.published import PLUS, PublishedNumber, published_numbers
from offnominal.papers.novelcraft.recomputed import FILE, recompute, released_file

REPOSITORY = "https://github.com/tufts-ai-robotics-group/polycraft-novelty-detection, branch TMLR"
FRAMES = {
    ("NDCC", ""): "vgg/eval_ndcc/stanford_dogs_times_1e-1",
    ("NDCC", PLUS): "vgg/eval_ndcc/plus",
    ("ODIN", ""): "vgg/eval_odin/t=1000_n=0.0000",
    ("ODIN", PLUS): "vgg/eval_odin/plus/t=1000_n=0.0000",
    ("Deep Ensemble", ""): "vgg/eval_ensemble",
    ("Deep Ensemble", PLUS): "vgg/eval_ensemble/plus",
    ("One-Class SVM", ""): "vgg/eval_ocsvm/nu=0.800000_gamm=0.000010",
    ("One-Class SVM", PLUS): "vgg/eval_ocsvm/plus/subset_10000/nu=0.800000_gamm=0.001778",
    ("Autoencoder", ""): "polycraft/noisy/scale_1/patch_based/AE_patchwise",
    ("Autoencoder", PLUS): "polycraft/noisy/scale_1/patch_based/plus/AE_patchwise",
}
EPISODES = {
    "Visual": "episode/ae_patch/eval_patch",
    "Symbolic": "episode/json/eval_json_{}",
    "Multimodal": "episode/multimodal/eval_multimodal_{}",
}
OUT = Path(offnominal.__file__).parent / "papers" / "novelcraft" / "recomputed.csv"


def main() -> int:
    """Write the file; return the exit code."""
    file = released_file()
    if file is None:
        print(f"{FILE} is not in the data home", file=sys.stderr)
        return 1
    numbers = [number for table in ("3", "4", "E1") for number in published_numbers(table)]
    with OUT.open("w", encoding="utf-8", newline="") as out:
        out.write(f"# Made by tools/recompute_novelcraft.py from {FILE.as_posix()}, SHA-256 {sha256_of(file)}.\n")
        out.write(f"# Its scores were released in {REPOSITORY}: the column source is the folder below models.\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["table", "method", "variant", "metric", "as_published", "ours", "source"])
        for number in numbers:
            found = recompute(number)
            values = ("" if value is None else f"{value:.10g}" for value in (found.as_published, found.ours))
            writer.writerow([number.table, number.method, number.variant, number.metric, *values, source(number)])
    return 0


def source(number: PublishedNumber) -> str:
    """Return the folder of the released scores that a number follows from."""
    if number.table == "4":
        return EPISODES[number.method].format(number.variant)
    return FRAMES[number.method, number.variant if number.variant == PLUS else ""]


if __name__ == "__main__":
    sys.exit(main())
