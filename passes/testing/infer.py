"""``hlo-test-infer``: markers become what ops say of their results' types and sizes.

Before:
    %0 = stablehlo.compare LT, %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %1 = "hlo_test_infer.get_return_types"(%0) : (tensor<2xi1>) -> tensor<2xi1>
After:
    %1 = "hlo_test_infer.return_types"(%0) {types0 = tensor<2xi1>} : (tensor<2xi1>) -> tensor<2xi1>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import mlir
from shlo_tools.errors import Diagnostic, ShloError, emit
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.ops._op import infer
from shlo_tools.passes.testing.markers import markers, subject
from shlo_tools.passes.testing.reified import reified
from shlo_tools.passes.upstream.greedily import clean_up
from shlo_tools.pipeline.registry import Pass

_PREFIX = "hlo_test_infer."
TYPES = f"{_PREFIX}get_return_types"
COMPONENTS = f"{_PREFIX}get_return_type_components"
SHAPES = f"{_PREFIX}reify_return_type_shapes"

# Ops with regions that infer their types: MLIR's inference needs the regions, ours reads them.
_WITH_REGIONS = frozenset(
    {
        "stablehlo.all_reduce",
        "stablehlo.async_start",
        "stablehlo.case",
        "stablehlo.if",
        "stablehlo.map",
        "stablehlo.reduce",
        "stablehlo.reduce_window",
        "stablehlo.scatter",
        "stablehlo.select_and_scatter",
        "stablehlo.sort",
        "stablehlo.while",
    }
)

# They infer sizes and no element type, which is then written as index.
_SIZES_ONLY = frozenset(("stablehlo.convert", "stablehlo.uniform_quantize"))


@dataclass(frozen=True)
class TestInfer(Pass):
    """Replace markers by the types, or by the sizes, that ops infer for their results.

    A marker stays where its operand's op infers nothing.
    """

    name = "hlo-test-infer"
    anchor = "func.func"

    def run(self, op: Operation) -> None:
        clean_up(op)
        for marker in markers(op, TYPES, COMPONENTS, SHAPES):
            source = subject(marker)
            if source is None:
                continue
            build = Build(mlir.before(marker), marker.location)
            try:
                if marker.name == SHAPES:
                    _reify(marker, source, build)
                else:
                    _tell(marker, source, build)
            except ShloError as error:
                for diagnostic in error.diagnostics:
                    emit(diagnostic)
            except mlir.MLIRError as error:
                for diagnostic in mlir.diagnostics_of(error):
                    place = diagnostic.place or mlir.place_of(source.location)
                    emit(Diagnostic("error", diagnostic.message, place))
        clean_up(op)


def _tell(marker: Operation, source: Operation, build: Build) -> None:
    components = marker.name == COMPONENTS
    types = _components(source) if components else _types(source)
    if types is None:
        return
    attributes = dict(marker.attributes.items())
    attributes |= {f"types{n}": mlir.type_attr(type) for n, type in enumerate(types)}
    name = marker.name.replace("get_", "")
    results = [result.type for result in marker.results]
    _replace(marker, build.op(name, list(marker.operands), results, attributes).results)


def _reify(marker: Operation, source: Operation, build: Build) -> None:
    values = reified(source, build)
    types = [result.type for result in marker.results]
    if values is not None and [value.type for value in values] == types:
        _replace(marker, values)


def _replace(marker: Operation, values: Sequence[mlir.Value]) -> None:
    for old, new in zip(marker.results, values, strict=True):
        old.replace_all_uses_with(new)
    marker.erase()


def _types(op: Operation) -> list[Type] | None:
    """The types that an op infers from its operands and attributes."""
    if op.name in _WITH_REGIONS:
        return [type.mlir() for type in infer(op)]
    if len(op.regions) or op.name not in DESCRIPTIONS:
        return None
    return mlir.inferred_types(op)


def _components(op: Operation) -> list[Type] | None:
    """The sizes that an op infers, as types of tensors."""
    if op.name in _SIZES_ONLY:
        shape = list(op.operands[0].type.shape)
        return [mlir.tensor_type(shape, mlir.index_type())]
    types = _types(op)
    if types is None or not all(map(mlir.is_tensor, types)):
        return None
    return types
