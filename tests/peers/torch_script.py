"""Run by ``test_from_torch`` in a process without JAX: PyTorch's models, and what it computes."""

import numpy as np
import torch
from torch import nn
from torch.export import Dim

import shlo_tools
from shlo_tools.errors import ShloError, UnsupportedError


class Layer(nn.Module):
    """A linear layer; arguments and results in containers."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(16, 8)

    def forward(self, x, extra=None, verbose=None):
        y = torch.tanh(self.linear(x))
        total = y.sum() if extra is None else y.sum() + extra["a"] * 2 + extra["b"]
        return {"y": y, "others": (total, y[:, 0] if verbose is None else verbose + 1)}


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x):
        self.count.add_(1)
        return x + self.count


class Svd(nn.Module):
    def forward(self, x):
        return torch.linalg.svd(x)


def equal(results, expected):
    results = results if isinstance(results, tuple) else (results,)
    for got, want in zip(results, expected, strict=True):
        np.testing.assert_allclose(got, want.detach().numpy(), rtol=2e-5, atol=1e-5)


def leaves(tree):
    return torch.utils._pytree.tree_leaves(tree)


def refused(kind, message, *arguments, **options):
    try:
        shlo_tools.from_torch(*arguments, **options)
    except kind as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"nothing refused {arguments}")


torch.manual_seed(0)
model, x = Layer().eval(), torch.randn(4, 16)

# As it is, by either backend.
module = shlo_tools.from_torch(model, x)
shlo_tools.verify(module)
for backend in ("native", "reference"):
    equal(shlo_tools.compile(module, backend=backend)(x), leaves(model(x)))

# Sizes that calls choose, and weights in a file.
module = shlo_tools.from_torch(model, x, dynamic_shapes={"x": {0: Dim("batch")}})
assert shlo_tools.externalize(module, "weights.safetensors", min_bytes=32) >= 2
for rows in (1, 4, 9):
    x = torch.randn(rows, 16)
    for backend in ("native", "reference"):
        equal(shlo_tools.compile(module, backend=backend)(x), leaves(model(x)))

# Containers, and keywords with names that the importer has options of.
extra, verbose = {"a": torch.tensor(1.5), "b": torch.tensor(2.5)}, torch.ones(2)
module = shlo_tools.from_torch(model, x, extra, verbose=verbose, function="forward")
executable = shlo_tools.compile(module, function="forward")
equal(executable(x, extra["a"], extra["b"], verbose), leaves(model(x, extra, verbose=verbose)))

# What is exported already; buffers that are written.
equal(shlo_tools.run(shlo_tools.from_torch(torch.export.export(model, (x,))), x), leaves(model(x)))
equal(shlo_tools.run(shlo_tools.from_torch(Counter(), verbose), verbose), [verbose, 2 * verbose])

refused(UnsupportedError, "aten._linalg_svd", Svd(), x)
refused(ShloError, "function is no torch.nn.Module", lambda x: x, x)
refused(ShloError, "knows its arguments", torch.export.export(model, (x,)), x)
print("all agree")
