"""What ops are to kernels: asked once for all ops that are alike, as the bindings are slow."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.lowered import ELEMENTS, SHAPES
from shlo_tools.codegen.stages.nodes import OPS, Extent, UnsupportedStage
from shlo_tools.dtypes import TensorType
from shlo_tools.extend.targets import Meaning, meaning_of
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS
from shlo_tools.passes.legalize_to_linalg.host_calls import is_host_call
from shlo_tools.passes.normalize import result_accuracy
from shlo_tools.passes.stages.regions import region
from shlo_tools.structural_key import regions_key

# Ops that are a stage for themselves, by the kind of that stage.
ALONE = {
    "cholesky": "host",
    "concatenate": "concatenation",
    "custom_call": "host",
    "dynamic_update_slice": "update",
    "fft": "host",
    "reduce_window": "window",
    "rng": "map",
    "rng_bit_generator": "random",
    "scatter": "scatter",
    "select_and_scatter": "selection",
    "sort": "sort",
    "triangular_solve": "host",
}
# Ops whose regions are cut into stages, too.
CONTROL = {"while", "if", "case"}
STAYING = CONTROL | {"call"}  # and of functions for blocks of rows
CONTROL_OPS = {f"stablehlo.{name}" for name in CONTROL}
_FOLDS = ("reduce", "reduce_window")  # repeat their region
# Ops whose sizes are operands, which ``shlo-name-sizes`` knows by name: what they are without.
SIZED = {
    "cast": "reshape",  # of tensor: it says more or less of a size
    "dynamic_broadcast_in_dim": "broadcast_in_dim",
    "dynamic_conv": "convolution",
    "dynamic_gather": "gather",
    "dynamic_iota": "iota",
    "dynamic_pad": "pad",
    "dynamic_reshape": "reshape",
    "real_dynamic_slice": "slice",
}


_OTHERS = ("arith.constant", "tensor.cast")  # ops of other dialects that kernels read
# Custom calls that are ops once their sizes are numbers.
_CALLED = {
    Meaning.REDUCE_WINDOW: "reduce_window",
    Meaning.RNG_BIT_GENERATOR: "rng_bit_generator",
}


@dataclass(frozen=True)
class Kind:
    """What ops are that do the same.

    Attributes:
        number: of equal ops: the same name, types, attributes and regions (those of control flow
            left out).
        name: without the dialect; ``op`` for one that no kernel computes.
        type: that of the result of an op that kernels may compute; None where it stays as it is.
        integers: of attributes that were asked for.
        dot_dimensions: of products, once asked for.
        answers: of questions about all ops of the kind, by what asks.
    """

    number: int
    name: str
    type: TensorType | None
    integers: dict[str, tuple[int, ...]] = field(default_factory=dict, compare=False)
    dot_dimensions: dict[str, Sequence[int]] = field(default_factory=dict, compare=False)
    answers: dict[str, bool] = field(default_factory=dict, compare=False)

    @cached_property
    def shape(self) -> tuple[Extent, ...]:
        """That of the result; () where there is no type."""
        return self.type.shape if self.type else ()

    @cached_property
    def count(self) -> Extent:
        """Elements of the result; -1 where there is no type."""
        return math.prod(self.shape) if self.type else -1


class Kinds:
    """The kinds of the ops of a module."""

    def __init__(self) -> None:
        self.types = Types()
        self._known: dict[Hashable, Kind] = {}
        self._results: dict[TensorType | None, Kind] = {}

    def of_result(self, type: TensorType | None) -> Kind:
        """What one of several results is, whatever makes them."""
        if type not in self._results:
            self._results[type] = Kind(-1, "result", type)
        return self._results[type]

    def of(self, op: Operation, name: str, types: Sequence[int]) -> Kind:
        """The kind of an op of a name whose operands and results have types of these numbers."""
        regions = op.regions if name not in CONTROL_OPS else ()
        key: Hashable = (
            name,
            tuple(types),
            tuple(op.attributes.items()),
            regions_key(regions) if len(regions) else (),
        )
        if not self.types.dynamic.isdisjoint(types):  # what sizes are called, values say
            key = key, tuple([self.types.of(value) for value in (*op.operands, *op.results)])
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._new(op)
        return known

    def _new(self, op: Operation) -> Kind:
        number, type = len(self._known), stage_type(op, self.types)
        if type is None:
            return Kind(number, _whole_name(op, self.types), None)
        return Kind(number, _name(op), type)


def _name(op: Operation) -> str:
    """What an op is to kernels: those of named sizes are what they are without."""
    if ELEMENTS in op.attributes:
        return "constant"
    name = op.name.partition(".")[2]
    return SIZED.get(name, name)


class Types:
    """Types of values, read once for each MLIR type; unknown sizes by their names.

    Attributes:
        dynamic: the numbers of tensor types of unknown sizes.
    """

    def __init__(self) -> None:
        self.dynamic: set[int] = set()
        self._numbers: dict[mlir.Type, int] = {}
        self._static: list[TensorType | None] = []

    def number(self, type: mlir.Type) -> int:
        """A number that equal types share."""
        number = self._numbers.get(type)
        if number is None:
            number = self._numbers[type] = len(self._numbers)
            is_fit = mlir.is_static_tensor(type) and "!" not in mlir.spelling(type)
            self._static.append(dtypes.tensor_type(type) if is_fit else None)
            if mlir.is_tensor(type) and mlir.is_dynamic(type):
                self.dynamic.add(number)
        return number

    def of(self, value: Value) -> TensorType | None:
        """A tensor type of plain numbers whose sizes are known or have names, else None."""
        number = self.number(value.type)
        if number in self.dynamic and _is_named(value):
            return named_sizes.type_of(value)
        return self._static[number]


def _is_named(value: Value) -> bool:
    """Whether an unknown size has a name."""
    op = mlir.defining_op(value)
    op = mlir.inner_operation(value.owner.owner) if op is None else op
    return SHAPES in op.attributes and "!" not in str(value.type)


def _whole_name(op: Operation, types: Types) -> str:
    """What an op of several results is to kernels."""
    dialect, _, name = op.name.partition(".")
    if op.name == "func.call":
        return name
    fits = all(types.of(value) for value in (*op.operands, *op.results))
    if fits and name == "custom_call" and SHAPES in op.attributes:
        meaning = meaning_of(ir.text_of(op, "call_target_name"))
        if meaning in _CALLED:
            return _CALLED[meaning]
    if dialect != "stablehlo" or not fits or (name == "custom_call" and not is_host_call(op)):
        return "op"
    is_alone = name in ALONE and not ir.captured(op)
    is_known = is_readable(op) if name in _FOLDS else name in CONTROL or is_alone
    return name if is_known else "op"


def is_readable(op: Operation) -> bool:
    """Whether kernels read the region of an op."""
    try:
        region(op)
    except UnsupportedStage:
        return False
    return True


def stage_type(op: Operation, types: Types) -> TensorType | None:
    """The result's type of an op that kernels may compute; None where it stays as it is."""
    if ELEMENTS in op.attributes:
        return types.of(op.results[0])
    dialect, _, name = op.name.partition(".")
    name = SIZED.get(name, name) if SHAPES in op.attributes else name
    is_read = dialect == "stablehlo" or op.name in _OTHERS or op.name in SCALARS
    if len(op.results) != 1 or not is_read:
        return None
    if (name in _FOLDS and not is_readable(op)) or (name in ALONE and ir.captured(op)):
        return None
    if name == "custom_call":
        return None  # it runs even where nobody needs a result
    is_known = name in OPS or name in ALONE
    if not is_known and not (op.name in SCALARS and has_trait(op.name, Trait.ELEMENTWISE)):
        return None
    if op.name in result_accuracy.LARGEST and result_accuracy.refusal(op):
        return None  # refused by name on the way to linalg
    operands = [types.of(value) for value in op.operands]
    result = types.of(op.results[0])
    if result is None or any(operand is None for operand in operands):
        return None
    if not is_known:
        shapes = {operand.shape for operand in operands if operand and operand.shape}
        if not shapes <= {result.shape}:
            return None
    return result
