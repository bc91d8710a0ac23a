"""Random scans, unrolled to trees of slices as JAX's ``associative_scan`` does it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES

Names = list[str]  # of tensors that are combined together


class UnrolledScan:
    """A program of one scan, by random elementwise ops, which need not be associative: a tree is.

    Args:
        seed: what is drawn.
        element: the type.
        shape: of what is scanned.
        axis: along which dimension.
        tensors: how many are combined together.
    """

    def __init__(
        self, seed: int, element: str, shape: Sequence[int], axis: int, tensors: int = 1
    ) -> None:
        self.random = np.random.default_rng(seed)
        self.element, self.shape, self.axis, self.tensors = element, list(shape), axis, tensors
        self.lines: list[str] = []
        self.inner: list[tuple[str, str]] = []
        ops = (
            ("or", "and", "xor") if element == "i1" else ("add", "multiply", "maximum", "subtract")
        )
        draws = self.random.integers
        # Each step: an op, and two of the operands or of what steps before have made.
        sizes = range(2 * tensors + 1, 2 * tensors + 1 + int(draws(tensors, tensors + 3)))
        pairs = [self.random.choice(size, 2, replace=False) for size in sizes]
        self.steps = [(ops[draws(len(ops))], *pair) for pair in pairs]
        self.is_chosen = bool(draws(2))
        elements = [f"%x{k}" for k in range(tensors)]
        if draws(2):
            elements = [self._emit(f"reverse {x}, dims = [{axis}]", self.shape) for x in elements]
        scans = self._scan(elements, self.shape[axis])
        kept = draws(1, tensors + 1)  # whoever needs one only has the rest left out
        self.results = [(name, self.type(self.shape)) for name in scans[-kept:]]
        self.results += self.inner[:1] if draws(2) else []

    def type(self, shape: Sequence[int]) -> str:
        return f"tensor<{'x'.join([*map(str, shape), self.element])}>"

    def arrays(self) -> list[np.ndarray]:
        """Arguments: small numbers, some of them zeros of either sign; then a scalar."""
        dtype, shapes = ELEMENT_TYPES[self.element].dtype, [self.shape] * self.tensors
        arrays = [self.random.integers(-2, 3, shape) * self.random.choice([-1.0, 1.0], shape)
                  for shape in shapes]  # fmt: skip
        arrays = [*arrays, np.asarray(2.0)]
        if self.element == "i1":
            return [array > 0 for array in arrays]
        return [array.astype(np.int64 if dtype.kind in "iu" else dtype).astype(dtype)
                for array in arrays]  # fmt: skip

    def text(self) -> str:
        """The program."""
        full = self.type(self.shape)
        arguments = [f"%x{k}: {full}" for k in range(self.tensors)] + [f"%s: {self.type([])}"]
        names, types = (", ".join(part) for part in zip(*self.results, strict=True))
        body = "\n  ".join(self.lines)
        head = f"func.func public @main({', '.join(arguments)}) -> ({types})"
        return f"{head} {{\n  {body}\n  return {names} : {types}\n}}\n"

    # --- the tree ---------------------------------------------------------------------------------
    def _scan(self, elements: Names, size: int) -> Names:
        if size < 2:
            return elements
        last = size - 1
        sums = self._combine(
            [self._slice(x, size, 0, last, 2) for x in elements],
            [self._slice(x, size, 1, size, 2) for x in elements],
            size // 2,
        )
        self.inner.append((sums[0], self.type(self._sized(size // 2))))
        odd = self._scan(sums, size // 2)
        first = [self._slice(x, size, 0, 1) for x in elements]
        rest = (size - 1) // 2
        if rest:
            before = odd if size % 2 else [self._slice(x, size // 2, 0, rest) for x in odd]
            even = self._combine(before, [self._slice(x, size, 2, size, 2) for x in elements], rest)
            first = [self._join(pair, rest) for pair in zip(first, even, strict=True)]
        return [self._interleave(*pair, size) for pair in zip(first, odd, strict=True)]

    def _combine(self, one: Names, other: Names, size: int) -> Names:
        shape = self._sized(size)
        full = self.type(shape)
        types = f"({self.type([])}) -> {full}"
        spread = self._emit("broadcast_in_dim %s, dims = []", shape, types)
        values = [*one, *other, spread]
        for op, a, b in self.steps:
            values.append(self._emit(f"{op} {values[a]}, {values[b]}", shape))
        if self.is_chosen:
            flags = self.type(shape).replace(self.element, "i1")
            name, types = f"%{len(self.lines)}", f"({full}, {full}) -> {flags}"
            operands = f"{values[-2]}, {values[0]}"
            self.lines.append(f"{name} = stablehlo.compare LT, {operands} : {types}")
            chosen = f"select {name}, {values[-1]}, {values[-2]}"
            values.append(self._emit(chosen, shape, f"{flags}, {full}"))
        return values[-self.tensors :]

    def _sized(self, size: int) -> list[int]:
        return [size if d == self.axis else n for d, n in enumerate(self.shape)]

    def _slice(self, x: str, size: int, first: int, last: int, step: int = 1) -> str:
        own = f"{first}:{last}" + (f":{step}" if step > 1 else "")
        cuts = [own if d == self.axis else f"0:{n}" for d, n in enumerate(self.shape)]
        result = self._sized(-(-(last - first) // step))
        types = f"({self.type(self._sized(size))}) -> {self.type(result)}"
        return self._emit(f"slice {x} [{', '.join(cuts)}]", result, types)

    def _join(self, pair: tuple[str, str], rest: int) -> str:
        first, other, whole = (self.type(self._sized(n)) for n in (1, rest, rest + 1))
        types = f"({first}, {other}) -> {whole}"
        text = f"concatenate {', '.join(pair)}, dim = {self.axis}"
        return self._emit(text, self._sized(rest + 1), types)

    def _interleave(self, even: str, odd: str, size: int) -> str:
        zero = {"i": "0", "u": "0", "f": "0.0"}[self.element[0]]
        zero = "false" if self.element == "i1" else zero
        padded = []
        for x, low in ((even, 0), (odd, 1)):
            count = (size + 1 - low) // 2
            number = self._emit(f"constant dense<{zero}>", [])
            at = [[n if d == self.axis else 0 for d in range(len(self.shape))]
                  for n in (low, size - low - 2 * count + 1, 1)]  # fmt: skip
            types = f"({self.type(self._sized(count))}, {self.type([])}) -> "
            pad = f"pad {x}, {number}, low = {at[0]}, high = {at[1]}, interior = {at[2]}"
            result = self._sized(size)
            padded.append(self._emit(pad, result, types + self.type(result)))
        op = "or" if self.element == "i1" else "add"
        return self._emit(f"{op} {', '.join(padded)}", self._sized(size))

    def _emit(self, text: str, shape: Sequence[int], types: str = "") -> str:
        name = f"%{len(self.lines)}"
        self.lines.append(f"{name} = stablehlo.{text} : {types or self.type(shape)}")
        return name
