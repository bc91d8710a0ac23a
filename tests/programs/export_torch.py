"""Exports small PyTorch models through torch-mlir's importer and records what PyTorch computes.

    python export_torch.py [names...]

needs torch, torch-mlir and numpy; the tests that read the files need neither torch nor this
script. Weights are part of the module, as `dense_resource` constants.
"""

import sys
import zlib
from collections.abc import Callable
from importlib.metadata import version

import torch
from recording import Array, Bound, conditioning, record
from torch import nn
from torch.nn import functional
from torch_mlir import fx

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


def cnn() -> Example:
    """Convolutions (one of them grouped), batch norm, max-pool, average pool, classifier."""
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(3, stride=2, padding=1),
        nn.Conv2d(8, 12, 3, padding=1, stride=2, groups=2),
        nn.Hardswish(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(12, 5),
        nn.LogSoftmax(dim=-1),
    )
    # Running statistics other than 0 and 1.
    model.train()
    for _ in range(3):
        model(2 * torch.randn(4, 3, 16, 16) + 1)
    return model, (torch.randn(2, 3, 16, 16),)


def encoder() -> Example:
    """A token embedding and two encoder layers."""
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, activation="gelu")
    layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    return nn.Sequential(nn.Embedding(30, 16), layers), (torch.randint(0, 30, (2, 6)),)


def mlp() -> Example:
    """Linear layers with SiLU, dropout (inactive), layer norm and softmax."""
    model = nn.Sequential(
        nn.Linear(12, 24),
        nn.SiLU(),
        nn.Dropout(0.1),
        nn.LayerNorm(24),
        nn.Linear(24, 4),
        nn.Softmax(dim=-1),
    )
    return model, (torch.randn(5, 12),)


class Resizing(nn.Module):
    """What torch-mlir writes as gathers of single elements, by tensors of all coordinates."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Padded by reflection and by repetition, twice as large, and as columns of windows."""
        x = functional.pad(x, (2, 1, 1, 2), mode="reflect")
        x = functional.pad(x, (1, 2, 2, 1), mode="replicate")
        x = functional.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        return functional.unfold(x, 3, stride=2)


def resizing() -> Example:
    """Padding, bilinear interpolation, and unfolding."""
    return Resizing(), (torch.randn(2, 3, 7, 5),)


class Attention(nn.Module):
    """Attention with the sequence in front, as ``nn.Transformer`` has it by default."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(32, 4)
        self.gate = nn.Linear(32, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalized by the root of the mean square, and gated by the approximation of GELU."""
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return functional.gelu(self.gate(x), approximate="tanh")


def attention() -> Example:
    """Products of a batch of one matrix, scaled behind a transposition; squares and cubes."""
    return Attention(), (torch.randn(6, 3, 32),)


MODELS: dict[str, tuple[Callable[[], Example], Bound]] = {
    "torch_attention": (
        attention,
        Bound(1e-5, 3e-6, "f32 sums of up to 32 terms of order 1, three layers deep"),
    ),
    "torch_cnn": (cnn, Bound(3e-6, 3e-6, "f32 sums of up to 36 terms of order 1, two layers deep")),
    "torch_encoder": (
        encoder,
        Bound(1e-5, 1e-5, "f32 sums of up to 32 terms of order 1 through two layers; erf"),
    ),
    "torch_mlp": (mlp, Bound(3e-6, 1e-6, "f32 sums of at most 24 terms of order 1")),
    "torch_resizing": (resizing, Bound(1e-6, 1e-6, "f32 sums of four terms of order 1")),
}


def export(name: str) -> None:
    """Export one model, run it, and record both.

    Raises:
        ValueError: the model does not suit as a test: see `record` and `conditioning`.
    """
    build, bound = MODELS[name]
    torch.manual_seed(zlib.crc32(name.encode()))
    model, inputs = build()
    model.eval()

    def run(values: list[Array]) -> list[Array]:
        with torch.no_grad():
            return [model(*(torch.from_numpy(value) for value in values)).numpy()]

    arguments: list[Array] = [tensor.numpy() for tensor in inputs]
    results = run(arguments)
    moved = conditioning(name, run, arguments, results, bound)
    module = fx.export_and_import(model, *inputs, output_type="stablehlo", func_name="main")
    source = f"torch {torch.__version__.split('+')[0]}, torch-mlir {version('torch-mlir')}"
    record(name, str(module), arguments, results, bound, source)
    print(f"{name}: the last bit of the inputs moves results by {moved:.2g} bounds")


def main(names: list[str]) -> int:
    """Export the named models, or all of them."""
    unknown = sorted(set(names) - MODELS.keys())
    if unknown:
        print(f"unknown models {unknown}; known: {sorted(MODELS)}", file=sys.stderr)
        return 1
    for name in names or MODELS:
        export(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
