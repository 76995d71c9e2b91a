"""Metrics of driving scenes (voxels, pixels, points) and of novelty (frames)."""

from __future__ import annotations

from offnominal.evaluation.metric import Metric

ELEMENT_METRICS = (
    Metric(
        "f1",
        "scenes",
        "F1",
        "Harmonic mean of precision and recall of voxels, pixels or points at the threshold of the validation scenes.",
        "2 · PPV · recall / (PPV + recall)",
        "One threshold for all scenes, chosen before the test.",
    ),
    Metric(
        "ppv",
        "scenes",
        "PPV (precision)",
        "Share of the detected voxels, pixels or points that are anomalous.",
        "TP / (TP + FP)",
        "With the recall, at the same threshold.",
    ),
    Metric(
        "recall",
        "scenes",
        "Recall (TPR)",
        "Share of the anomalous voxels, pixels or points that are detected.",
        "TP / (TP + FN)",
        "With the precision, at the same threshold.",
    ),
    Metric(
        "f1_star",
        "scenes",
        "F1*",
        "Mean F1 of connected components over eleven required overlaps, as in SegmentMeIfYouCan.",
        "mean of F1(λ) for λ = 0.25, 0.30, …, 0.75; a true component is found if its sIoU is at least λ",
        "Objects count alike, whatever their size.",
    ),
    Metric(
        "ppv_star",
        "scenes",
        "PPV*",
        "Mean share of the detected connected components that lies on true ones.",
        "mean over detected components k of |k ∩ truth| / |k|",
        "How much of what is detected is an anomaly, with equal weights of the components.",
    ),
    Metric(
        "siou",
        "scenes",
        "sIoU",
        "Mean adjusted intersection over union of the true connected components.",
        "mean over true components k of |k ∩ D| / |k ∪ (D without other true components)|; D: detected components at k",
        "How well the outline of a detected object matches.",
    ),
    Metric(
        "tnr_at_tpr",
        "novelty",
        "TNR at TPR 95",
        "Share of the normal frames or episodes without an alarm at the threshold that detects 95 % of the novel ones.",
        "P(s⁻ < τ) with the largest τ for which P(s⁺ ≥ τ) ≥ 0.95",
        "If almost every novelty must be detected. It is 1 − FPR at 95 % TPR.",
    ),
    Metric(
        "ppv_at_tpr",
        "novelty",
        "PPV at TPR 95",
        "Precision at the threshold that detects 95 % of the novel frames; normal and novel frames weigh 75 to 25.",
        "w⁺ TPR / (w⁺ TPR + w⁻ FPR)",
        "As the TNR, in terms of alarms. Depends on the weights.",
    ),
    Metric(
        "tpr_at_ppv",
        "novelty",
        "TPR at a required PPV",
        "Largest share of novel elements that is detected by a threshold with a precision of 80 % (frames) or 95 % "
        "(episodes). Undefined if no threshold has it.",
        "max TPR(τ) over all τ with PPV(τ) ≥ the requirement",
        "If few alarms may be wrong.",
    ),
    Metric(
        "delay_at_tpr",
        "novelty",
        "Delay at TPR 95",
        "Mean number of frames before the first alarm at the threshold that detects 95 % of the novel episodes. An "
        "episode without an alarm counts with its full length, as published.",
        "mean over types of novelty of the mean number of frames before the first alarm",
        "To compare with published delays. `median_delay` treats misses as infinite.",
        higher=False,
        high=None,
        unit="frames",
    ),
    Metric(
        "accuracy_all",
        "novelty",
        "Clustering accuracy",
        "Share of the frames without a label whose cluster is matched with their class. `accuracy_labelled` and "
        "`accuracy_new` are about frames of known and of new classes.",
        "max over one-to-one matchings m of clusters and classes of P(m(cluster) = class)",
        "Discovery of new categories.",
    ),
)
