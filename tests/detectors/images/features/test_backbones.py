"""Published backbones: architecture, weight files, and scaling of images."""

import hashlib
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingDependency, MissingFile
from offnominal.detectors import load_detector, save_detector
from offnominal.detectors.images import KNNResNet
from offnominal.detectors.images.features.backbone import (
    IMAGENET_MEAN,
    IMAGENET_STD,
    Backbone,
    digest,
    features_of_output,
)
from offnominal.detectors.images.features.backbones import load_backbone
from offnominal.detectors.images.features.clip_vit import ClipVit
from offnominal.detectors.images.features.dino_vit import DinoVit
from offnominal.detectors.images.features.published_weights import PUBLISHED_WEIGHTS, PublishedWeights
from offnominal.detectors.images.features.resnet18 import ResNet18

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("build", "weights", "tensors", "names"),
    [
        (
            ResNet18,
            11_689_512,
            122,
            {"conv1.weight", "layer2.0.downsample.1.running_var", "layer4.1.bn2.bias", "fc.bias"},
        ),
        (DinoVit, 21_665_664, 150, {"cls_token", "pos_embed", "patch_embed.proj.bias", "blocks.11.attn.qkv.bias"}),
        (
            ClipVit,
            87_849_216,
            152,
            {"class_embedding", "transformer.resblocks.0.attn.in_proj_weight", "ln_post.bias", "proj"},
        ),
    ],
)
def test_the_architecture_is_that_of_the_public_weights(build, weights, tensors, names):
    with torch.device("meta"):
        backbone = build()
    assert sum(each.numel() for each in backbone.parameters()) == weights
    assert len(backbone.state_dict()) == tensors
    assert names <= backbone.state_dict().keys()


@pytest.mark.parametrize(
    ("build", "shapes"),
    [
        (ResNet18, [(1, 512), (1, 512), (1, 196, 256)]),
        (DinoVit, [(1, 384), (1, 384), (1, 196, 384)]),
        (ClipVit, [(1, 768), (1, 512), (1, 49, 768)]),
    ],
)
@torch.inference_mode()
def test_features_have_the_known_shapes(build, shapes):
    found = build().eval()(torch.zeros(1, 3, 40, 40, dtype=torch.uint8))
    assert [tuple(part.shape) for part in found] == shapes


@torch.inference_mode()
def test_attention_is_that_of_torch():
    torch.manual_seed(0)
    block = DinoVit().blocks[0].attn
    peer = nn.MultiheadAttention(384, 6, batch_first=True)
    peer.load_state_dict(
        {
            "in_proj_weight": block.qkv.weight,
            "in_proj_bias": block.qkv.bias,
            "out_proj.weight": block.proj.weight,
            "out_proj.bias": block.proj.bias,
        }
    )
    tokens = torch.randn(2, 9, 384)
    torch.testing.assert_close(block(tokens), peer(tokens, tokens, tokens)[0], rtol=1e-4, atol=1e-5)


class ScalingOnly(Backbone):
    def features(self, images):
        raise AssertionError("only the scaling is tested")


def test_images_are_resized_and_standardised():
    backbone = ScalingOnly("any", 8, IMAGENET_MEAN, IMAGENET_STD)
    white = backbone.scaled(torch.full((1, 3, 20, 30), 255, dtype=torch.uint8))
    assert white.shape == (1, 3, 8, 8)
    expected = (1 - np.array(IMAGENET_MEAN)) / IMAGENET_STD
    np.testing.assert_allclose(white.mean(dim=(0, 2, 3)), expected, rtol=1e-5)
    checked = torch.zeros(1, 3, 16, 16, dtype=torch.uint8)
    checked[..., ::2] = 200
    assert float(backbone.scaled(checked)[..., 1:-1].std(dim=-1).max()) < 1e-5, "stripes are averaged by antialiasing"


class Tiny(Backbone):
    """A small backbone for weight files."""

    def __init__(self):
        super().__init__("tiny", 8, IMAGENET_MEAN, IMAGENET_STD)
        self.conv = nn.Conv2d(3, 4, 4, 4)

    def features(self, images):
        return features_of_output(self.conv(images))


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Publish the weights of a tiny backbone in a folder; return the network and the file."""
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path / "home"))
    torch.manual_seed(4)
    network = Tiny()
    source = tmp_path / "tiny.pth"
    torch.save(network.state_dict(), source)
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    monkeypatch.setitem(PUBLISHED_WEIGHTS, "tiny", PublishedWeights(Tiny, source.as_uri(), "tiny.pth", sha256))
    return network, source


def test_published_weights_are_downloaded_once(tiny, tmp_path):
    network, source = tiny
    assert digest(load_backbone("tiny")) == digest(network)
    source.unlink()
    assert digest(load_backbone("tiny")) == digest(network)
    assert (tmp_path / "home" / "weights" / "tiny.pth").exists()


def test_weights_with_another_hash_are_neither_kept_nor_loaded(tiny, tmp_path, monkeypatch):
    _, source = tiny
    published = PUBLISHED_WEIGHTS["tiny"]
    kept = tmp_path / "home" / "weights" / "tiny.pth"
    monkeypatch.setitem(PUBLISHED_WEIGHTS, "tiny", replace(published, sha256="397923af"))
    with pytest.raises(DamagedFile, match=r"gave a file with SHA-256 .* the published hash is 397923af"):
        load_backbone("tiny")
    assert not kept.exists()
    monkeypatch.setitem(PUBLISHED_WEIGHTS, "tiny", replace(published, sha256=published.sha256[:8]))
    load_backbone("tiny")
    kept.write_bytes(source.read_bytes() + b"changed")
    with pytest.raises(DamagedFile, match=r"delete tiny\.pth"):
        load_backbone("tiny")


def test_the_digits_in_the_names_of_public_files_begin_their_hash():
    named = {
        file: re.search(r"-([0-9a-f]{8})\.pth$", file) for file in (each.file for each in PUBLISHED_WEIGHTS.values())
    }
    digits = {file: found[1] for file, found in named.items() if found}
    hashes = {each.file: each.sha256 for each in PUBLISHED_WEIGHTS.values()}
    assert set(digits) == {"resnet18-f37072fd.pth", "vgg16-397923af.pth"}
    assert all(len(hashes[file]) == 64 and hashes[file].startswith(start) for file, start in digits.items())


def test_the_part_with_the_prefix_is_read(tiny, tmp_path, monkeypatch):
    network, _ = tiny
    file = tmp_path / "both.safetensors"
    state = {f"visual.{name}": value.half() for name, value in network.state_dict().items()}
    save_file({**state, "text.weight": torch.zeros(3)}, file)
    monkeypatch.setitem(
        PUBLISHED_WEIGHTS, "tiny", PublishedWeights(Tiny, file.as_uri(), "both.safetensors", "", "visual.")
    )
    loaded = load_backbone("tiny")
    assert loaded.conv.weight.dtype == torch.float32
    torch.testing.assert_close(loaded.conv.weight, network.conv.weight, rtol=1e-3, atol=1e-3)


def test_weights_of_another_network_raise_an_error(tiny, tmp_path, monkeypatch):
    other = tmp_path / "other.pth"
    torch.save({"weight": torch.zeros(2)}, other)
    monkeypatch.setitem(PUBLISHED_WEIGHTS, "tiny", PublishedWeights(Tiny, other.as_uri(), "other.pth"))
    with pytest.raises(DamagedFile, match="does not contain the weights of tiny"):
        load_backbone("tiny")


def test_code_in_a_weight_file_is_not_executed(tiny, tmp_path, monkeypatch):
    class Code:
        def __reduce__(self):
            return (exec, ("raise SystemExit('ran')",))

    bad = tmp_path / "bad.pth"
    torch.save({"conv.weight": Code()}, bad)
    monkeypatch.setitem(PUBLISHED_WEIGHTS, "tiny", PublishedWeights(Tiny, bad.as_uri(), "bad.pth"))
    with pytest.raises(DamagedFile, match="does not contain the weights of tiny"):
        load_backbone("tiny")


def test_the_error_about_missing_weights_names_file_folder_and_address(tiny, tmp_path, nominal):
    tiny[1].unlink()
    with pytest.raises(MissingFile) as raised:
        KNNResNet(backbone="tiny", device="cpu").fit(nominal)
    for part in ("tiny.pth", str(tmp_path / "home" / "weights"), tiny[1].as_uri()):
        assert part in str(raised.value)


def test_a_detector_keeps_the_bank_and_the_hash_of_public_weights(tiny, tmp_path, nominal, fresh):
    _, source = tiny
    detector = KNNResNet(backbone="tiny", device="cpu").fit(nominal)
    shared = {"widths", "nominal.observation", "nominal.action"}
    assert detector.state_dict().keys() == shared | {"shape", "curve", "bank", "weights_sha256"}
    save_detector(tmp_path / "saved", detector)
    np.testing.assert_array_equal(load_detector(tmp_path / "saved").score(fresh)[0], detector.score(fresh)[0])
    torch.save(Tiny().state_dict(), source)
    published = PublishedWeights(Tiny, source.as_uri(), "newer.pth")
    PUBLISHED_WEIGHTS["tiny"] = published
    with pytest.raises(DamagedFile, match="not those that KNNResNet was fitted with"):
        load_detector(tmp_path / "saved")


@pytest.mark.parametrize("name", ["timm:resnet10t", "torchvision:resnet50", "open_clip:ViT-B-32/openai"])
def test_a_missing_package_is_named(name, monkeypatch):
    for module in ("timm", "torchvision", "torchvision.models", "open_clip"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependency, match=r"offnominal\[vision\]"):
        load_backbone(name)


class Stub(nn.Module):
    """A small model with the interfaces of timm, torchvision and open_clip."""

    num_features = 4
    num_prefix_tokens = 1
    image_size, image_mean, image_std = (8, 8), IMAGENET_MEAN, IMAGENET_STD

    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(3, 4, 4, 4)

    def forward_features(self, images):
        tokens = self.features(images).flatten(2).transpose(1, 2)
        return torch.cat([tokens[:, :1], tokens], dim=1)

    def forward_head(self, found, pre_logits):
        return found[:, 0]

    def forward(self, images):
        tokens = self.features(images).flatten(2).transpose(1, 2)
        return tokens[:, 0], tokens


def test_models_of_timm_are_backbones(monkeypatch):
    about = {"input_size": (3, 8, 8), "mean": IMAGENET_MEAN, "std": IMAGENET_STD}
    data = SimpleNamespace(resolve_model_data_config=lambda model: about)
    made = SimpleNamespace(create_model=lambda name, pretrained, num_classes: Stub(), data=data)
    monkeypatch.setitem(sys.modules, "timm", made)
    found = load_backbone("timm:stub")(torch.zeros(2, 3, 16, 16, dtype=torch.uint8))
    assert [tuple(part.shape) for part in found] == [(2, 4), (2, 4), (2, 4, 4)]


def test_models_of_torchvision_are_backbones(monkeypatch):
    transforms = SimpleNamespace(crop_size=[8], mean=IMAGENET_MEAN, std=IMAGENET_STD)
    weights = SimpleNamespace(DEFAULT=SimpleNamespace(transforms=lambda: transforms))
    made = {"conv": Stub, "other": lambda: nn.Linear(2, 2)}
    models = SimpleNamespace(get_model=lambda name, weights: made[name](), get_model_weights=lambda name: weights)
    monkeypatch.setitem(sys.modules, "torchvision.models", models)
    monkeypatch.setitem(sys.modules, "torchvision", SimpleNamespace(models=models))
    found = load_backbone("torchvision:conv")(torch.zeros(2, 3, 16, 16, dtype=torch.uint8))
    assert [tuple(part.shape) for part in found] == [(2, 4), (2, 4), (2, 4, 4)]
    with pytest.raises(InvalidParameter, match="other"):
        load_backbone("torchvision:other")
    with pytest.raises(InvalidParameter, match="unheard"):
        load_backbone("torchvision:unheard")


def test_models_of_open_clip_are_backbones(monkeypatch):
    made = SimpleNamespace(create_model=lambda name, pretrained: SimpleNamespace(visual=Stub()))
    monkeypatch.setitem(sys.modules, "open_clip", made)
    found = load_backbone("open_clip:stub/tag")(torch.zeros(2, 3, 16, 16, dtype=torch.uint8))
    assert [tuple(part.shape) for part in found] == [(2, 4), (2, 4), (2, 4, 4)]
    with pytest.raises(InvalidParameter, match="weights too"):
        load_backbone("open_clip:stub")
