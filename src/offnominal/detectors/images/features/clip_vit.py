"""The image encoder of CLIP in plain torch, with the parameter names of the published files."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from offnominal.detectors.images.features.backbone import Backbone, Features, patches

MEAN, STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
SIDE, PATCH, WIDTH, DEPTH, HEADS, EMBEDDED = 224, 32, 768, 12, 12, 512


class ClipVit(Backbone):
    """ViT-B/32 of Radford et al. (2021), with an embedding of width 512.

    The pooled vector is the class token before the projection to the embedding. There are 7 × 7 tokens of width 768.
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
        """Return the features of standardised images."""
        patch = patches(self.conv1(images))
        tokens = torch.cat([self.class_embedding.expand(len(patch), 1, -1), patch], dim=1) + self.positional_embedding
        outputs: Tensor = self.ln_post(self.transformer["resblocks"](self.ln_pre(tokens)))
        return Features(outputs[:, 0], outputs[:, 0] @ self.proj, outputs[:, 1:])


class ClipBlock(nn.Module):
    """A transformer block: attention and multilayer perceptron with residual connections.

    Args:
        width: Width of a token.
        heads: Number of attention heads.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)})

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the next tokens."""
        normalised = self.ln_1(tokens)
        tokens = tokens + self.attn(normalised, normalised, normalised, need_weights=False)[0]
        hidden = self.mlp["c_fc"](self.ln_2(tokens))
        outputs: Tensor = tokens + self.mlp["c_proj"](hidden * torch.sigmoid(1.702 * hidden))
        return outputs
