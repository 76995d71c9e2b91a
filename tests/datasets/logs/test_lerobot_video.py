"""Videos of LeRobot datasets: a file per episode, and several episodes per file."""

import json
import pickle
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import offnominal as off
from offnominal.core.errors import InvalidLog, InvalidParameter, MissingDependency, MissingFile, UnknownName

CAMERA, FPS, ROWS, SIDE = "observation.images.top", 10, 6, 32
SEPARATE = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"
SHARED = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"


class Stub(ModuleType):
    """A decoder whose files hold one grey level per frame, for machines without imageio-ffmpeg."""

    @staticmethod
    def write(path, levels):
        path.write_text(json.dumps([int(level) for level in levels]))

    @staticmethod
    def read_frames(path, pix_fmt, input_params, output_params):
        levels = json.loads(Path(path).read_text())
        skipped = np.ceil(float(input_params[1]) * FPS) if input_params else 0
        side = int(output_params[1].partition("x")[0]) if "-s" in output_params else SIDE
        yield {"size": (side, side)}
        for level in levels[int(skipped) :]:
            yield np.full((side, side, 3), level, np.uint8).tobytes()


def encode(path, levels):
    """Write an MP4 file of grey frames."""
    from imageio_ffmpeg import write_frames

    stream = write_frames(str(path), (SIDE, SIDE), fps=FPS, macro_block_size=1, quality=10)
    stream.send(None)
    for level in levels:
        stream.send(np.full((SIDE, SIDE, 3), level, np.uint8))
    stream.close()


@pytest.fixture(params=["stub", "mp4"])
def written(request, monkeypatch):
    """The function that writes a video."""
    if request.param == "mp4":
        pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
        return encode
    stub = Stub("imageio_ffmpeg")
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", stub)
    return stub.write


def levels(episode):
    return 20 + 60 * episode + 8 * np.arange(ROWS)


def dataset(folder, layout, write):
    """Write a dataset of three episodes."""
    features = {
        "observation.state": {"shape": [1], "names": ["x"], "dtype": "float32"},
        "action": {"shape": [1], "names": ["m"], "dtype": "float32"},
        CAMERA: {"dtype": "video", "shape": [SIDE, SIDE, 3], "names": ["height", "width", "channel"]},
    }
    info = {"fps": FPS, "video_path": layout, "chunks_size": 1000, "features": features}
    for part in ("meta", "data/chunk-000"):
        (folder / part).mkdir(parents=True)
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    lists = pa.list_(pa.float32())
    columns = {
        "observation.state": pa.array([[float(row)] for row in range(3 * ROWS)], lists),
        "action": pa.array([[0.0]] * 3 * ROWS, lists),
        "episode_index": np.arange(3 * ROWS) // ROWS,
        "timestamp": pa.array((np.arange(3 * ROWS) % ROWS) / FPS, pa.float32()),
    }
    pq.write_table(pa.table(columns), folder / "data" / "chunk-000" / "file-000.parquet")
    if layout == SEPARATE:
        for episode in range(3):
            path = folder / layout.format(episode_chunk=0, video_key=CAMERA, episode_index=episode)
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, levels(episode))
        return folder
    path = folder / layout.format(video_key=CAMERA, chunk_index=0, file_index=0)
    path.parent.mkdir(parents=True)
    write(path, np.concatenate([levels(episode) for episode in range(3)]))
    places = {"chunk_index": [0] * 3, "file_index": [0] * 3, "from_timestamp": [ROWS * e / FPS for e in range(3)]}
    (folder / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
    table = pa.table({"episode_index": [0, 1, 2], **{f"videos/{CAMERA}/{name}": each for name, each in places.items()}})
    pq.write_table(table, folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet")
    return folder


@pytest.mark.parametrize("layout", [SEPARATE, SHARED])
def test_videos_become_image_episodes(tmp_path, layout, written):
    folder = dataset(tmp_path / "set", layout, written)
    episodes = pickle.loads(pickle.dumps(off.episodes_from(folder, frames=CAMERA)))
    for number, episode in enumerate(episodes):
        frames = episode.extras["frames"]
        assert frames.shape == (ROWS, SIDE, SIDE, 3)
        np.testing.assert_allclose(frames.mean(axis=(1, 2, 3)), levels(number), atol=4)
        assert episode.images().observations.shape == (ROWS, 3, SIDE, SIDE)
    late = off.episodes_from(folder, frames=CAMERA, frame_size=16, window=2)[3]
    np.testing.assert_allclose(late.extras["frames"][0].mean(), levels(1)[2], atol=4)
    assert late.extras["frames"].shape == (3, 16, 16, 3)


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    stub = Stub("imageio_ffmpeg")
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", stub)
    folder = dataset(tmp_path / "set", SEPARATE, stub.write)
    with pytest.raises(UnknownName, match=r"no camera 'observation.images.to'\. Did you mean"):
        off.episodes_from(folder, frames="observation.images.to")
    with pytest.raises(InvalidParameter, match="is no LeRobot dataset"):
        off.episodes_from({"x": [1.0, 2.0]}, frames=CAMERA)
    episodes = off.episodes_from(folder, frames=CAMERA)
    video = folder / SEPARATE.format(episode_chunk=0, video_key=CAMERA, episode_index=2)
    stub.write(video, [1, 2, 3])
    with pytest.raises(InvalidLog, match="has 3 frames from second 0 on; expected 6"):
        episodes[2]
    video.unlink()
    with pytest.raises(MissingFile, match="download the videos of the dataset too"):
        episodes[2]
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingDependency, match=r"offnominal\[video\]"):
        episodes[0]
