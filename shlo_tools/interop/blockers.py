"""What keeps a program from being written for an older StableHLO, and which version would do.

    model.mlir:3:8: error: stablehlo.gather needs StableHLO 1.1.0, for batching dimensions

Each op is tried alone, in a function of its own, by what serializing does: legalized to VHLO, and
that downgraded. Where this fails, its types and attributes are tried, each alone as well. So the
answers are MLIR's own, for every op and version that it knows, and all of them come at once, where
serializing stops at the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.errors import Diagnostic, Place, ShloError
from shlo_tools.interop import vhlo
from shlo_tools.program import versions, writing
from shlo_tools.program.versions import Version

_DISCARDABLE = "shlo.attribute"  # carries an attribute that is tried alone


# What ops could not do before; only words, the versions of ops are MLIR's to tell.
_TYPES_DIFFER = "a result of another element type than its operand"
_SEVERAL = "several operands"
_BATCHING = "batching dimensions"
_ACCURACY = "another result_accuracy than the default"
_FEATURES = {
    **{
        (op, "0.17.0"): _TYPES_DIFFER
        for op in (
            *("all_reduce", "reduce", "reduce_scatter", "reduce_window"),
            *("scatter", "select_and_scatter"),
        )
    },
    **{(op, "1.1.0"): _BATCHING for op in ("gather", "scatter", "dynamic_gather")},
    **{(op, "1.5.0"): _SEVERAL for op in ("all_gather", "all_reduce", "all_to_all")},
    **{
        (op, "1.10.0"): _ACCURACY
        for op in (
            *("cbrt", "cosine", "exponential_minus_one", "log", "log_plus_one", "logistic"),
            *("rsqrt", "sine", "sqrt", "tan", "tanh"),
        )
    },
    ("custom_call", "1.3.0"): "a dictionary as backend_config, or the typed FFI",
    ("custom_call", "1.17.0"): "an operand that is a future",
    ("custom_call", "1.18.0"): "result_tilings",
    ("dot_general", "1.6.0"): "its algorithm",
    ("send", "1.12.0"): "source_target_pairs",
    ("recv", "1.12.0"): "source_target_pairs",
    ("composite", "1.14.0"): "its regions",
}


@dataclass(frozen=True)
class Blocker:
    """Something that a version lacks.

    Attributes:
        op: the name of the op that it is, or that has it.
        what: ``op``, ``type`` or ``attribute``.
        item: how the type, or the attribute, is written.
        needs: the oldest version that has it; None where no version has.
        reason: why no version has it, as MLIR says.
    """

    op: str
    what: str
    item: str
    needs: Version | None
    place: Place | None
    reason: str = ""

    @property
    def message(self) -> str:
        subject = self.op if self.what == "op" else f"{self.op}: {self.what} {self.item}"
        if self.needs is not None:
            why = _FEATURES.get((self.op.removeprefix("stablehlo."), str(self.needs)), "")
            for_what = f", for {why}" if self.what == "op" and why else ""
            return f"{subject} needs StableHLO {self.needs}{for_what}"
        because = f": {self.reason}" if self.reason else ""
        return f"{subject} cannot be written for any version of StableHLO{because}"

    @property
    def diagnostic(self) -> Diagnostic:
        return Diagnostic("error", self.message, self.place)


@dataclass(frozen=True)
class Explanation:
    """What blocks a version.

    Attributes:
        target: the version.
        blockers: in the order of the program; none where it will do.
        oldest: the oldest version that will do; None where none does.
    """

    target: Version
    blockers: tuple[Blocker, ...]
    oldest: Version | None


def explain(
    module: mlir.Module, target: str = versions.CURRENT, *, allow_other_dialects: bool = False
) -> Explanation:
    """What keeps a program from being serialized for a version of StableHLO.

    Args:
        module: StableHLO, or VHLO. It is not changed.
        target: the version, see ``program.serialize``.
        allow_other_dialects: as for ``program.serialize``.

    Raises:
        ShloError: the target is no version.
    """
    version = versions.target(target)
    with mlir.library_context():
        copy = writing.clone(writing.moved(module))
        vhlo.to_stablehlo(copy)
        search = _Search(versions.window(), allow_other_dialects)
        oldest, reason = search.oldest_of(copy)
        if oldest is not None and oldest <= version:
            return Explanation(version, (), oldest)
        ops = mlir.walk(copy.operation)[1:]
        needs = [blocker for op in ops for blocker in search.blockers(op)]
    # Alone, an op of another dialect may need what it does not need beside others.
    enough = oldest or versions.current()
    blockers = [
        b for b in needs if (oldest is None if b.needs is None else version < b.needs <= enough)
    ]
    if not any(b.needs == oldest for b in blockers):
        blockers.append(Blocker("builtin.module", "op", "", oldest, None, reason))
    return Explanation(version, tuple(blockers), oldest)


Build = Callable[[], mlir.Module]
_Need = tuple[Version | None, str]  # the oldest version that will do; why none does


@dataclass
class _Search:
    """Oldest versions of what was looked at already, and how they are tried."""

    window: list[Version]
    allow_other_dialects: bool
    _needs: dict[object, _Need] = field(default_factory=dict)
    _ops: dict[object, list[tuple[str, str, _Need]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        others = str(self.allow_other_dialects).lower()
        legalize = f"builtin.module(stablehlo-legalize-to-vhlo{{allow-other-dialects={others}}})"
        self._legalize = _unverified(legalize)
        self._downgrade = {
            version: _unverified(f"any(vhlo-to-version{{target={version}}})")
            for version in self.window
        }

    def oldest_of(self, module: mlir.Module) -> _Need:
        """The oldest version that a whole program can be written for, by writing it.

        Ops that are fine alone may not fit together, and the other way round.
        """

        def failure(version: Version) -> str:
            others = self.allow_other_dialects
            try:
                writing.serialize(module, str(version), allow_other_dialects=others)
            except ShloError as error:
                return error.diagnostics[0].message
            return ""

        return self._first(failure)

    def blockers(self, op: mlir.Operation) -> Iterator[Blocker]:
        """What an op needs beyond the oldest version."""
        key = _structure(op)
        if key not in self._ops:
            self._ops[key] = list(self._needs_of(op))
        place = mlir.place_of(op.location)
        for what, item, (needs, reason) in self._ops[key]:
            if needs is None or needs > self.window[0]:
                yield Blocker(op.name, what, item, needs, place, reason)

    def _needs_of(self, op: mlir.Operation) -> Iterator[tuple[str, str, _Need]]:
        """What an op's types and attributes need, and the op itself where that is more."""
        if op.name.startswith("chlo.") and not self.allow_other_dialects:
            yield "op", "", (None, _reason(op))
            return
        whole = self._need(_structure(op), lambda: _alone(op))
        if whole[0] == self.window[0]:
            return
        if whole[0] is None and (reason := _reason(op)):
            yield "op", "", (None, reason)
            return
        # What an op needs less than a part of it is left out where that is at its default.
        parts = [
            part
            for part in (*self._types(op), *self._attributes(op))
            if whole[0] is None or (part[2][0] is not None and part[2][0] <= whole[0])
        ]
        yield from parts
        needs = [need for _, _, (need, _) in parts]
        if whole[0] is None and None in needs:
            return
        if whole[0] is None or whole[0] > max((n for n in needs if n), default=self.window[0]):
            yield "op", "", whole

    def _types(self, op: mlir.Operation) -> Iterator[tuple[str, str, _Need]]:
        for type in dict.fromkeys(_types_of(op)):
            need = self._need(type, lambda type=type: _with_arguments([type]))  # type: ignore[misc]
            if need[0] != self.window[0]:
                yield "type", str(type), need

    def _attributes(self, op: mlir.Operation) -> Iterator[tuple[str, str, _Need]]:
        """Attributes are tried as VHLO has them: some of StableHLO's become several there."""
        modern = _alone(op)
        if self._failure(self._legalize, modern):
            return
        names = {name for name, _ in op.attributes.items()}
        for name, attribute in _single(modern).attributes.items():
            if op.name == "func.func" and name == "function_type":
                continue  # its types are told one by one
            need = self._need(attribute, lambda a=attribute: self._with_attribute(a))  # type: ignore[misc]
            if need[0] == self.window[0]:
                continue
            text = str(op.attributes[name] if name in names else attribute)
            yield "attribute", f"{name!r}, {text if len(text) <= 80 else text[:77] + '...'},", need

    def _with_attribute(self, attribute: mlir.Attribute) -> mlir.Module:
        """A module of VHLO with a function that carries an attribute of VHLO."""
        module = _with_arguments([])
        mlir.run_passes(self._legalize, module.operation)
        ir.children(module.operation)[0].attributes[_DISCARDABLE] = attribute
        return module

    def _need(self, key: object, build: Build) -> _Need:
        """The oldest version that a module of one thing can be written for."""
        if key not in self._needs:
            self._needs[key] = self._oldest(build())
        return self._needs[key]

    def _oldest(self, module: mlir.Module) -> _Need:
        is_vhlo = ir.children(module.operation)[0].name.startswith(vhlo.PREFIX)
        failure = "" if is_vhlo else self._failure(self._legalize, module)
        if failure:
            return None, failure

        return self._first(
            lambda version: self._failure(self._downgrade[version], writing.clone(module))
        )

    def _first(self, failure: Callable[[Version], str]) -> _Need:
        """The oldest version without a failure: what a version has, later ones have."""
        reason = failure(self.window[-1])
        if reason:
            return None, reason
        low, high = 0, len(self.window) - 1
        while low < high:
            middle = (low + high) // 2
            if failure(self.window[middle]):
                low = middle + 1
            else:
                high = middle
        return self.window[low], ""

    def _failure(self, manager: mlir.PassManager, module: mlir.Module) -> str:
        """Why passes fail; '' where they do not."""
        try:
            mlir.run_passes(manager, module.operation)
        except mlir.MLIRError as error:
            message = mlir.diagnostics_of(error)[0].message
            return message.split(" that was explicitly marked illegal")[0] or "it is not legal"
        return ""


_DIALECTS = ("stablehlo.", "func.")


def _reason(op: mlir.Operation) -> str:
    """Why no version has an op, in words of people; '' where only MLIR knows."""
    if op.name.startswith("chlo."):
        return "lower it first, by shlo-opt --chlo-legalize-to-stablehlo"
    if not op.name.startswith(_DIALECTS):
        return "it is of another dialect"
    if any(mlir.is_dense_resource(item) for _, item in op.attributes.items()):
        return "it has a dense_resource, and artifacts hold dense constants only"
    return ""


def _unverified(pipeline: str) -> mlir.PassManager:
    """Passes that run on ops without the regions that these must have."""
    manager = mlir.parse_pipeline(pipeline)
    manager.enable_verifier(False)
    return manager


# --- single ops -----------------------------------------------------------------------------------
def _structure(op: mlir.Operation) -> object:
    """What tells an op from others, but for where it is and what stands in its regions."""
    attributes = tuple((name, attribute) for name, attribute in op.attributes.items())
    types = (tuple(v.type for v in op.operands), tuple(v.type for v in op.results))
    return op.name, attributes, types, tuple(map(_argument_types, op.regions))


def _argument_types(region: mlir.Region) -> tuple[mlir.Type, ...]:
    return tuple(argument.type for block in region.blocks for argument in block.arguments)


def _types_of(op: mlir.Operation) -> Iterator[mlir.Type]:
    for value in (*op.operands, *op.results):
        yield value.type
    if op.name == "func.func":
        for types in ir.signature(op):
            yield from types
    for region in op.regions:
        yield from _argument_types(region)


def _with_arguments(types: Iterable[mlir.Type]) -> mlir.Module:
    """A module with a function of these argument types, which does nothing."""
    module, listed = mlir.empty_module(), list(types)
    attributes = {
        "sym_name": mlir.string_attr("main"),
        "function_type": mlir.type_attr(mlir.function_type(listed, [])),
    }
    func = mlir.create("func.func", attributes=attributes, regions=1, at=mlir.at_end(module.body))
    block = mlir.block_in(func.regions[0], listed)
    mlir.create("func.return", at=mlir.at_end(block))
    return module


def _alone(op: mlir.Operation) -> mlir.Module:
    """A module with one op, in a function whose arguments are its operands, its regions empty."""
    is_function = op.name == "func.func"
    module = _with_arguments(value.type for value in op.operands)
    func = ir.children(module.operation)[0]
    block = func.regions[0].blocks[0]
    end = mlir.at_end(module.body) if is_function else mlir.before(ir.terminator(block))
    single: Any = mlir.create(
        op.name,
        list(block.arguments),
        [result.type for result in op.results],
        dict(op.attributes.items()),
        regions=len(op.regions),
        at=end,
    )
    for region, empty in zip(op.regions, single.regions, strict=True):
        types = _argument_types(region)
        if types:
            mlir.block_in(empty, types)
    return module


def _single(module: mlir.Module) -> mlir.Operation:
    """The op that ``_alone`` made, whatever it has become."""
    func, *others = ir.children(module.operation)
    return others[0] if others else mlir.inner_operation(func.regions[0].blocks[0].operations[0])
