"""Cells of a comparison on images: methods that share their work, on one class of one image set."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.studies.base import BaseCell

Leave = Literal["leave-one-out", "leave-one-in"]


@dataclass(frozen=True)
class ImageCell(BaseCell):
    """Many configurations of one method, or of several on the same networks, fitted on one split of one image set.

    Args:
        images: Name of the image set.
        methods: Short names of the methods.
        class_index: Which class, counted in the order in which they first appear.
        seed: Of the split and of every fit.
        leave: ``leave-one-out`` makes this class the anomaly, ``leave-one-in`` all others.
        configurations: How many are tried; of networks, how many are trained. All scores of a network are tried.
        n_second_stage: Configurations of a second stage on the codes of each network.
        machines: Support vector machines whose mean score is taken, each fitted on its own training images.
        machine_rows: Training images of each machine at most; None shares out all of them.
        search: Seed of the configurations.
        n_train: Training images at most; None for all.
        n_test: Images to choose by, and as many to judge by, at most; None for all.
        fixed: Parameters that every configuration shares, such as fewer iterations.
        kind: Tells these cells from others in files.

    Example:
        >>> ImageCell("mnist", ("vae", "vaek"), 3).label
        'mnist/vae+vaek/3/1'
    """

    images: str
    methods: tuple[str, ...]
    class_index: int
    seed: int = 1
    leave: Leave = "leave-one-out"
    configurations: int = 100
    n_second_stage: int = 0
    machines: int = 0
    machine_rows: int | None = None
    search: int = 0
    n_train: int | None = None
    n_test: int | None = None
    fixed: dict[str, Any] = field(default_factory=dict)
    kind: Literal["image-search"] = "image-search"

    @property
    def label(self) -> str:
        """Image set, methods, class and seed, for people."""
        return f"{self.images}/{'+'.join(self.methods)}/{self.class_index}/{self.seed}"

    @property
    def source(self) -> str:
        """A hash of what decides the images."""
        return hashlib.sha256(json.dumps(["images", self.images]).encode()).hexdigest()

    @property
    def data_label(self) -> str:
        """Name of its image set in progress messages."""
        return f"images {self.images}"

    def columns(self) -> dict[str, Any]:
        """Return the columns of every row; the image set is stored as the world."""
        return {"world": self.images, "policy": "", "name": "+".join(self.methods)}
