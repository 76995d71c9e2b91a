"""Joint arrays of meshes are shared between scenes, also between those of several threads."""

import threading
import time

import numpy as np

from offnominal.sensing import Mesh, packed_meshes
from offnominal.sensing.packed_meshes import join_meshes

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
