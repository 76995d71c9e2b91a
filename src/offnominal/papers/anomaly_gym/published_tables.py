"""The tables and figures of the Anomaly-Gym paper that our results are compared with."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from offnominal.papers.anomaly_gym.discrimination_tables import (
    every_metric,
    every_metric_as_published,
    table_3,
    without_group,
)
from offnominal.papers.anomaly_gym.evidence import experiments
from offnominal.papers.anomaly_gym.mean_figure import UNKNOWN, mean_figure
from offnominal.papers.anomaly_gym.policy_table import table_5, table_5_images, without_means
from offnominal.papers.anomaly_gym.published_numbers import PAPER
from offnominal.papers.anomaly_gym.strength_table import table_9
from offnominal.papers.anomaly_gym.timing_table import table_4
from offnominal.papers.anomaly_gym.training_tables import table_10, table_11
from offnominal.papers.anomaly_gym.world_tables import table_6, table_7
from offnominal.papers.causes import explainer
from offnominal.papers.paper import Published, PublishedTable
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

VECTORS, IMAGES = "anomaly-gym", "anomaly-gym-images"
AS_PUBLISHED, IMAGES_AS_PUBLISHED = f"{VECTORS}-as-published", f"{IMAGES}-as-published"
UNREADABLE = "The ticks cannot be read: their columns are shifted, and the row of the paper contradicts its text."


def published_lines() -> dict[str, list[PublishedComparison]]:
    """Return the published values that experiments are about, by the number of their table."""
    vectors, images = (replace(RunResults.none(), name=name) for name in (VECTORS, IMAGES))
    return {
        "3": table_3(vectors) + table_3(images),
        "4": table_4(vectors),
        "12": every_metric(vectors),
        "13": every_metric(images),
    }


_explain = partial(explainer, protocol(PAPER), experiments, published_lines)
PUBLISHED = Published(
    (
        PublishedTable(1, "related work", "", lambda _: [], not_computed=UNREADABLE),
        PublishedTable(
            3,
            "local AUROC of PE-DM by group of worlds and kind of fault",
            VECTORS,
            table_3,
            study_as_published=AS_PUBLISHED,
            explain=_explain("3"),
            unfilled=without_group,
        ),
        PublishedTable(
            4,
            "timing under three thresholds",
            VECTORS,
            table_4,
            study_as_published=AS_PUBLISHED,
            explain=_explain("4"),
        ),
        PublishedTable(5, "policies and detectors under other policies", "anomaly-gym-policies", table_5),
        PublishedTable(6, "sizes and anomalies of the ten worlds", "", table_6),
        PublishedTable(7, "numbers of the desiderata", "", table_7),
        PublishedTable(9, "parameters of faults", "", table_9),
        PublishedTable(10, "settings of the training of policies", "", table_10),
        PublishedTable(11, "parameters of detectors", "", table_11),
        PublishedTable(
            12,
            "every metric of every detector, world and level",
            VECTORS,
            every_metric,
            compare_as_published=every_metric_as_published,
            study_as_published=AS_PUBLISHED,
            explain=_explain("12"),
        ),
        PublishedTable(
            3,
            "local AUROC of LRDM by group of worlds and kind of fault",
            IMAGES,
            table_3,
            study_as_published=IMAGES_AS_PUBLISHED,
            images=True,
            explain=_explain("3"),
            unfilled=without_group,
        ),
        PublishedTable(
            5,
            "image detectors under other policies",
            f"{IMAGES}-policies",
            table_5_images,
            images=True,
            unfilled=without_means,
        ),
        PublishedTable(
            13,
            "every metric of every image detector, world and level",
            IMAGES,
            every_metric,
            compare_as_published=every_metric_as_published,
            study_as_published=IMAGES_AS_PUBLISHED,
            images=True,
            explain=_explain("13"),
        ),
    ),
    figures=(mean_figure(VECTORS, 12, images=False), mean_figure(IMAGES, 13, images=True)),
    unknown_figures={"4": UNKNOWN, "5": UNKNOWN},
    protocol=protocol(PAPER),
    experiments=experiments,
    experiment_lines=published_lines,
)
