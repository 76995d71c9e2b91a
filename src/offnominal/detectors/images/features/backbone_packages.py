"""Backbones from torchvision, timm and open_clip; each package downloads its own weights."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.detectors.images.features.backbone import (
    IMAGENET_MEAN,
    IMAGENET_STD,
    Backbone,
    Features,
    features_of_output,
)


class TimmBackbone(Backbone):
    """A timm model with its pretrained weights.

    Args:
        model: Name of the model in timm.
    """

    def __init__(self, model: str) -> None:
        timm = _package("timm", "timm", f"timm:{model}")
        network = _built(f"timm:{model}", lambda: timm.create_model(model, pretrained=True, num_classes=0))
        about = timm.data.resolve_model_data_config(network)
        super().__init__(f"timm:{model}", about["input_size"][-1], about["mean"], about["std"])
        self.network = network

    def features(self, images: Tensor) -> Features:
        """Return the features of standardised images; feature maps with channels last are permuted."""
        output = self.network.forward_features(images)
        pooled = self.network.forward_head(output, pre_logits=True)
        if output.ndim == 4 and output.shape[1] != self.network.num_features:
            output = output.permute(0, 3, 1, 2)
        n_prefix_tokens = getattr(self.network, "num_prefix_tokens", 0) if output.ndim == 3 else 0
        return Features(pooled, pooled, features_of_output(output).tokens[:, n_prefix_tokens:])


class TorchvisionBackbone(Backbone):
    """A convolutional torchvision model with its default weights.

    Args:
        model: Name of the model in torchvision.
    """

    def __init__(self, model: str) -> None:
        name = f"torchvision:{model}"
        models = _package("torchvision.models", "torchvision", name)
        network = _built(name, lambda: models.get_model(model, weights="DEFAULT"))
        about = models.get_model_weights(model).DEFAULT.transforms()
        mean, std = getattr(about, "mean", IMAGENET_MEAN), getattr(about, "std", IMAGENET_STD)
        super().__init__(name, about.crop_size[0], mean, std)
        if isinstance(getattr(network, "features", None), nn.Module):
            self.network = network.features
        elif hasattr(network, "layer4"):
            self.network = nn.Sequential(*list(network.children())[:-2])
        else:
            raise InvalidParameter(
                f"torchvision's {model} has no known stack of convolutions; choose another model, or use timm."
            )

    def features(self, images: Tensor) -> Features:
        """Return the features of standardised images: the last feature map and its mean."""
        return features_of_output(self.network(images))


class OpenClipBackbone(Backbone):
    """The image encoder of an open_clip model.

    Args:
        model: Name of the model in open_clip and tag of its weights: ``"ViT-B-32/openai"``.
    """

    def __init__(self, model: str) -> None:
        name = f"open_clip:{model}"
        architecture, _, tag = model.partition("/")
        if not tag:
            raise InvalidParameter(f"backbone is {name!r}; name the weights too, as in 'open_clip:ViT-B-32/openai'.")
        package = _package("open_clip", "open_clip_torch", name)
        tower = _built(name, lambda: package.create_model(architecture, pretrained=tag)).visual
        size = tower.image_size[0] if isinstance(tower.image_size, tuple | list) else tower.image_size
        super().__init__(name, size, tower.image_mean, tower.image_std)
        self.network = tower
        self.network.output_tokens = True

    def features(self, images: Tensor) -> Features:
        """Return the features of standardised images; convolutional encoders have no tokens."""
        output = self.network(images)
        embedded, tokens = output if isinstance(output, tuple) else (output, output[:, None][:, :0])
        return Features(embedded, embedded, tokens)


PACKAGES: dict[str, type[TimmBackbone | TorchvisionBackbone | OpenClipBackbone]] = {
    "timm": TimmBackbone,
    "torchvision": TorchvisionBackbone,
    "open_clip": OpenClipBackbone,
}


def _package(module: str, distribution: str, backbone: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingDependency(
            f"the backbone {backbone!r} needs {distribution} ({error}); install it with `pip install "
            "offnominal[vision]`, in the version that fits your torch "
            f"({torch.__version__})."
        ) from None


def _built(backbone: str, build: Callable[[], Any]) -> Any:
    """Return the model that a package builds; raise its errors as :class:`InvalidParameter`."""
    try:
        return build()
    except Exception as error:
        raise InvalidParameter(
            f"the backbone {backbone!r} could not be built ({type(error).__name__}: {error}); check its name, and that "
            "its weights can be downloaded."
        ) from error
