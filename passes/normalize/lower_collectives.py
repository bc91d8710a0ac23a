"""Ops that processes perform together become custom calls, for a grid of known size.

Before, in a grid of 2 replicas and 1 partition:
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
After:
    %0 = stablehlo.custom_call @shlo.process.all_reduce(%a) {has_side_effect = true,
      mhlo.backend_config = {computation = "...", grid = array<i64: 2, 1>,
      kind = "add", replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}
      : (tensor<8xf32>) -> tensor<8xf32>

What such a call does is said once, by the reference's function for the op. The computation is the
text of a module that combines two arrays element by element. A program that runs alone has a grid
of 1 x 1, where each collective leaves its operand as it is: those stay, for
``shlo-legalize-to-linalg``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from shlo_tools import grid, ir, mlir
from shlo_tools.dims import equal
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import ShloError, VerifyError
from shlo_tools.extend.targets import GRID, PROCESS, ZEROS
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Value
from shlo_tools.ops._attributes import I64Matrix, codec
from shlo_tools.ops._op import read_arguments
from shlo_tools.passes.normalize.combining import combining_module, kind_of
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass

IDS = ("partition_id", "replica_id")
_REDUCING = ("all_reduce", "collective_reduce", "reduce_scatter")
_ONE_WAY = ("all_to_all", "collective_broadcast", "collective_permute")
_TRANSFERS = ("infeed", "outfeed", "recv", "send")
COLLECTIVES = ("all_gather", *_REDUCING, *_ONE_WAY)
# Attributes that hold processes, as the ops write them.
GROUPS = ("replica_groups", "source_target_pairs")
MATRIX = codec(I64Matrix)


@dataclass(frozen=True)
class LowerCollectives(Pass):
    """Have the host do what the processes of a grid do together.

    Options: the size of the grid; by default what the module's ``shlo.grid`` says. Without either
    the program runs alone.
    """

    name = "shlo-lower-collectives"
    num_replicas: int = 0
    num_partitions: int = 0

    def concerns(self, contents: Contents) -> bool:
        names = (*IDS, *COLLECTIVES, *_TRANSFERS, "async_start")
        return contents.has_op(*(f"stablehlo.{name}" for name in names))

    def run(self, op: Operation) -> None:
        size = self._size(op)
        if size is None:
            return
        rules: dict[str, ir.Rewrite] = {f"stablehlo.{name}": _transfer for name in _TRANSFERS}
        if size != (1, 1):
            rules |= {f"stablehlo.{name}": partial(_collective, size) for name in COLLECTIVES}
            rules |= {f"stablehlo.{name}": partial(_call, size) for name in IDS}
        ir.rewrite(op, rules)
        starts = [each for each in mlir.walk(op) if each.name == "stablehlo.async_start"]
        for start in starts:  # what waits for one goes with it
            _begin(start)

    def _size(self, module: Operation) -> tuple[int, int] | None:
        if GRID not in module.attributes and not (self.num_replicas or self.num_partitions):
            return None
        known = ir.integers_of(module, GRID, (1, 1))
        return self.num_replicas or known[0], self.num_partitions or known[1]


def _transfer(op: Operation, build: Build) -> Sequence[Value]:
    return _call(None, op, build)


def _collective(size: tuple[int, int], op: Operation, build: Build) -> Sequence[Value]:
    name = op.name.removeprefix("stablehlo.")
    groups = members(op, name, size)
    if name in ("all_gather", "reduce_scatter"):
        _check_sizes(op, name, groups)
    config = {"zeros": op.attributes[ZEROS]} if ZEROS in op.attributes else {}
    if name not in _REDUCING:
        return _call(size, op, build, config=config)
    (block,) = op.regions[0].blocks
    element = tensor_type(block.arguments[0].type).element_type.mlir()
    count = len(op.results)
    operands = [_converted(build, value, element) for value in list(op.operands)[:count]]
    config |= {
        "computation": mlir.string_attr(ir.printed(combining_module(op).operation)),
        "kind": mlir.string_attr(kind_of(op)),
    }
    return _call(size, op, build, [*operands, *list(op.operands)[count:]], config)


def _converted(build: Build, value: Value, element: mlir.Type) -> Value:
    """An operand in the element type that the computation combines."""
    type: Any = value.type
    if type.element_type == element:
        return value
    return build.value("stablehlo.convert", (value,), mlir.tensor_type(type.shape, element))


def _call(
    size: tuple[int, int] | None,
    op: Operation,
    build: Build,
    operands: Sequence[Value] | None = None,
    config: Mapping[str, Attribute] | None = None,
) -> Sequence[Value]:
    """The custom call for an op, which says of it what its function is to know."""
    own = {**(config or {}), **_arguments(op)}
    if size is not None:
        own["grid"] = mlir.i64_array_attr(size)
    values = list(op.operands) if operands is None else operands
    results = [result.type for result in op.results]
    return _named_call(build, op.name.removeprefix("stablehlo."), values, results, own)


def _named_call(
    build: Build,
    name: str,
    operands: Sequence[Value],
    results: Sequence[mlir.Type],
    config: Mapping[str, Attribute],
) -> Sequence[Value]:
    attributes = {
        "call_target_name": mlir.string_attr(PROCESS + name),
        "has_side_effect": mlir.bool_attr(True),
        "mhlo.backend_config": mlir.dict_attr(config),
    }
    return build.op("stablehlo.custom_call", operands, results, attributes).results


def _arguments(op: Operation) -> dict[str, Attribute]:
    """The attributes of an op by the names that its function has for them."""
    written: dict[str, Attribute] = {}
    for name, value in read_arguments(op).items():
        if name in GROUPS and value is not None:
            written[name] = MATRIX.encode(value)
        elif isinstance(value, bool):
            written[name] = mlir.bool_attr(value)
        elif isinstance(value, int):
            written[name] = mlir.i64_attr(value)
        elif isinstance(value, str):
            written[name] = mlir.string_attr(value)
    return written


# --- beside the process ---------------------------------------------------------------------------
def _begin(start: Operation) -> None:
    """Have a collective go on beside the process; slices are done when they begin.

    Raises:
        UnsupportedError: the future of a collective is not just waited for.
    """
    (block,) = start.regions[0].blocks
    *inner, _ = [mlir.inner_operation(view) for view in block.operations]
    call = inner[-1]
    if call.name != "stablehlo.custom_call":
        return
    uses = [mlir.inner_operation(use.owner) for use in start.results[0].uses]
    if [use.name for use in uses] != ["stablehlo.async_done"]:
        ir.raise_unsupported([start], "its future is not just waited for")
    build = Build(mlir.before(start), start.location)
    values = dict(zip(block.arguments, start.operands, strict=True))
    for op in inner[:-1]:  # conversions of operands
        clone = mlir.inner_operation(op.clone(build.at))
        clone.operands[0] = values[op.operands[0]]
        values[op.results[0]] = clone.results[0]
    config = {item.name: item.attr for item in call.attributes["mhlo.backend_config"]}
    config["op"] = mlir.string_attr(ir.text_of(call, "call_target_name").removeprefix(PROCESS))
    operands = [values[operand] for operand in call.operands]
    number = mlir.tensor_type((), mlir.integer_type(64))
    begun = _named_call(build, "async_start", operands, [number], config)
    (waiting,) = uses
    build = Build(mlir.before(waiting), waiting.location)
    types = [result.type for result in waiting.results]
    ir.replace(waiting, _named_call(build, "async_done", begun, types, {}))
    start.erase()


# --- groups ---------------------------------------------------------------------------------------
def members(op: Operation, name: str, size: tuple[int, int]) -> grid.Groups:
    """The groups of an op, which have to be of processes that there are."""
    arguments = read_arguments(op)
    channel = arguments.get("channel_id") or 0
    try:
        if name in _ONE_WAY:
            rows = arguments[GROUPS["permute" in name]]
            if name == "all_to_all" and not len(rows):
                rows = [range(arguments["split_count"])]
            groups = grid.one_way_groups(rows, *size, channel_id=channel)
        else:
            global_ids = bool(arguments.get("use_global_device_ids"))
            rows = arguments["replica_groups"]
            groups = grid.groups_of(
                rows, *size, channel_id=channel, use_global_device_ids=global_ids
            )
        if "broadcast" not in name and "permute" not in name:
            grid.require_all(groups, *size)
    except ShloError as error:
        raise _refusal(op, error.diagnostics[0].message) from error
    return groups


def _check_sizes(op: Operation, name: str, groups: grid.Groups) -> None:
    """Refuse types of groups of another size."""
    counts = {len(group) for group in groups}
    dimension = ir.integer_of(op, "all_gather_dim" if name == "all_gather" else "scatter_dimension")
    for operand, result in zip(op.operands, op.results, strict=True):
        part, whole = (tensor_type(v.type).shape[dimension] for v in (operand, result))
        if name == "reduce_scatter":
            part, whole = whole, part
        for count in counts:
            if equal(part * count, whole) is False:
                raise _refusal(
                    op, f"{count} processes of {part} in dimension {dimension} have {whole}"
                )


def _refusal(op: Operation, message: str) -> VerifyError:
    return VerifyError(f"{ir.describe(op)}: {message}", place=mlir.place_of(op.location))
