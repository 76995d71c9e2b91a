"""Volume change of a decoder."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

MIN_VALUE = 1e-12
"""Added to squared singular values, so that a direction that the decoder ignores has a finite density."""

CHUNK = 64

FEW = 128
"""Largest number of values per row for reverse-mode derivatives; the first forward-mode pass takes torch seconds to
prepare."""


def log_volume(decode: Callable[[Tensor], Tensor], codes: Tensor) -> Tensor:
    """Return the sum of the log singular values of the decoder's Jacobian at each code.

    Args:
        decode: Decoder from codes (n, latent) to rows (n, ...).
        codes: (n, latent) codes.

    Example:
        >>> log_volume(lambda codes: codes * torch.tensor([2.0, 0.5]), torch.zeros(1, 2)).abs().round(decimals=4)
        tensor([0.], dtype=torch.float64)
    """

    def one(code: Tensor) -> Tensor:
        return decode(code[None]).flatten()

    width = decode(codes[:1]).numel()
    slopes = torch.func.vmap(torch.func.jacrev(one) if width <= FEW else torch.func.jacfwd(one))
    return torch.cat([_half_log_determinant(slopes(part)) for part in torch.split(codes, CHUNK)])


def _half_log_determinant(jacobians: Tensor) -> Tensor:
    precise = jacobians.double()
    square = precise.transpose(1, 2) @ precise
    ridge = MIN_VALUE * torch.eye(square.shape[-1], dtype=square.dtype, device=square.device)
    found: Tensor = 0.5 * torch.linalg.slogdet(square + ridge)[1]
    return found
