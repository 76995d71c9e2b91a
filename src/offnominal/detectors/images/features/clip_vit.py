"""The image tower of CLIP in plain torch; its weights have the names of the published files."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from offnominal.detectors.images.features.backbone import Backbone, Features, patches

MEAN, STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
SIDE, PATCH, WIDTH, DEPTH, HEADS, EMBEDDED = 224, 32, 768, 12, 12, 512


class ClipVit(Backbone):
    """ViT-B/32 of Radford et al. (2021): an embedding of 512 numbers that compares pictures, also with text.

    The pooled vector is the class token before the projection to the embedding; there are 7 × 7 tokens of 768 numbers.
    """

    def __init__(self) -> None:
        super().__init__("clip_vit_b32", SIDE, MEAN, STD)
        self.conv1 = nn.Conv2d(3, WIDTH, PATCH, PATCH, bias=False)
        self.class_embedding = nn.Parameter(torch.zeros(WIDTH))
        self.positional_embedding = nn.Parameter(torch.zeros(1 + (SIDE // PATCH) ** 2, WIDTH))
        self.ln_pre, self.ln_post = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        blocks = nn.Sequential(*(ClipBlock(WIDTH, HEADS) for _ in range(DEPTH)))
        self.transformer = nn.ModuleDict({"resblocks": blocks})
        self.proj = nn.Parameter(torch.zeros(WIDTH, EMBEDDED))

    def features(self, images: Tensor) -> Features:
        """Return the features of scaled pictures."""
        seen = patches(self.conv1(images))
        tokens = torch.cat([self.class_embedding.expand(len(seen), 1, -1), seen], dim=1) + self.positional_embedding
        found: Tensor = self.ln_post(self.transformer["resblocks"](self.ln_pre(tokens)))
        return Features(found[:, 0], found[:, 0] @ self.proj, found[:, 1:])


class ClipBlock(nn.Module):
    """Attention and a perceptron, each beside a shortcut.

    Args:
        width: Of a token.
        heads: Of the attention.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)})

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the next tokens."""
        steady = self.ln_1(tokens)
        tokens = tokens + self.attn(steady, steady, steady, need_weights=False)[0]
        inner = self.mlp["c_fc"](self.ln_2(tokens))
        found: Tensor = tokens + self.mlp["c_proj"](inner * torch.sigmoid(1.702 * inner))
        return found
