"""Architectures in plain PyTorch, one of each kind, small.

KINDS has a function for each: it gives a module, and a function from a batch
to its arguments.
"""

import torch
import torch.nn.functional as F
from plain_layers import KINDS as LAYERS
from plain_layers import Function, randn
from plain_losses import KINDS as LOSSES
from plain_rows import KINDS as ROWS
from torch import nn


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.layers(x)


def mlp():
    return nn.Sequential(nn.Linear(12, 24), nn.GELU(), nn.Linear(24, 5)), randn(12)


def autoencoder():
    return nn.Sequential(nn.Linear(20, 6), nn.Tanh(), nn.Linear(6, 20), nn.Sigmoid()), randn(20)


class VariationalAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(20, 8), nn.Linear(4, 20)

    def forward(self, x, noise):
        mean, variance = self.encoder(x).chunk(2, -1)
        return self.decoder(mean + noise * torch.exp(0.5 * variance)), -0.5 * (1 + variance - mean**2 - variance.exp()).sum(1).mean()


def variational_autoencoder():
    return VariationalAutoencoder(), lambda batch: (torch.randn(batch, 20), torch.randn(batch, 4))


def convolutions():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 4, 3),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 7)), randn(3, 16, 16)


def residual_network():
    block = Residual(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1))
    return nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), block, nn.AvgPool2d(2), nn.Flatten(1), nn.LazyLinear(5)), randn(3, 15, 15)


def separable_convolutions():
    return nn.Sequential(nn.Conv2d(6, 6, 5, padding=2, groups=6), nn.Conv2d(6, 12, 1), nn.Hardswish()), randn(6, 9, 9)


class SqueezeAndExcite(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(8, 2, 1), nn.Conv2d(2, 8, 1)

    def forward(self, x):
        return x * self.up(F.relu(self.down(x.mean((2, 3), keepdim=True)))).sigmoid()


def squeeze_and_excite():
    return SqueezeAndExcite(), randn(8, 7, 7)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.bottom = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.up, self.head = nn.ConvTranspose2d(8, 8, 2, stride=2), nn.Conv2d(16, 2, 1)

    def forward(self, x):
        skip = F.relu(self.down(x))
        return self.head(torch.cat([skip, self.up(F.relu(self.bottom(F.max_pool2d(skip, 2))))], 1))


def unet():
    return UNet(), randn(3, 16, 16)


class Pyramid(nn.Module):
    """Features of several sizes, added up."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 2, 1)

    def forward(self, x):
        fine = self.first(x)
        return fine + F.interpolate(self.second(fine), size=fine.shape[-2:], mode="nearest")


def feature_pyramid():
    return Pyramid(), randn(3, 16, 16)


class SegNet(nn.Module):
    def forward(self, x):
        pooled, indices = F.max_pool2d(x, 2, return_indices=True)
        return F.max_unpool2d(pooled.relu(), indices, 2)


def unpooling():
    return SegNet(), randn(4, 8, 8)


def super_resolution():
    return nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.PixelShuffle(2), nn.PReLU()), randn(3, 8, 8)


def generator():
    return nn.Sequential(nn.Unflatten(1, (4, 2, 2)), nn.ConvTranspose2d(4, 8, 4, 2, 1), nn.BatchNorm2d(8), nn.ReLU(),
                         nn.ConvTranspose2d(8, 3, 4, 2, 1), nn.Tanh()), randn(16)


def volumes():
    return nn.Sequential(nn.Conv3d(2, 4, 3, padding=1), nn.InstanceNorm3d(4, affine=True), nn.MaxPool3d(2)), randn(2, 6, 6, 6)


def temporal_convolutions():
    return nn.Sequential(nn.ConstantPad1d((4, 0), 0.0), nn.Conv1d(3, 6, 3, dilation=2), nn.ELU(), nn.Conv1d(6, 2, 1)), randn(3, 20)


class SpatialTransformer(nn.Module):
    def __init__(self, mode="bilinear", padding="zeros", align=False):
        super().__init__()
        self.where = nn.Linear(3 * 49, 6)
        self.options = {"mode": mode, "padding_mode": padding, "align_corners": align}

    def forward(self, x):
        theta = self.where(x.flatten(1)).reshape(-1, 2, 3)
        grid = F.affine_grid(theta, x.shape, align_corners=self.options["align_corners"])
        return F.grid_sample(x, grid, **self.options)


def spatial_transformer():
    return SpatialTransformer(), randn(3, 7, 7)


def cubic_spatial_transformer():
    return SpatialTransformer("bicubic", "reflection", True), randn(3, 7, 7)


def grid_samples():
    def sample(x, grid):
        return tuple(F.grid_sample(x, grid * 1.7, mode, padding, align) for mode in ("bilinear", "nearest", "bicubic")
                     for padding in ("zeros", "border", "reflection") for align in (False, True))

    return Function(sample), lambda batch: (torch.randn(batch, 2, 5, 6), torch.rand(batch, 4, 3, 2) * 2 - 1)


def volume_samples():
    def sample(x, theta):
        grid = F.affine_grid(theta, x.shape, align_corners=True)
        return F.grid_sample(x, grid, "bilinear", "border", True), F.grid_sample(x, grid, "nearest", "zeros", False)

    return Function(sample), lambda batch: (torch.randn(batch, 2, 4, 5, 6), torch.randn(batch, 3, 4))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
        self.layers = nn.ModuleList([layer, nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=True, activation="gelu")])
        self.head = nn.Linear(16, 50)

    def forward(self, words):
        x = self.embedding(words)
        mask = nn.Transformer.generate_square_subsequent_mask(words.shape[1], device=words.device)
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=True)
        return self.head(x)


def transformer():
    return Transformer(), lambda batch: (torch.randint(0, 50, (batch, 9)),)


def encoder_and_decoder():
    model = nn.Transformer(16, 4, 1, 1, 32, batch_first=True)
    return model, lambda batch: (torch.randn(batch, 7, 16), torch.randn(batch, 5, 16))


def vision_transformer():
    return nn.Sequential(nn.Conv2d(3, 16, 4, 4), nn.Flatten(2), Function(lambda x: x.mT),
                         nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), Function(lambda x: x.mean(1)), nn.Linear(16, 5)), randn(3, 16, 16)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.channels = nn.Linear(9, 9), nn.Linear(16, 16)

    def forward(self, x):
        x = x + self.words(F.layer_norm(x, (16,)).mT).mT
        return x + F.gelu(self.channels(F.layer_norm(x, (16,))))


def mixer():
    return Mixer(), randn(9, 16)


class FourierMixer(nn.Module):
    def forward(self, x):
        return F.layer_norm(x + torch.fft.fft2(x).real, (16,))


def fourier_mixer():
    return FourierMixer(), randn(8, 16)


class SpectralConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(9, 4, 2))

    def forward(self, x):
        return torch.fft.irfft(torch.fft.rfft(x, dim=1) * torch.view_as_complex(self.weight), n=16, dim=1)


def spectral_convolution():
    return SpectralConvolution(), randn(16, 4)


def spectrogram():
    def magnitudes(x):
        return torch.stft(x, 16, 8, window=torch.hann_window(16, device=x.device), return_complex=True).abs().log1p()

    return Function(magnitudes), randn(64)


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 4), nn.Linear(7, 4)

    def forward(self, x, y):
        return F.normalize(self.first(x), dim=-1) @ F.normalize(self.second(y), dim=-1).mT


def two_towers():
    return TwoTowers(), lambda batch: (torch.randn(batch, 6), torch.randn(batch, 7))


class SelectiveScan(nn.Module):
    """A state space model, step by step."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (nn.Parameter(torch.randn(4, 3)) for _ in range(3))

    def forward(self, x):
        state, outputs = torch.zeros(x.shape[0], 4, 3, device=x.device), []
        for step in range(x.shape[1]):
            state = state * torch.sigmoid(self.a) + self.b * x[:, step, :, None]
            outputs.append((state * self.c).sum(-1))
        return torch.stack(outputs, 1)


def selective_scan():
    return SelectiveScan(), randn(6, 4)


class Quantizer(nn.Module):
    """The nearest of a book of codes."""

    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(12, 4))

    def forward(self, x):
        nearest = torch.cdist(x, self.codes, compute_mode="donot_use_mm_for_euclid_dist").argmin(-1)
        return self.codes[nearest], nearest


def vector_quantizer():
    return Quantizer(), randn(4)


class Fields(nn.Module):
    """Positions as sines and cosines, then a perceptron."""

    def __init__(self):
        super().__init__()
        self.frequencies = nn.Parameter(2.0 ** torch.arange(4.0))
        self.layers = nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, x):
        angles = x[..., None] * self.frequencies
        return self.layers(torch.cat([angles.sin(), angles.cos()], -1).flatten(1))


def radiance_field():
    return Fields(), randn(3)


def normalizing_flow():
    def coupling(x, scale, shift):
        first, second = x.chunk(2, -1)
        log_scale = torch.tanh(first @ scale)
        return torch.cat([first, second * log_scale.exp() + first @ shift], -1), log_scale.sum(-1)

    return Function(coupling), lambda batch: (torch.randn(batch, 8), torch.randn(4, 4), torch.randn(4, 4))


def box_suppression_scores():
    def overlap(a):
        low, high = torch.maximum(a[:, :, None, :2], a[:, None, :, :2]), torch.minimum(a[:, :, None, 2:], a[:, None, :, 2:])
        area = (a[..., 2:] - a[..., :2]).prod(-1)
        common = (high - low).clamp(min=0).prod(-1)
        return common / (area[:, :, None] + area[:, None] - common)

    return Function(overlap), lambda batch: (torch.cat([torch.rand(batch, 6, 2), 1 + torch.rand(batch, 6, 2)], -1),)


NETWORKS = [mlp, autoencoder, variational_autoencoder, convolutions, residual_network, separable_convolutions, squeeze_and_excite,
            unet, feature_pyramid, unpooling, super_resolution, generator, volumes, temporal_convolutions, spatial_transformer,
            cubic_spatial_transformer, grid_samples, volume_samples, transformer, encoder_and_decoder, vision_transformer, mixer,
            fourier_mixer, spectral_convolution, spectrogram,
            two_towers, selective_scan, vector_quantizer, radiance_field, normalizing_flow, box_suppression_scores]
KINDS = {kind.__name__: kind for kind in [*NETWORKS, *ROWS, *LAYERS, *LOSSES]}


def build(name):
    """The module, and a function from a batch to its arguments."""
    torch.manual_seed(0)
    model, make = KINDS[name]()
    with torch.no_grad():
        model.eval()(*make(2))  # lazy layers
    return model, make
