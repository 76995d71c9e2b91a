"""A made-up run of every kind of study."""

from ..kinds.diagnosis.made_diagnosis import diagnosis_results
from ..kinds.streams.made_streams import stream_results
from ..kinds.transfer.made_transfer import transfer_results
from ..kinds.unseen_policy.made_unseen_policy import unseen_policy_results
from ..reports.synthetic import run_results
from .anovox.made_gap import gap_results
from .anovox.made_scenes import scene_results
from .comparison.made_comparison import comparison_results
from .novelcraft.made_novelty import novelty_results
from .ood_rl.made_ood import ood_results

RUNS = {
    "study": lambda: run_results(replicates=20, seeds=1, worlds=("SAP-Goal1-v0",), names=("KNN", "Time")),
    "search": lambda: comparison_results("search"),
    "image-search": lambda: comparison_results("image-search"),
    "ood-rl": ood_results,
    "scenes": scene_results,
    "domain-gap": gap_results,
    "novelty": novelty_results,
    "transfer": transfer_results,
    "diagnosis": diagnosis_results,
    "unseen-policy": unseen_policy_results,
    "streams": stream_results,
}
