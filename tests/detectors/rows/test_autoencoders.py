"""Autoencoders score by the formulas they name."""

import numpy as np
import pytest
import torch
from scipy.stats import norm

from offnominal.detectors.rows import AAE, VAE, VAEKNN, WAE, DeepSVDD
from offnominal.detectors.rows.autoencoder import code_width, log_volume
from offnominal.detectors.rows.gaussians import divergence, divergence_between, fixed_noise, log_density

pytestmark = pytest.mark.long

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(120, 5)) @ RNG.normal(size=(5, 5))
QUICK = {"latent": 2, "hidden": 16, "max_iter": 30, "learning_rate": 1e-2, "n_samples": 7, "device": "cpu"}


def parts_of(vae, rows):
    """Return mean and deviation of the codes, and a function from codes to mean and deviation of rows."""
    network = vae.network_
    with torch.no_grad():
        mean, deviation = network.encoder(torch.tensor(rows).float())

    def decode(codes):
        with torch.no_grad():
            return [None if part is None else part.double().numpy() for part in network.decoder(codes)]

    return mean, deviation, decode


def misfits(rows, mean, deviation):
    if deviation is None:
        return ((rows - mean) ** 2).mean(1)
    return -norm(mean, deviation).logpdf(rows).sum(1)


@pytest.mark.parametrize("prior", ["normal", "vamp"])
@pytest.mark.parametrize("variance", ["constant", "scalar", "diagonal"])
def test_scores_have_their_formulas(variance, prior):
    vae = VAE(**QUICK, variance=variance, prior=prior, beta=0.5, n_components=3).fit(ROWS)
    found = vae.scores(ROWS)
    mean, deviation, decode = parts_of(vae, ROWS)
    np.testing.assert_allclose(found["mean"], misfits(ROWS, *decode(mean)), rtol=1e-3, atol=1e-4)
    codes = [mean + deviation * noise for noise in fixed_noise(7, 2)]
    sampled = np.mean([misfits(ROWS, *decode(code)) for code in codes], 0)
    np.testing.assert_allclose(found["sampled"], sampled, rtol=1e-3, atol=1e-4)
    if prior == "normal":
        split_validation = divergence(mean, deviation).numpy()
    else:
        with torch.no_grad():
            pseudo = vae.network_.encoder(vae.network_.prior.inputs)
        centres = [torch.distributions.Normal(m, d) for m, d in zip(*pseudo, strict=True)]
        ratios = []
        for code in codes:
            said = torch.distributions.Normal(mean, deviation).log_prob(code).sum(1)
            known = torch.stack([each.log_prob(code).sum(1) for each in centres]).logsumexp(0) - np.log(3)
            ratios.append((said - known).numpy())
        split_validation = np.mean(ratios, 0)
    np.testing.assert_allclose(found["elbo"], sampled + 0.5 * split_validation, rtol=1e-3, atol=1e-3)
    if prior == "normal":
        np.testing.assert_allclose(found["latent"], -norm.logpdf(mean.numpy()).sum(1), rtol=1e-4)


def test_the_jacobian_score_of_a_linear_decoder_has_a_closed_form():
    vae = VAE(**{**QUICK, "max_iter": 0}, layers=1, variance="constant").fit(ROWS)
    weights = vae.network_.decoder.head.weight.detach().double().numpy()
    mean, _, decode = parts_of(vae, ROWS)
    step = norm.logpdf(ROWS, decode(mean)[0]).sum(1)
    code = norm.logpdf(mean.double().numpy()).sum(1)
    stretch = 0.5 * np.linalg.slogdet(weights.T @ weights)[1]
    np.testing.assert_allclose(vae.scores(ROWS)["jacobian"], stretch - step - code, rtol=1e-5)


@pytest.mark.parametrize("width", [6, 200], ids=["backwards", "forwards"])
def test_the_volume_is_that_of_all_singular_values(width):
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, width))
    codes = torch.randn(4, 3)
    network.requires_grad_(False)
    for code, volume in zip(codes, log_volume(network, codes), strict=True):
        slopes = torch.autograd.functional.jacobian(network, code)
        assert float(volume) == pytest.approx(float(torch.linalg.svdvals(slopes).log().sum()), rel=1e-4)


def test_densities_and_divergences_are_torchs():
    torch.manual_seed(0)
    mean, other, values = torch.randn(3, 4, 5).unbind()
    deviation, wider = torch.rand(2, 4, 5).add(0.1).unbind()
    first, second = torch.distributions.Normal(mean, deviation), torch.distributions.Normal(other, wider)
    standard = torch.distributions.Normal(torch.zeros(5), torch.ones(5))
    pairs = (
        (log_density(values, mean, deviation), first.log_prob(values)),
        (
            log_density(values, mean, deviation[:, :1]),
            torch.distributions.Normal(mean, deviation[:, :1]).log_prob(values),
        ),
        (divergence(mean, deviation), torch.distributions.kl_divergence(first, standard)),
        (divergence_between(mean, deviation, other, wider), torch.distributions.kl_divergence(first, second)),
    )
    for found, expected in pairs:
        torch.testing.assert_close(found, expected.sum(1))


def test_the_critic_gives_codes_far_from_the_prior_a_high_score():
    aae = AAE(**{**QUICK, "max_iter": 600}).fit(ROWS)
    critic = aae.network_.critic
    with torch.no_grad():
        near, far = critic(torch.randn(200, 2)).mean(), critic(20 * torch.randn(200, 2)).mean()
    assert near > far
    found = aae.scores(ROWS)
    np.testing.assert_allclose(found["mixed-0.3"], 0.3 * found["mean"] + 0.7 * found["critic"], rtol=1e-6)


def test_a_critic_does_not_keep_an_autoencoder_from_learning():
    light, heavy = (
        AAE(**{**QUICK, "max_iter": 150}, weight=weight).fit(ROWS).scores(ROWS, only=["mean"])["mean"].mean()
        for weight in (1e-3, 100.0)
    )
    assert light < heavy


def test_the_weight_of_a_critic_matters():
    light, heavy = (AAE(**QUICK, weight=weight).fit(ROWS).encode(ROWS) for weight in (1e-3, 10.0))
    assert not np.allclose(light, heavy)


def test_a_discrepancy_pulls_codes_towards_the_prior():
    loose, tight = (WAE(**{**QUICK, "max_iter": 150}, weight=weight).fit(ROWS).encode(ROWS) for weight in (1e-6, 50.0))
    away = [abs(codes.std(0) - 1).mean() + abs(codes.mean(0)).mean() for codes in (loose, tight)]
    assert away[1] < away[0]


@pytest.mark.parametrize(
    ("latent", "shape", "expected"),
    [(8, (10,), 8), (8, (8,), 4), (64, (33,), 32), (8, (2,), 1), (8, (1,), 1), (256, (1, 8, 8), 256)],
)
def test_codes_are_narrower_than_rows(latent, shape, expected):
    assert code_width(latent, shape) == expected


def test_the_second_stage_gets_mean_codes():
    two = VAEKNN(**QUICK, n_neighbors=2).fit(ROWS)
    codes = two.encode(ROWS)
    split_validation = np.sort(np.linalg.norm(codes[:, None] - codes, axis=2), 1)
    np.testing.assert_allclose(two.score(ROWS), split_validation[:, 1], rtol=1e-5, atol=1e-9)
    plain = VAE(**QUICK).fit(ROWS)
    np.testing.assert_array_equal(two.scores(ROWS)["mean"], plain.scores(ROWS)["mean"])


def test_a_sphere_is_trained_around_the_mean_code():
    settings = {"latent": 2, "hidden": 16, "learning_rate": 1e-2, "device": "cpu", "pretrain_iter": 60}
    before = DeepSVDD(**settings, max_iter=1).fit(ROWS, seed=1)
    after = DeepSVDD(**settings, max_iter=200).fit(ROWS, seed=1)
    torch.testing.assert_close(before.network_.centre, after.network_.centre)
    assert after.score(ROWS).mean() < 0.5 * before.score(ROWS).mean()
    assert (after.network_.centre.abs() >= 0.1).all()
    assert not any("bias" in name for name, _ in after.network_.encoder.named_parameters())


def test_batch_normalisation_of_an_encoder_has_no_weights_and_survives_saving():
    images = RNG.uniform(size=(40, 1, 16, 16))
    settings = {"latent": 2, "channels": 4, "layers": 4, "batch_norm": True, "pretrain_iter": 20, "max_iter": 20}
    svdd = DeepSVDD(**settings).fit(images)
    names = [name for name, _ in svdd.network_.encoder.named_buffers()]
    assert sum(name.endswith("running_mean") for name in names) == 1
    assert len(list(svdd.network_.encoder.parameters())) == 3
    again = DeepSVDD(**settings)
    again.load_state_dict(svdd.state_dict())
    np.testing.assert_array_equal(again.score(images), svdd.score(images))


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_a_soft_boundary_leaves_a_share_outside(nu):
    settings = {"latent": 2, "hidden": 16, "learning_rate": 1e-2, "device": "cpu", "pretrain_iter": 60, "max_iter": 100}
    svdd = DeepSVDD(**settings, objective="soft-boundary", nu=nu).fit(ROWS, validation=ROWS)
    assert (svdd.score(ROWS) > 0).mean() == pytest.approx(nu, abs=0.02)
