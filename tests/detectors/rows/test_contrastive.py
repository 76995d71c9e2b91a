"""NeuTraL and ICL: their losses in small cases by hand, and what does not change them."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.detectors.rows import icl, neutral  # noqa: E402
from offnominal.detectors.rows.icl import ICL, WindowEncoders, pairing_loss, window_width  # noqa: E402
from offnominal.detectors.rows.neutral import NeuTraL, Transformations, contrastive_loss  # noqa: E402

DRAW = np.random.default_rng(0)
ROWS, FRESH = DRAW.normal(size=(120, 5)), DRAW.normal(size=(20, 5))
QUICK = {"max_iter": 5, "device": "cpu"}


def unit(*shape):
    codes = np.random.default_rng(1).normal(size=shape)
    return codes / np.linalg.norm(codes, axis=-1, keepdims=True)


def test_the_loss_of_transformations_is_that_of_its_formula():
    codes, temperature = unit(3, 5, 4), 0.3
    expected = np.zeros(3)
    for n in range(3):
        similar = np.exp(codes[n] @ codes[n].T / temperature)
        for k in range(1, 5):
            others = sum(similar[k, other] for other in range(1, 5) if other != k)
            expected[n] -= np.log(similar[k, 0] / (similar[k, 0] + others))
    np.testing.assert_allclose(contrastive_loss(torch.tensor(codes), temperature), expected, rtol=1e-12)


def test_the_loss_of_transformations_in_two_cases_by_hand():
    """All codes the same: each of K is one of K equal choices. Opposite transformations: 1 / (1 + exp(-1/t))."""
    same = torch.ones(1, 4, 1, dtype=torch.float64)
    assert float(contrastive_loss(same, 0.1)) == pytest.approx(3 * np.log(3))
    apart = torch.tensor([[[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]]], dtype=torch.float64)
    assert float(contrastive_loss(apart, 0.5)) == pytest.approx(2 * np.log(1 + np.exp(-1 / 0.5)))


def test_the_loss_of_transformations_has_no_order_and_no_orientation():
    codes = unit(3, 5, 4)
    loss = contrastive_loss(torch.tensor(codes), 0.1)
    shuffled = codes[:, [0, 3, 1, 4, 2]]
    turned = codes @ np.linalg.qr(np.random.default_rng(2).normal(size=(4, 4)))[0]
    for each in (shuffled, turned):
        torch.testing.assert_close(contrastive_loss(torch.tensor(each), 0.1), loss)
    assert not torch.allclose(contrastive_loss(torch.tensor(codes[:, [1, 0, 2, 3, 4]]), 0.1), loss)


@pytest.mark.parametrize("kind", ["residual", "multiplicative", "feedforward"])
def test_transformations_computed_at_once_are_those_of_single_networks(kind):
    torch.manual_seed(0)
    together, rows = Transformations(5, 3, 7, 3, kind), torch.randn(4, 5)
    found = together(rows)
    assert found.shape == (3, 4, 5)
    for k in range(3):
        first, second, third = (weights[k] for weights in together.weights)
        output = torch.relu(torch.relu(rows @ first) @ second) @ third
        wanted = {"residual": rows + output, "multiplicative": rows * torch.sigmoid(output), "feedforward": output}
        torch.testing.assert_close(found[k], wanted[kind])


@pytest.mark.parametrize(("bias", "alike"), [(False, True), (True, False)])
def test_multiples_of_a_row_have_its_score_only_without_biases(bias, alike):
    detector = NeuTraL(bias=bias, **QUICK).fit(ROWS)
    single, tenfold = detector.score(FRESH), detector.score(10.0 * FRESH)
    assert np.allclose(single, tenfold, rtol=1e-3) == alike


def test_the_loss_of_pairs_is_the_mean_cross_entropy():
    rest, windows, temperature = unit(2, 4, 3), unit(2, 4, 3)[:, ::-1].copy(), 0.2
    similar = rest @ windows.transpose(0, 2, 1) / temperature
    shares = np.exp(similar) / np.exp(similar).sum(axis=2, keepdims=True)
    expected = -np.log(shares.diagonal(axis1=1, axis2=2)).mean(axis=1)
    found = pairing_loss(torch.tensor(rest), torch.tensor(windows), temperature)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_loss_of_pairs_does_not_depend_on_the_order_of_the_pairs():
    rest, windows = (torch.tensor(unit(2, 4, 3)), torch.tensor(unit(2, 4, 3)[:, ::-1].copy()))
    order = [2, 0, 3, 1]
    torch.testing.assert_close(pairing_loss(rest[:, order], windows[:, order], 0.1), pairing_loss(rest, windows, 0.1))
    assert not torch.allclose(pairing_loss(rest[:, order], windows, 0.1), pairing_loss(rest, windows, 0.1))


def test_windows_and_the_columns_around_them_are_all_columns_once():
    order = torch.tensor([3, 0, 4, 1, 2])
    encoders = WindowEncoders(5, 2, 8, order)
    assert encoders.inside.tolist() == [[3, 0], [0, 4], [4, 1], [1, 2]]
    assert encoders.outside.tolist() == [[4, 1, 2], [3, 1, 2], [3, 0, 2], [3, 0, 4]]


@pytest.mark.parametrize(("columns", "width"), [(2, 1), (40, 2), (41, 10), (160, 10), (161, 11)])
def test_the_width_of_windows_follows_the_published_rule(columns, width):
    assert window_width("auto", columns) == width


def test_a_single_column_is_compared_with_a_constant_one():
    alone, beside = (ICL(hidden=8, **QUICK).fit(rows) for rows in (ROWS[:, :1], with_ones(ROWS)))
    scores = alone.score(FRESH[:, :1])
    np.testing.assert_array_equal(scores, beside.score(with_ones(FRESH)))
    assert np.ptp(scores) > 0.0


def with_ones(rows):
    return np.hstack([rows[:, :1], np.ones((len(rows), 1))])


@pytest.mark.long
def test_an_anomaly_in_how_columns_belong_together_is_found_by_both():
    draw = np.random.default_rng(3)
    shared = draw.normal(size=(400, 2))
    rows = np.hstack([shared, shared]) + 0.05 * draw.normal(size=(400, 4))
    strange = np.hstack([shared, shared[::-1]])[:50]
    for detector in (ICL(hidden=16, max_iter=60, device="cpu"), NeuTraL(max_iter=100, device="cpu")):
        fitted = detector.fit(rows[:300], seed=1)
        nominal, odd = fitted.score(rows[300:]), fitted.score(strange)
        assert (odd[:, None] > nominal).mean() > 0.8, type(detector).__name__


def test_members_of_icl_have_the_same_orders_for_every_seed(monkeypatch):
    first, second = (ICL(permutations=3, hidden=8, **QUICK).fit(ROWS, seed=seed).network_ for seed in (1, 2))
    orders = [[member.outside.tolist() for member in each.members] for each in (first, second)]
    assert orders[0] == orders[1]
    assert orders[0][0] != orders[0][1] != orders[0][2]


@pytest.mark.long
@pytest.mark.parametrize("kind", [neutral.NeuTraL, icl.ICL])
def test_a_training_lowers_the_loss_of_held_out_rows(kind):
    shared = DRAW.normal(size=(200, 2))
    rows = np.hstack([shared, shared])
    losses = kind(max_iter=60, learning_rate=3e-3, hidden=16, device="cpu").fit(rows).training_.validation_losses
    assert losses[-1] < 0.9 * losses[0]
