"""Joint arrays of meshes are shared between scenes, also between those of several threads."""

import threading
import time

import numpy as np
import pytest

from offnominal.sensing import Mesh, packed_meshes
from offnominal.sensing.packed_meshes import join_meshes

pytestmark = pytest.mark.long

FACES = [(0, 1, 2)]


def triangles(count):
    return tuple(Mesh(np.eye(3) * (k + 1.0), FACES) for k in range(count))


def test_threads_with_one_scene_join_its_meshes_once(monkeypatch):
    meshes, calls, results = triangles(3), [], []
    join = packed_meshes._joined

    def slow_join(members):
        calls.append(members)
        time.sleep(0.02)
        return join(members)

    monkeypatch.setattr(packed_meshes, "_joined", slow_join)
    threads = [threading.Thread(target=lambda: results.append(join_meshes(meshes))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10.0)
    assert len(calls) == 1
    assert len(results) == 4
    assert all(result is results[0] for result in results)


def test_new_meshes_are_added_to_those_of_the_last_similar_scene(monkeypatch):
    monkeypatch.setattr(packed_meshes, "_recent", [])
    meshes = triangles(4)
    other = join_meshes(triangles(1))
    first = join_meshes(meshes[:3])
    join_meshes(triangles(1))
    both = join_meshes(meshes[1:])
    assert set(both.root) == {id(mesh) for mesh in meshes}
    assert join_meshes(meshes[:3]) is both
    recent = packed_meshes._recent
    assert any(each is other for each in recent)
    assert not any(each is first for each in recent)


def leaves(joined, mesh):
    """Return the triangles of a mesh in the order of its tree, with their colours and normals."""
    found, stack = [], [joined.root[id(mesh)]]
    while stack:
        at, count = joined.links[stack.pop()]
        if count == 0:
            stack += [at + 1, at]
            continue
        for k in range(at, at + count):
            finish = joined.finish[k]
            colour = joined.palette[finish - 2].tolist() if finish >= 2 else int(finish)
            normals = joined.corner_normals[k].tolist() if len(joined.corner_normals) else [0.0] * 9
            found.append((joined.triangles[k].tolist(), colour, normals))
    return found


def test_meshes_added_later_keep_their_triangles_colours_and_normals(monkeypatch):
    monkeypatch.setattr(packed_meshes, "_recent", [])
    rng = np.random.default_rng(0)
    meshes = []
    for k in range(6):
        corners, faces = rng.normal(size=(12, 3)), rng.permuted(np.tile(np.arange(12), (9, 1)), axis=1)[:, :3]
        colours = rng.uniform(size=(9, 3)) if k % 2 else None
        normals = np.tile(np.eye(3), (9, 1, 1)) if k > 3 else None
        meshes.append(Mesh(corners, faces, colours=colours, normals=normals))
    join_meshes(tuple(meshes[:4]))
    grown = join_meshes(tuple(meshes[1:]))
    assert len(grown.meshes) == 6
    whole = packed_meshes._joined(tuple(meshes))
    for mesh in meshes:
        assert leaves(grown, mesh) == leaves(whole, mesh)
        assert len(leaves(grown, mesh)) == 9
