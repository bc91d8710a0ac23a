"""Ops of the shape dialect on shapes of every form give what Python says of the same lists.

A form is how a program comes to its shapes: constants, extent tensors of a known length, or
shapes of which only run time knows the rank; ``!shape.shape`` or extent tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ShloError

BACKENDS = ("native", "reference")
Extents = list[int]


class Invalid(Exception):
    """What an oracle says of a shape that there is not; the words are in the message."""


# --- oracles --------------------------------------------------------------------------------------
def stretched(*shapes: Extents) -> Extents:
    try:
        return list(np.broadcast_shapes(*map(tuple, shapes)))
    except ValueError:
        raise Invalid("required broadcastable shapes") from None


def stretch(*shapes: Extents) -> bool:
    try:
        return bool(stretched(*shapes) or True)
    except Invalid:
        return False


def agreed(a: Extents, b: Extents) -> Extents:
    if a != b:
        raise Invalid("the operands differ")
    return a


def paired(function: Callable[[int, int], int], a: Extents, b: Extents) -> Extents:
    if len(a) != len(b):
        raise Invalid(f"shapes of ranks {len(a)} and {len(b)}")
    return [function(x, y) for x, y in zip(a, b, strict=True)]


def split(a: Extents, at: int) -> tuple[Extents, Extents]:
    if not -len(a) <= at <= len(a):
        raise Invalid(f"index {at} is outside of [-{len(a)}, {len(a)}]")
    at += len(a) if at < 0 else 0
    return a[:at], a[at:]


def extent(a: Extents, at: int) -> int:
    if not 0 <= at < len(a):
        raise Invalid(f"index {at} is outside of a shape of rank")
    return a[at]


# --- ops ------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Case:
    """An op (or a few) on shapes ``%a``, ``%b``, ...; ``SHAPE`` is the type that they have."""

    name: str
    body: str  # its last values are named %r, %s
    results: tuple[str, ...]
    oracle: Callable[..., object]
    calls: Sequence[tuple[Extents, ...]]

    @property
    def count(self) -> int:
        return len(self.calls[0])


_PAIRS: Sequence[tuple[Extents, Extents]] = (
    ([2, 3], [2, 3]),
    ([2, 1], [3]),
    ([3], [2, 1]),
    ([0], [1]),
    ([1], [0]),
    ([1, 0, 5], [4, 1, 1]),
    ([], [2]),
    ([], []),
    ([2], [3]),
    ([4, 2], [4, 0]),
    ([7, 1, 5], [6, 1]),
)
_TYPES = "SHAPE, SHAPE"
_ONES: Sequence[tuple[Extents]] = (([2, 3, 4],), ([],), ([5],), ([3, 0],), ([1, 1, 6],))

ON_SHAPES = [
    Case(
        "broadcast",
        f"%r = shape.broadcast %a, %b : {_TYPES} -> SHAPE",
        ("SHAPE",),
        stretched,
        _PAIRS,
    ),
    Case(
        "broadcast_three",
        "%r = shape.broadcast %a, %b, %c : SHAPE, SHAPE, SHAPE -> SHAPE",
        ("SHAPE",),
        stretched,
        [([2, 1], [3], [1, 1]), ([1], [1], [4]), ([0], [1], [1]), ([2], [1], [3]), ([], [1], [])],
    ),
    Case(
        "is_broadcastable",
        f"%r = shape.is_broadcastable %a, %b : {_TYPES}",
        ("i1",),
        stretch,
        _PAIRS,
    ),
    Case(
        "shape_eq", f"%r = shape.shape_eq %a, %b : {_TYPES}", ("i1",), lambda a, b: a == b, _PAIRS
    ),
    Case(
        "concat",
        f"%r = shape.concat %a, %b : {_TYPES} -> SHAPE",
        ("SHAPE",),
        lambda a, b: a + b,
        _PAIRS,
    ),
    Case("any", f"%r = shape.any %a, %b : {_TYPES} -> SHAPE", ("SHAPE",), agreed, _PAIRS[:1]),
    Case("num_elements", "%r = shape.num_elements %a : SHAPE -> SIZE", ("SIZE",), math.prod, _ONES),
    Case("rank", "%r = shape.rank %a : SHAPE -> SIZE", ("SIZE",), len, _ONES),
    *(
        Case(
            f"split_at[{at}]",
            f"""%i = arith.constant {at} : index
            %r, %s = "shape.split_at"(%a, %i) : (SHAPE, index) -> (SHAPE, SHAPE)""",
            ("SHAPE", "SHAPE"),
            lambda a, at=at: split(a, at),
            [([4, 5, 6],), ([7],), ([],)],
        )
        for at in (0, 1, 2, 3, 4, -1, -2, -3, -4)
    ),
    *(
        Case(
            f"get_extent[{at}]",
            f"""%i = arith.constant {at} : index
            %r = shape.get_extent %a, %i : SHAPE, index -> SIZE""",
            ("SIZE",),
            lambda a, at=at: extent(a, at),
            [([4, 5, 6],), ([7],), ([],)],
        )
        for at in (0, 2, 3, -1)
    ),
    Case(
        "reduce",
        """%start = arith.constant 1 : index
        %r = shape.reduce(%a, %start) : tensor<?xindex> -> index {
        ^bb0(%i: index, %extent: index, %sum: index):
          %part = arith.muli %i, %extent : index
          %next = arith.addi %sum, %part : index
          shape.yield %next : index
        }""",
        ("index",),
        lambda a: 1 + sum(i * size for i, size in enumerate(a)),
        _ONES,
    ),
]
ON_VALID_OR_NOT = [  # ops that there are for !shape.shape only
    Case("meet", f"%r = shape.meet %a, %b : {_TYPES} -> SHAPE", ("SHAPE",), agreed, _PAIRS),
    Case("join", '%r = "shape.join"(%a, %b) : (SHAPE, SHAPE) -> SHAPE', ("SHAPE",), agreed, _PAIRS),
    Case(
        "max",
        f"%r = shape.max %a, %b : {_TYPES} -> SHAPE",
        ("SHAPE",),
        lambda a, b: paired(max, a, b),
        _PAIRS,
    ),
    Case(
        "min",
        f"%r = shape.min %a, %b : {_TYPES} -> SHAPE",
        ("SHAPE",),
        lambda a, b: paired(min, a, b),
        _PAIRS,
    ),
]


# --- forms ----------------------------------------------------------------------------------------
def program(case: Case, form: str, call: Sequence[Extents]) -> str:
    """The case on shapes of one form; ``call`` tells constants and ranks."""
    extents = form.startswith("extents")
    shape, size = ("tensor<?xindex>", "index") if extents else ("!shape.shape", "!shape.size")
    arguments, result = [], []
    for name, inputs in zip("abc", call, strict=False):
        length = len(inputs)
        if form.endswith("constants"):
            result.append(f"%k{name} = shape.const_shape {inputs} : tensor<{length}xindex>")
        elif form.endswith(" ranked"):
            arguments.append(f"%k{name}: tensor<{length}xindex>")
        else:
            arguments.append(f"%{name}: {shape}")
            continue
        cast = f"tensor.cast %k{name} : tensor<{length}xindex> to tensor<?xindex>"
        if not extents:
            cast = f"shape.from_extent_tensor %k{name} : tensor<{length}xindex>"
        result.append(f"%{name} = {cast}")
    body = case.body.replace("tensor<?xindex>", shape) if case.name == "reduce" else case.body
    if case.name == "reduce" and not extents:
        body = body.replace("%extent: index", "%e: !shape.size").replace(
            "%part =", "%extent = shape.size_to_index %e : !shape.size\n%part ="
        )
    results = ", ".join(case.results)
    values = ", ".join(["%r", "%s"][: len(case.results)])
    text = f"""
    func.func @main({", ".join(arguments)}) -> ({results}) {{
      {"; ".join(result).replace("; ", chr(10))}
      {body}
      return {values} : {results}
    }}"""
    return text.replace("SHAPE", shape).replace("SIZE", size)


def compiled(text: str, backend: str) -> Any:
    """A compiled program; its signature may have shapes, which compiled code gets as tensors."""
    module = shlo_tools.load(text)
    shlo_tools.Pipeline("builtin.module(shlo-legalize-shape)").run(module)
    return shlo_tools.compile(module, backend=backend)


def checked(case: Case, backend: str, form: str, calls: Sequence[Sequence[Extents]]) -> None:
    text = program(case, form, calls[0])
    try:
        executable = compiled(text, backend)
    except ShloError as error:
        for call in calls:  # what is known to fail fails now
            with pytest.raises(Invalid) as expected:
                case.oracle(*call)
            assert str(expected.value) in str(error)
        return
    for call in calls:
        inputs = [] if form.endswith("constants") else [np.array(x, np.int64) for x in call]
        try:
            target = case.oracle(*call)
        except Invalid as invalid:
            with pytest.raises(ShloError) as raised:
                executable(*inputs)
            assert str(invalid) in str(raised.value)
            assert not form.endswith("constants"), "known to fail, and compiled"
            continue
        results = executable(*inputs)
        if len(case.results) == 1:
            results, target = (results,), (target,)
        for have, want in zip(results, target, strict=True):
            assert have.tolist() == want, (call, have, want)


FORMS = [
    f"{kind} {form}"
    for kind in ("shape", "extents")
    for form in ("unranked", "ranked", "constants")
]
ROWS = [
    *((case, form) for case in ON_SHAPES for form in FORMS),
    *((case, form) for case in ON_VALID_OR_NOT for form in FORMS if form.startswith("shape")),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("case", "form"), ROWS, ids=lambda x: x.name if isinstance(x, Case) else x)
def test_op(case: Case, form: str, backend: str) -> None:
    if form.endswith("unranked"):
        checked(case, backend, form, case.calls)
        return
    for key in {tuple(map(len, call)) for call in case.calls}:
        same = [call for call in case.calls if tuple(map(len, call)) == key]
        for calls in [same] if form.endswith(" ranked") else [[call] for call in same]:
            checked(case, backend, form, calls)
