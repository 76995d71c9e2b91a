"""Backbones of feature detectors beside the networks of torchvision and timm with the same weights."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.measure import rates
from offnominal.detectors.images.features.published_weights import PUBLISHED_WEIGHTS

PEERS = {
    "resnet18": "torchvision resnet18",
    "vgg16_conv": "torchvision vgg16",
    "efficientnet_lite0": "timm tf_efficientnet_lite0",
    "efficientnet_lite1": "timm tf_efficientnet_lite1",
    "efficientnet_lite2": "timm tf_efficientnet_lite2",
    "dino_vits16": "timm vit_small_patch16_224",
}
WINDOW, TURNS = 2.0, 5
Row = dict[str, Any]


def backbones() -> list[Row]:
    """Features of one image of the size of the network at a time, on one CPU thread, channels last, with random weights
    (which take as long as published ones). The peer computes the last feature map.
    """
    torch.set_num_threads(1)
    return [row(name, *peer.split()) for name, peer in PEERS.items()]


def row(name: str, package: str, model: str) -> Row:
    ours = PUBLISHED_WEIGHTS[name].build().eval()
    assert ours.size is not None
    image = torch.randn(1, 3, ours.size, ours.size).contiguous(memory_format=torch.channels_last)
    contenders = {"ours": features(ours, ours.features, image)}
    theirs = peer_features(package, model)
    if theirs is not None:
        contenders["peer"] = features(*theirs, image)
    found = {each: rate.per_cpu_second for each, rate in rates(contenders, window=WINDOW, turns=TURNS).items()}
    return {
        "backbone": name,
        "side": ours.size,
        "weights, million": sum(each.numel() for each in ours.parameters()) / 1e6,
        "ours, CPU-ms": 1e3 / found["ours"],
        "peer": f"{package} {model}" if theirs else "",
        "peer, CPU-ms": 1e3 / found["peer"] if theirs else None,
        "ratio": found["ours"] / found["peer"] if theirs else None,
    }


def features(network: nn.Module, compute: Callable[[Tensor], Any], image: Tensor) -> Callable[[], int]:
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    @torch.inference_mode()
    def work() -> int:
        compute(image)
        return 1

    return work


def peer_features(package: str, model: str) -> tuple[nn.Module, Callable[[Tensor], Any]] | None:
    """Return a network of another package and what computes its features; None if it is not installed."""
    try:
        peer = import_module(package)
    except ImportError:
        return None
    if package == "timm":
        network = peer.create_model(model, pretrained=False).eval()
        return network, network.forward_features
    network = peer.models.get_model(model, weights=None).eval()
    return network, getattr(network, "features", network)


SECTIONS = {"Backbones": backbones}
"""Sections of the report."""
