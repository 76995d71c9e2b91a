"""The vision transformer of DINO in plain torch, with the parameter names of the published file."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.features.backbone import IMAGENET_MEAN, IMAGENET_STD, Backbone, Features, patches

SIDE, PATCH, WIDTH, DEPTH, HEADS = 224, 16, 384, 12, 6


class DinoVit(Backbone):
    """ViT-S/16 of Caron et al. (2021), with 14 × 14 tokens of width 384 after the last layer.

    The pooled vector is the class token.
    """

    def __init__(self) -> None:
        super().__init__("dino_vits16", SIDE, IMAGENET_MEAN, IMAGENET_STD)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.pos_embed = nn.Parameter(torch.zeros(1, 1 + (SIDE // PATCH) ** 2, WIDTH))
        self.patch_embed = nn.ModuleDict({"proj": nn.Conv2d(3, WIDTH, PATCH, PATCH)})
        self.blocks = nn.Sequential(*(DinoBlock(WIDTH, HEADS) for _ in range(DEPTH)))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-6)

    def features(self, images: Tensor) -> Features:
        """Return the features of standardised images."""
        patch = patches(self.patch_embed["proj"](images))
        tokens = torch.cat([self.cls_token.expand(len(patch), -1, -1), patch], dim=1) + self.pos_embed
        outputs: Tensor = self.norm(self.blocks(tokens))
        return Features(outputs[:, 0], outputs[:, 0], outputs[:, 1:])


class DinoBlock(nn.Module):
    """A transformer block: attention and multilayer perceptron with residual connections.

    Args:
        width: Width of a token.
        heads: Number of attention heads.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width, eps=1e-6)
        self.attn = Attention(width, heads)
        self.mlp = nn.ModuleDict({"fc1": nn.Linear(width, 4 * width), "fc2": nn.Linear(4 * width, width)})

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the next tokens."""
        tokens = tokens + self.attn(self.norm1(tokens))
        outputs: Tensor = tokens + self.mlp["fc2"](functional.gelu(self.mlp["fc1"](self.norm2(tokens))))
        return outputs


class Attention(nn.Module):
    """Multi-head self-attention.

    Args:
        width: Width of a token.
        heads: Number of attention heads.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the attention output of each token."""
        n, count, width = tokens.shape
        query, key, value = self.qkv(tokens).view(n, count, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value)
        outputs: Tensor = self.proj(attended.transpose(1, 2).reshape(n, count, width))
        return outputs
