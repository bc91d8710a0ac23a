"""Sums of products, and linear algebra."""

from __future__ import annotations

import string

import torch
from torch import Tensor
from torch.nn import functional

from shlo_tools.tools.bench.workers.torch_programs.rules import Run, Step, rule


@rule("stablehlo.dot_general")
def dot_general(step: Step) -> Run:
    """``torch.matmul`` where dimensions are in its order, else ``tensordot`` or ``einsum``."""
    names = ("batching", "contracting")
    (lhs_batch, lhs_sum), (rhs_batch, rhs_sum) = (
        [step.attributes[f"{side}_{name}_dimensions"] for name in names] for side in ("lhs", "rhs")
    )
    ranks = [len(type.shape) for type in step.operands]
    dtype = step.result.dtype
    casts = step.operands[0].dtype != dtype
    batches = list(range(len(lhs_batch)))
    if not lhs_batch and (ranks, lhs_sum, rhs_sum) == ([2, 2], [1], [0]):
        product: Run = torch.mm
    elif (
        lhs_batch == rhs_batch == batches
        and lhs_sum == [ranks[0] - 1]
        and rhs_sum == [ranks[1] - 2]
        and ranks == [len(batches) + 2] * 2
    ):
        product = torch.matmul
    elif not lhs_batch:

        def product(x: Tensor, y: Tensor) -> Tensor:
            return torch.tensordot(x, y, dims=(lhs_sum, rhs_sum))
    else:
        letters = iter(string.ascii_letters)
        left = {d: next(letters) for d in range(ranks[0])}
        right = {b: left[a] for a, b in zip(lhs_batch + lhs_sum, rhs_batch + rhs_sum, strict=True)}
        right |= {d: next(letters) for d in range(ranks[1]) if d not in right}
        x_name, y_name = ("".join(names[d] for d in range(len(names))) for names in (left, right))
        free = [left[d] for d in range(ranks[0]) if d not in (*lhs_batch, *lhs_sum)]
        free += [right[d] for d in range(ranks[1]) if d not in (*rhs_batch, *rhs_sum)]
        equation = f"{x_name},{y_name}->{''.join([left[d] for d in lhs_batch] + free)}"

        def product(x: Tensor, y: Tensor) -> Tensor:
            return torch.einsum(equation, x, y)

    return (lambda x, y: product(x.to(dtype), y.to(dtype))) if casts else product


@rule("stablehlo.convolution")
def convolution(step: Step) -> Run:
    a = step.attributes
    rank = len(step.result.shape) - 2
    ones = [1] * rank
    if rank not in (1, 2, 3) or a["batch_group_count"] != 1:
        raise step.unsupported(f"{rank} dimensions, {a['batch_group_count']} groups of batches")
    function: Run = getattr(functional, f"conv{rank}d")
    image, kernel, result = (
        (*(a[name] for name in ends), *a[f"{kind}_spatial_dimensions"])
        for kind, ends in (
            ("input", ("input_batch_dimension", "input_feature_dimension")),
            ("kernel", ("kernel_output_feature_dimension", "kernel_input_feature_dimension")),
            ("output", ("output_batch_dimension", "output_feature_dimension")),
        )
    )
    back = [result.index(d) for d in range(rank + 2)]
    edges = a["padding"] or [[0, 0]] * rank
    flipped = [2 + d for d, flag in enumerate(a["window_reversal"] or ()) if flag]
    spread, dtype = a["lhs_dilation"] or ones, step.result.dtype
    is_even = all(low == high >= 0 for low, high in edges)
    options = {
        "stride": tuple(a["window_strides"] or ones),
        "dilation": tuple(a["rhs_dilation"] or ones),
        "groups": a["feature_group_count"],
        "padding": tuple(low for low, _ in edges) if is_even else 0,
    }

    def convolved(x: Tensor, w: Tensor) -> Tensor:
        x, w = x.permute(image).to(dtype), w.permute(kernel).to(dtype)
        if flipped:
            w = w.flip(flipped)
        if any(n > 1 for n in spread):
            x = _spread(x, spread)
        if not is_even:
            x = functional.pad(x, [n for pair in reversed(edges) for n in pair])
        return function(x, w, **options).permute(back)

    return convolved


def _spread(x: Tensor, distances: list[int]) -> Tensor:
    """Zeros between elements of the spatial dimensions."""
    sizes = [max((size - 1) * n + 1, 0) for size, n in zip(x.shape[2:], distances, strict=True)]
    result = x.new_zeros([*x.shape[:2], *sizes])
    result[(..., *(slice(None, None, n) for n in distances))] = x
    return result


@rule("stablehlo.cholesky")
def cholesky(step: Step) -> Run:
    upper = not step.attributes["lower"]
    return lambda x: torch.linalg.cholesky(x, upper=upper)


@rule("stablehlo.triangular_solve")
def triangular_solve(step: Step) -> Run:
    a = step.attributes
    transposed = a["transpose_a"] in ("TRANSPOSE", "ADJOINT")
    options = {
        "upper": bool(a["lower"]) == transposed,
        "left": bool(a["left_side"]),
        "unitriangular": bool(a["unit_diagonal"]),
    }

    def solved(x: Tensor, b: Tensor) -> Tensor:
        if transposed:
            x = x.mH if a["transpose_a"] == "ADJOINT" else x.mT
        return torch.linalg.solve_triangular(x, b, **options)

    return solved


@rule("stablehlo.fft")
def fft(step: Step) -> Run:
    lengths = step.attributes["fft_length"]
    dimensions = tuple(range(-len(lengths), 0))
    kinds: dict[str, Run] = {
        "FFT": torch.fft.fftn,
        "IFFT": torch.fft.ifftn,
        "RFFT": torch.fft.rfftn,
        "IRFFT": torch.fft.irfftn,
    }
    function = kinds[step.attributes["fft_type"]]
    return lambda x: function(x, s=tuple(lengths), dim=dimensions)
