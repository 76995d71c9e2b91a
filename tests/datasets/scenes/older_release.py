"""Files of AnoVox's older release: colours for labels, and points in .pcd files, as Open3D writes them."""

import numpy as np

from offnominal.datasets.png import encode_png
from offnominal.datasets.scenes.published_encodings import encode_depth
from offnominal.worlds.road.labels import CONTENT_ANOMALIES, colour_table


def encode_pcd(points, colours, data="binary"):
    n = len(points)
    head = (
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\n"
        f"COUNT 1 1 1 1\nWIDTH {n}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {n}\nDATA {data}\n"
    )
    rows = np.zeros((n, 4), "<f4")
    rows[:, :3] = points
    codes = np.ascontiguousarray(np.asarray(colours, np.uint32) @ np.array([65536, 256, 1], np.uint32))
    if data == "ascii":
        lines = [
            f"{x!r} {y!r} {z!r} {np.uint32(code).view(np.float32)!r}"
            for (x, y, z, _), code in zip(rows.tolist(), codes, strict=True)
        ]
        return (head + "\n".join(line.replace("np.float32(", "").replace(")", "") for line in lines) + "\n").encode()
    rows[:, 3] = codes.astype("<u4").view("<f4")
    return head.encode() + rows.tobytes()


def colours_of(label):
    """One colour for anomalies of every class, as in the release."""
    table = colour_table()
    table[[int(each) for each in CONTENT_ANOMALIES]] = (245, 0, 0)
    return table[label]


def write_legacy(scene, folder):
    """Write a published scene with one camera and one lidar as the older release does."""
    place = folder / f"Scenario_{scene.id}"
    for frame in scene:
        (camera,) = frame.cameras.values()
        (cloud,) = frame.lidars.values()
        red = np.zeros((len(cloud.intensity), 3), np.uint8)
        red[:, 0] = np.rint(255 * cloud.intensity)
        files = {
            "RGB_IMG": encode_png(camera.rgb),
            "DEPTH_IMG": encode_png(encode_depth(camera.depth)),
            "SEMANTIC_IMG": encode_png(colours_of(camera.label)),
            "PCD": encode_pcd(cloud.points, red),
            "SEMANTIC_PCD": encode_pcd(cloud.exact, colours_of(cloud.label)),
            "ACTION": csv(frame.action),
        }
        if frame.anomaly is not None:
            files["ANOMALY"] = csv({key: value for key, value in frame.anomaly.items() if key != "active"})
        for name, content in files.items():
            (place / name).mkdir(parents=True, exist_ok=True)
            ending = ".pcd" if "PCD" in name else ".csv" if name in ("ACTION", "ANOMALY") else ".png"
            (place / name / f"{name}_{frame.id}{ending}").write_bytes(content)
    return place


def csv(entries):
    return "".join(f"{key} ; {value}\n" for key, value in entries.items()).encode()
