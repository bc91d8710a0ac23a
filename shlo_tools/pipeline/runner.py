"""Runs pipelines that mix C++ and Python passes at any nesting, in mlir-opt's order.

Under ``func.func(a, b)`` each function goes through a and b before the next one starts. Runs of
C++ passes go to one MLIR pass manager, unless each pass is to be timed, printed or named.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import dropwhile

from shlo_tools import ir, mlir
from shlo_tools.errors import PassError, PipelineError, ShloError, did_you_mean
from shlo_tools.mlir import Operation
from shlo_tools.pipeline import crashes, grammar, refusals, registry
from shlo_tools.pipeline.checked_edits import edits_of
from shlo_tools.pipeline.contents import Contents, contents
from shlo_tools.pipeline.grammar import Node
from shlo_tools.pipeline.instrumentation import Instrumentation
from shlo_tools.pipeline.registry import Pass

Step = Callable[[Operation, Instrumentation], None]


class Pipeline:
    """A parsed and checked pipeline; every pass and option in it exists.

    Args:
        text: such as ``builtin.module(func.func(cse),shlo-to-linalg)``.
        anchor: the op that the pipeline runs on.

    Raises:
        PipelineError: malformed text, unknown pass, or bad option, with a caret.
    """

    def __init__(self, text: str, anchor: str = "builtin.module") -> None:
        self.text = text
        root = grammar.parse_anchored(text, anchor)
        root = Node(root.name, "", tuple(_expand(root.children or (), text)), root.position)
        with mlir.library_context():
            self.root = _resolved(root, text)

    def __str__(self) -> str:
        return str(self.root)

    def run(
        self,
        module: mlir.Module,
        instrumentation: Instrumentation | None = None,
        known: Contents | None = None,
    ) -> Contents | None:
        """Run on a module of the library context, in place.

        Args:
            known: what the module holds, from someone who has looked.

        Returns:
            What it holds afterwards at the most, if that is known.

        Raises:
            PassError: a pass failed, or left IR that does not verify.
        """
        watch = instrumentation or Instrumentation()
        with mlir.library_context():
            return _run_nested(self.root, module.operation, watch, known)


def run(text: str, module: mlir.Module) -> None:
    """Parse a pipeline and run it on a module, in place."""
    Pipeline(text).run(module)


# --- checking -------------------------------------------------------------------------------------
def _expand(nodes: Sequence[Node], text: str, outer: tuple[str, ...] = ()) -> list[Node]:
    """Replace named pipelines by what they stand for."""
    expanded: list[Node] = []
    for node in nodes:
        named = registry.find_pipeline(node.name) if node.children is None else None
        if named is None:
            children = node.children and tuple(_expand(node.children, text, outer))
            children = () if node.children == () else children
            expanded.append(Node(node.name, node.options, children, node.position))
        elif node.name in outer:
            raise grammar.error(text, node.position, f"pipeline {node.name!r} contains itself")
        elif node.options:
            raise grammar.error(text, node.position, f"pipeline {node.name!r} has no options")
        else:
            inner = _expand(grammar.parse(named), named, (*outer, node.name))
            expanded.extend(_placed(node_in, node.position) for node_in in inner)
    return expanded


def _placed(node: Node, position: int) -> Node:
    children = node.children and tuple(_placed(child, position) for child in node.children)
    return Node(node.name, node.options, () if node.children == () else children, position)


@dataclass(frozen=True)
class PythonPass(Node):
    """A Python pass in a pipeline, its options read."""

    instance: Pass = field(kw_only=True)


def _resolved(parent: Node, text: str) -> Node:
    """The same tree, its Python passes made, its C++ passes checked, and without empty anchors."""
    children = (
        _resolved(node, text) if node.children is not None else _pass(node, parent.name, text)
        for node in parent.children or ()
    )
    return replace(parent, children=tuple(node for node in children if node.children != ()))


def _pass(node: Node, anchor: str, text: str) -> Node:
    cls = registry.find_pass(node.name)
    if cls is None:
        _check_native(node, anchor, text)
        return node
    try:
        instance = registry.instantiate(cls, grammar.split_options(node.options))
    except PipelineError as error:
        first = error.diagnostics[0]
        raise grammar.error(text, node.position, first.message, first.hint) from error
    if instance.anchor not in ("any", anchor) and anchor != "any":
        raise grammar.error(
            text,
            node.position,
            f"pass {node.name!r} runs on {instance.anchor!r}, not on {anchor!r}",
            hint=f"nest it: {instance.anchor}({node})",
        )
    return PythonPass(node.name, node.options, None, node.position, instance=instance)


def _check_native(node: Node, anchor: str, text: str) -> None:
    refusal = refusals.reason(node) or crashes.reason(node, anchor)
    if refusal:
        raise grammar.error(text, node.position, refusal)
    try:
        _pass_manager(f"{anchor}({node})")
    except ValueError as error:
        if _UNREGISTERED in str(error):
            message, hint = f"there is no pass {node.name!r}", _closest(node.name)
            raise grammar.error(text, node.position, message, hint) from error
        lines = [line for line in str(error).split("\n") if line.strip()]
        hint = ""
        if "did you intend to nest" in str(error):
            hint = f"nest it: func.func({node})"
        raise grammar.error(text, node.position, lines[0].strip(), hint) from error


_UNREGISTERED = "does not refer to a registered pass"


def _closest(name: str) -> str:
    return did_you_mean(name, [*registry.names(), *mlir.native_pass_names()])


def anchor_of(name: str) -> str:
    """The op that a pass, given as a bare flag, is nested under (``builtin.module`` if any).

    Raises:
        PipelineError: there is no pass or pipeline of that name.
    """
    cls = registry.find_pass(name)
    if cls is not None:
        return "builtin.module" if cls.anchor == "any" else cls.anchor
    if registry.find_pipeline(name) is not None:
        return "builtin.module"
    try:
        _pass_manager(f"builtin.module({name})")
    except ValueError as error:
        if _UNREGISTERED in str(error):
            if refusals.unsupported(name):
                return "builtin.module"  # that is told where the pipeline is read
            raise PipelineError(f"there is no pass {name!r}", hint=_closest(name)) from error
        restricted = re.search(r"restricted to '([\w.]+)'", str(error))
        if restricted:
            return restricted[1]
    return "builtin.module"


_managers: dict[str, mlir.PassManager] = {}
_GATHERING = "stablehlo-refine-arguments"  # adds its list of types to the last run's


def _pass_manager(text: str) -> mlir.PassManager:
    """A cached pass manager of C++ passes; making one costs more than a small run."""
    with mlir.library_context():
        if _GATHERING in text:
            return mlir.parse_pipeline(text)
        if text not in _managers:
            _managers[text] = mlir.parse_pipeline(text)
        return _managers[text]


# --- running --------------------------------------------------------------------------------------
def _run_nested(
    node: Node, op: Operation, watch: Instrumentation, known: Contents | None = None
) -> Contents | None:
    """Run passes on an op; ``known`` is what it holds, while nothing has changed that."""
    for group in _groups(_adaptors(node.children or ()), watch.splits):
        if isinstance(group, dict):
            for child in ir.children(op):
                inner = group.get(child.name) or group.get("any")
                if inner is not None and (inner.name != "any" or _fits_any(inner, child)):
                    _run_nested(inner, child, watch)
            known = None
        elif isinstance(group, PythonPass):
            if _asks(group.instance):
                known = known or contents(op)
                if not group.instance.concerns(known):
                    _watched_pass(group, op, watch, lambda: None)
                    continue
            _run_python(group, op, watch)
            known = None
        else:
            if known is not None and not watch.splits:
                group = [*dropwhile(partial(_is_idle, known), group)]
            if group:
                _run_native(group, op, watch)
                known = _still_known(known, group)
    return known


Adaptor = dict[str, Node]  # anchors that are served in one go over the ops below


def _adaptors(nodes: Sequence[Node]) -> list[Node | Adaptor]:
    """Passes and adaptors. As in MLIR, anchors that follow each other are one adaptor:
    ``func.func(a),func.func(b)`` is ``func.func(a,b)``; only ``any`` stays by itself."""
    parts: list[Node | Adaptor] = []
    for node in nodes:
        if node.children is None:
            parts.append(node)
        elif parts and isinstance(parts[-1], dict) and "any" not in (node.name, *parts[-1]):
            before = parts[-1].get(node.name)
            children = (*(before.children or ()), *node.children) if before else node.children
            parts[-1][node.name] = replace(node, children=children)
        else:
            parts.append({node.name: node})
    return parts


Group = PythonPass | Adaptor | list[Node]


def _groups(elements: Sequence[Node | Adaptor], split: bool) -> list[Group]:
    """Python passes, anchors over them as adaptors, runs of C++ elements as lists."""
    groups: list[Group] = []
    for element in elements:
        nodes = [element] if isinstance(element, Node) else list(element.values())
        python = any(isinstance(inner, PythonPass) for node in nodes for inner in node.passes())
        if isinstance(element, PythonPass) or (isinstance(element, dict) and (python or split)):
            groups.append(element)
        elif groups and isinstance(groups[-1], list) and not split:
            groups[-1].extend(nodes)
        else:
            groups.append(nodes)
    return groups


def _fits_any(node: Node, op: Operation) -> bool:
    """Whether ``any(...)`` runs on an op: if it is isolated, and every pass in it takes it."""
    passes = [child for child in node.children or () if child.children is None]
    return mlir.is_isolated(op) and all(_takes(child, op.name) for child in passes)


def _takes(node: Node, anchor: str) -> bool:
    if isinstance(node, PythonPass):
        return node.instance.anchor in ("any", anchor)
    if crashes.reason(node, anchor):
        return False
    try:
        _pass_manager(f"{anchor}({node})")
    except ValueError:
        return False
    return True


def _still_known(known: Contents | None, nodes: Sequence[Node]) -> Contents | None:
    """What is known after C++ passes: of inlining, that there is nothing new."""
    if known is None or known.may_have_unused:
        return None
    is_same = all(node.name in ("inline", "symbol-dce") for node in nodes)
    return replace(known, functions={}, has_private_symbols=True) if is_same else None


def _is_idle(known: Contents, node: Node) -> bool:
    """Whether a C++ pass has nothing to do."""
    name = node.name
    if name == "inline":
        return not known.has_op("func.call")
    return name == "symbol-dce" and not known.may_have_unused


def _asks(instance: Pass) -> bool:
    """Whether a pass looks at contents before it runs."""
    return type(instance).concerns is not Pass.concerns


def _run_python(node: PythonPass, op: Operation, watch: Instrumentation) -> None:
    def run() -> None:
        with edits_of(node.instance, op):
            node.instance.run(op)
        if watch.verify_each:
            _verify(op, node.name)

    _watched_pass(node, op, watch, run)


def _watched_pass(
    node: PythonPass, op: Operation, watch: Instrumentation, run: Callable[[], None]
) -> None:
    _watched(type(node.instance).__name__, (node.name,), op, watch, run)


def _run_native(nodes: list[Node], op: Operation, watch: Instrumentation) -> None:
    manager = _pass_manager(f"{op.name}({','.join(str(node) for node in nodes)})")
    manager.enable_verifier(watch.verify_each and watch.verify_native)
    names = [inner.name for node in nodes for inner in node.passes()]
    title = "".join(word.capitalize() for word in re.split(r"[-_]", names[0]))

    def run() -> None:
        try:
            mlir.run_passes(manager, op)
        except mlir.MLIRError as error:
            raise PassError(mlir.diagnostics_of(error)) from error

    _watched(title, names, op, watch, run)


def _verify(op: Operation, name: str) -> None:
    try:
        mlir.verify(op)
    except mlir.MLIRError as error:
        raise PassError(mlir.diagnostics_of(error)) from error


def _watched(
    title: str,
    names: Sequence[str],
    op: Operation,
    watch: Instrumentation,
    run: Callable[[], None],
) -> None:
    """Run passes (one, wherever something is printed) under the eyes of ``watch``."""
    name = ",".join(names)
    if watch.on_pass:
        watch.on_pass(name)
    if watch.before(name):
        _print("Before", title, name, op, watch)
    old = op.get_asm() if watch.after_change else ""
    start = time.perf_counter()
    try:
        run()
    except ShloError:
        if watch.after_failure or watch.after(name):
            _print("After", f"{title} Failed", name, op, watch)
        raise
    finally:
        seconds = watch.seconds.get(name, 0.0)
        watch.seconds[name] = seconds + time.perf_counter() - start
    if watch.after(name) and not watch.after_failure:
        if not watch.after_change or op.get_asm() != old:
            _print("After", title, name, op, watch)


def _print(when: str, title: str, name: str, op: Operation, watch: Instrumentation) -> None:
    scope, shown = "", op
    if watch.module_scope and op.parent is not None:
        symbol = f": @{ir.symbol_name(op)}" if ir.symbol_name(op) else ""
        scope = f" ('{op.name}' operation{symbol})"
        while shown.parent is not None:
            shown = mlir.inner_operation(shown.parent)
    banner = f"// -----// IR Dump {when} {title} ({name}){scope} //----- //"
    text = f"{banner}\n{ir.printed(shown, **watch.asm)}\n"
    if watch.ir_files:
        watch.ir_files.write(op, name, text)
    else:
        print(text, file=watch.stream, flush=True)
