"""A training that was killed goes on from what was saved; what was not saved by it is refused."""

import errno
import io
import os

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents.training.checkpoint import (  # noqa: E402
    MAGIC,
    load_checkpoint,
    load_modules_state_dict,
    modules_state_dict,
    save_checkpoint,
)
from offnominal.core.errors import DamagedFile, InaccessibleFile, InvalidParameter  # noqa: E402
from offnominal.core.files import sha256_of  # noqa: E402

pytestmark = pytest.mark.long


class Line:
    """A line, and what fits it."""

    device = torch.device("cpu")

    def __init__(self, seed):
        torch.manual_seed(seed)
        self.network = torch.nn.Linear(3, 1)
        self.learning_rate = torch.tensor(0.1)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=self.learning_rate)

    def take_gradient_steps(self):
        self.optimizer.zero_grad()
        self.network(torch.ones(2, 3)).square().sum().backward()
        self.optimizer.step()
        return self.network.weight.detach().clone()

    def state_dict(self):
        return modules_state_dict(self)

    def load_state_dict(self, state):
        load_modules_state_dict(self, state)


def test_optimizers_are_restored(tmp_path):
    first, second = Line(0), Line(1)
    first.take_gradient_steps()
    save_checkpoint(first, tmp_path / "c")
    load_checkpoint(second, tmp_path / "c")
    for _ in range(3):
        torch.testing.assert_close(first.take_gradient_steps(), second.take_gradient_steps(), rtol=0, atol=0)


def test_a_rate_still_follows_its_schedule(tmp_path):
    first, second = Line(0), Line(1)
    save_checkpoint(first, tmp_path / "c")
    load_checkpoint(second, tmp_path / "c")
    second.learning_rate.fill_(0.0)
    torch.testing.assert_close(second.take_gradient_steps(), first.network.weight.detach(), rtol=0, atol=0)


def test_a_killed_writer_leaves_the_old_state(tmp_path, monkeypatch):
    line = Line(0)
    save_checkpoint(line, tmp_path / "c")
    old = line.take_gradient_steps()
    save_checkpoint(line, tmp_path / "c")
    line.take_gradient_steps()

    def killed(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(line, tmp_path / "c")
    load_checkpoint(line, tmp_path / "c")
    torch.testing.assert_close(line.network.weight.detach(), old)


class Unwanted:
    """Something that would run when it is unpickled."""

    def __reduce__(self):
        return (print, ("unpickled",))


def test_nothing_is_run_that_a_file_holds(tmp_path, capsys):
    content = io.BytesIO()
    torch.save({"network": Unwanted()}, content)
    payload = content.getvalue()
    (tmp_path / "plain").write_bytes(payload)
    with pytest.raises(DamagedFile, match="not a checkpoint of this version"):
        load_checkpoint(Line(0), tmp_path / "plain")
    (tmp_path / "hashed").write_bytes(MAGIC + sha256_of(payload).encode() + b"\n" + payload)
    with pytest.raises(InvalidParameter, match="not a checkpoint of these settings"):
        load_checkpoint(Line(0), tmp_path / "hashed")
    assert "unpickled" not in capsys.readouterr().out


def test_a_flipped_bit_anywhere_is_named_and_nothing_is_resumed(tmp_path):
    save_checkpoint(Line(0), tmp_path / "c")
    content = (tmp_path / "c").read_bytes()
    line = Line(1)
    before = line.network.weight.detach().clone()
    for bit in [*range(0, 8 * 96, 31), *range(8 * 96, 8 * len(content), 997)]:
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        (tmp_path / "c").write_bytes(flipped)
        with pytest.raises(DamagedFile, match="delete it to start the training again"):
            load_checkpoint(line, tmp_path / "c")
    torch.testing.assert_close(line.network.weight.detach(), before, rtol=0, atol=0)
    (tmp_path / "c").write_bytes(content[: len(content) // 2])
    with pytest.raises(DamagedFile):
        load_checkpoint(line, tmp_path / "c")


def test_a_full_disk_is_named_and_the_old_state_stays(tmp_path, monkeypatch):
    save_checkpoint(Line(0), tmp_path / "c")
    before = (tmp_path / "c").read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InaccessibleFile, match="free some space"):
        save_checkpoint(Line(1), tmp_path / "c")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("c", before)]
