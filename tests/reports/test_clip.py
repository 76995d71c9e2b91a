"""Clips show the colours of the world."""

import numpy as np
import pytest

from offnominal.agents import expert
from offnominal.core.errors import InaccessibleFile
from offnominal.reports.clip import write_clip
from offnominal.rollouts import collect

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

WORLDS = ("MJC-CartpoleSwingup-v0", "MJC-HalfCheetah-v0", "MJC-Reacher3D-v0", "OOD-CartPole-v0", "SAP-Goal0-v0")
STEPS = 12


def shown(path):
    """Return the frames of a clip as they are seen, one pixel for each pixel of the world."""
    clip = image.open(path)
    for number in range(clip.n_frames):
        clip.seek(number)
        yield np.asarray(clip.convert("RGB"))[5:-4:3, 5:-4:3].astype(int)


@pytest.mark.parametrize("world", WORLDS)
def test_a_gif_keeps_the_colours_of_small_objects(world, tmp_path):
    policy = expert(world)
    write_clip(tmp_path / "clip.gif", world, policy, steps=STEPS)
    (episode,) = collect(world, policy, 1, max_steps=STEPS, frames=True)
    for frame, seen in zip(episode.extras["frames"].astype(int), shown(tmp_path / "clip.gif"), strict=True):
        assert np.abs(frame - seen).max() <= 48


def test_a_colour_is_the_same_in_every_frame(tmp_path):
    policy = expert("MJC-Reacher3D-v0")
    write_clip(tmp_path / "clip.gif", "MJC-Reacher3D-v0", policy, steps=STEPS)
    (episode,) = collect("MJC-Reacher3D-v0", policy, 1, max_steps=STEPS, frames=True)
    frames, seen = episode.extras["frames"], np.stack(list(shown(tmp_path / "clip.gif")))
    still = (frames == frames[0]).all(axis=-1)
    assert (seen == seen[0])[still].all()


def test_a_clip_that_cannot_be_written_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InaccessibleFile, match="is in the way"):
        write_clip(tmp_path / "file" / "clip.gif", "SAP-Goal0-v0", expert("SAP-Goal0-v0"), steps=1)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
