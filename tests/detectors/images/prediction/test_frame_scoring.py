"""Frames go to the device as they are stored; it transposes them, to the scores of frames that the host transposed."""

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode

from offnominal.detectors.images.image_scaling import scale_pixels
from offnominal.laws import GPU_ROUNDING

pytestmark = pytest.mark.long


class Moves(TorchFunctionMode):
    """Notes each move to a device and each copy of frames, with their shape."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, function, types, arguments=(), options=None):
        name = getattr(function, "__name__", "")
        if name in ("to", "contiguous") and arguments[0].dtype == torch.uint8:
            self.seen.append((name, tuple(arguments[0].shape), arguments[0].is_contiguous()))
        return function(*arguments, **(options or {}))


def steps_of(fitted, episodes, length=6):
    """Return frames (n, length + 1, 3, H, W), normalised actions and the state before them."""
    frames = np.stack([episode.observations[: length + 1] for episode in episodes])
    actions = np.stack([fitted.scaling_.actions(episode.actions[:length]) for episode in episodes])
    return frames, actions, torch.zeros(len(episodes), fitted.network_.state_size)


@torch.inference_mode()
def test_scores_are_those_of_frames_that_the_host_transposes(fitted, fresh):
    frames, actions, state = steps_of(fitted, fresh)
    on_host = np.moveaxis(np.ascontiguousarray(np.moveaxis(frames, 2, -1)), -1, 2)
    device = fitted.device_
    pixels = scale_pixels(torch.from_numpy(on_host).to(device), *fitted.network_.pixel_range)
    expected, _ = fitted.network_.anomaly_scores(pixels, torch.from_numpy(actions).to(device), state.to(device))
    scores, _ = fitted._scorer().score_steps(frames, actions, state)
    if device.type == "cpu":
        np.testing.assert_array_equal(scores, expected.cpu().numpy())
    else:  # convolutions of another memory layout sum in another order
        np.testing.assert_allclose(scores, expected.cpu().numpy(), rtol=GPU_ROUNDING)


def test_the_host_only_hands_frames_over(fitted, fresh, monkeypatch):
    frames, actions, state = steps_of(fitted, fresh)
    handed_over, from_numpy = [], torch.from_numpy

    def noted(array):
        handed_over.append(array)
        return from_numpy(array)

    monkeypatch.setattr(torch, "from_numpy", noted)
    with Moves() as moves:
        fitted._scorer().score_steps(frames, actions, state)
    assert handed_over[0] is frames
    shape = frames.shape
    assert moves.seen == [("to", shape, True), ("contiguous", (*shape[:2], *shape[3:], shape[2]), False)]
