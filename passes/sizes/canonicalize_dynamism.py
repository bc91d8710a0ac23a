"""Dynamic ops whose sizes are constants become the static ops of the same meaning.

Before:
    %shape = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
    %0 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (...) -> tensor<2x4xf32>
After:
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>

Sizes are constants where arithmetic on constants makes them, too; what only computed them goes. An
op whose result has an unknown size stays: refine shapes first. So does one whose constants
contradict its types: it fails when it runs.

Two of these forms say less than the op: a ``real_dynamic_slice`` outside of its operand fails, a
``dynamic_slice`` moves inside; and the function of a custom call gets one operand less. With
``exact`` these ops stay.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from shlo_tools import dtypes, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.sizes import size_constants, static_forms
from shlo_tools.passes.sizes.static_forms import Form, Numbers
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes import Shapes, kind_of, listed

_SAYING_MORE = ("stablehlo.real_dynamic_slice", "stablehlo.custom_call")


@dataclass(frozen=True)
class CanonicalizeDynamism(Pass):
    """Replace dynamic ops of constant sizes by static ones."""

    name = "shlo-canonicalize-dynamism"
    anchor = "any"
    exact: bool = False

    def concerns(self, contents: Contents) -> bool:
        return contents.has_op(*static_forms.NAMES)

    def run(self, op: Operation) -> None:
        shapes = Shapes()
        forms = _Forms(shapes)
        replaced: list[Operation] = []
        dropped: dict[int, Value] = {}  # by address
        for inner in _dynamic_ops(op):
            if self.exact and inner.name in _SAYING_MORE:
                continue
            operands, results = listed(inner.operands), listed(inner.results)
            canonical = forms.of(inner, operands, results)
            if canonical is not None:
                _replace(inner, results, [operands[i] for i in canonical.form.kept], canonical)
                for position in canonical.dropped:
                    dropped[hash(operands[position])] = operands[position]
            elif inner.name == "stablehlo.real_dynamic_slice" and _become_window(inner, shapes):
                dropped.update((hash(value), value) for value in operands[2:])
            else:
                continue
            replaced.append(inner)
        owners = [mlir.defining_op(value) for value in dropped.values()]
        for inner in reversed(replaced):
            inner.erase()
        size_constants.erase_unused(owner for owner in owners if owner is not None)


def _dynamic_ops(root: Operation) -> Iterator[Operation]:
    """The ops that may have a static form, one by one."""
    for region in root.regions:
        for block in region.blocks:
            for view in block.operations:
                op: Operation = view.operation
                name = op.name
                if name in static_forms.NAMES:
                    yield op
                elif kind_of(name).has_regions:
                    yield from _dynamic_ops(op)


@dataclass(frozen=True)
class _Canonical:
    """What becomes of ops that are alike: of one name, attributes, types and numbers."""

    form: Form
    types: Sequence[Type]
    dropped: Sequence[int]


class _Forms:
    """Static forms, remembered for ops that are alike."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._canonical: dict[Hashable, _Canonical | None] = {}

    def of(
        self, op: Operation, operands: Sequence[Value], results: Sequence[Value]
    ) -> _Canonical | None:
        numbers: list[Numbers] = []
        key: list[Hashable] = [op.name]
        for value in operands:
            declared = self._shapes.declaration(value)
            follows = declared.is_followed
            numbers.append(size_constants.known_numbers(value, self._shapes) if follows else None)
            key.append(id(declared.type))
        key += numbers
        key += [hash(result.type) for result in results]
        for name, attribute in op.attributes.items():
            key += (name, hash(attribute))
        alike = tuple(key)
        if alike not in self._canonical:
            self._canonical[alike] = _canonical(
                static_forms.form_of(op, numbers), operands, results
            )
        return self._canonical[alike]


def _canonical(
    form: Form | None, operands: Sequence[Value], results: Sequence[Value]
) -> _Canonical | None:
    if form is None:
        return None
    dropped = [position for position in range(len(operands)) if position not in form.kept]
    return _Canonical(form, [result.type for result in results], dropped)


def _replace(
    op: Operation, results: Sequence[Value], operands: Sequence[Value], canonical: _Canonical
) -> None:
    build = Build(mlir.before(op), op.location)
    new = build.op(
        canonical.form.name, operands, canonical.types, canonical.form.attributes
    ).results
    for position, result in enumerate(results):
        result.replace_all_uses_with(new[position])


# --- windows --------------------------------------------------------------------------------------
def _become_window(op: Operation, shapes: Shapes) -> bool:
    """x[a : a + c], with numbers c -> dynamic_slice(x, a); a window outside of x moves inside."""
    operand, start, limit, stride = op.operands
    sizes, strides = _distance(start, limit, shapes), size_constants.known_numbers(stride, shapes)
    if sizes is None or strides is None or any(step != 1 for step in strides):
        return False
    if not shapes.is_static(operand) or not shapes.is_static(op.results[0]):
        return False
    build = Build(mlir.before(op), op.location)
    positions = [_element(build, start, d) for d in range(len(sizes))]
    attributes = {**dict(op.attributes.items()), "slice_sizes": mlir.i64_array_attr(sizes)}
    type = op.results[0].type
    window = build.value("stablehlo.dynamic_slice", [operand, *positions], type, attributes)
    op.results[0].replace_all_uses_with(window)
    return True


def _distance(start: Value, limit: Value, shapes: Shapes) -> tuple[int, ...] | None:
    """The numbers that are added to one tensor to get another."""
    add = mlir.defining_op(limit)
    if add is None or add.name != "stablehlo.add" or start not in list(add.operands):
        return None
    return size_constants.known_numbers(add.operands[1 if add.operands[0] == start else 0], shapes)


def _element(build: Build, vector: Value, position: int) -> Value:
    """One element of a vector as a scalar."""
    element = dtypes.tensor_type(vector.type).element_type
    bounds = {"start_indices": [position], "limit_indices": [position + 1], "strides": [1]}
    attributes = {name: mlir.i64_array_attr(row) for name, row in bounds.items()}
    one = build.value(
        "stablehlo.slice", (vector,), dtypes.TensorType((1,), element).mlir(), attributes
    )
    return build.value("stablehlo.reshape", (one,), dtypes.TensorType((), element).mlir())
