"""A training that was killed goes on from what was saved; what was not saved by it is refused."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents.learning.checkpoint import parts_state, restore, restore_parts, save  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402


class Line:
    """A line, and what fits it."""

    device = torch.device("cpu")

    def __init__(self, seed):
        torch.manual_seed(seed)
        self.network = torch.nn.Linear(3, 1)
        self.rate = torch.tensor(0.1)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=self.rate)

    def descend(self):
        self.optimizer.zero_grad()
        self.network(torch.ones(2, 3)).square().sum().backward()
        self.optimizer.step()
        return self.network.weight.detach().clone()

    def state(self):
        return parts_state(self)

    def restore(self, state):
        restore_parts(self, state)


def test_optimizers_go_on_too(tmp_path):
    first, second = Line(0), Line(1)
    first.descend()
    save(first, tmp_path / "c")
    restore(second, tmp_path / "c")
    for _ in range(3):
        torch.testing.assert_close(first.descend(), second.descend(), rtol=0, atol=0)


def test_a_rate_still_follows_its_schedule(tmp_path):
    first, second = Line(0), Line(1)
    save(first, tmp_path / "c")
    restore(second, tmp_path / "c")
    second.rate.fill_(0.0)
    torch.testing.assert_close(second.descend(), first.network.weight.detach(), rtol=0, atol=0)


def test_a_killed_writer_leaves_the_old_state(tmp_path, monkeypatch):
    line = Line(0)
    save(line, tmp_path / "c")
    old = line.descend()
    save(line, tmp_path / "c")
    line.descend()

    def killed(state, path):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "save", killed)
    with pytest.raises(KeyboardInterrupt):
        save(line, tmp_path / "c")
    restore(line, tmp_path / "c")
    torch.testing.assert_close(line.network.weight.detach(), old)


class Unwanted:
    """Something that would run when it is unpickled."""

    def __reduce__(self):
        return (print, ("unpickled",))


def test_nothing_is_run_that_a_file_holds(tmp_path, capsys):
    torch.save({"network": Unwanted()}, tmp_path / "c")
    with pytest.raises(InvalidParameter, match="no checkpoint of these settings"):
        restore(Line(0), tmp_path / "c")
    assert "unpickled" not in capsys.readouterr().out
