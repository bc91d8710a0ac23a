"""One export by JAX, wherever it happens: here, or in a child process that imports JAX for it."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shlo_tools.errors import ShloError
from shlo_tools.interop.imported import ImportedProgram, Leaf


@dataclass(frozen=True)
class ArrayType:
    """Shape and dtype of an argument that there is no example of.

    Attributes:
        shape: sizes; names and expressions of them stand for sizes that calls choose:
            ``"batch, 784"``, ``("batch", 784)``, ``"2*n"``. The same name is the same size.
        dtype: numpy's or its name.
    """

    shape: str | Sequence[int | str]
    dtype: Any = "float32"

    @property
    def spelled(self) -> str:
        """The shape as one text."""
        return self.shape if isinstance(self.shape, str) else ", ".join(map(str, self.shape))


@dataclass(frozen=True)
class Export:
    """What a function is exported for; see ``from_jax``."""

    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    static_argnums: int | Sequence[int]
    static_argnames: str | Sequence[str]
    constraints: tuple[str, ...]

    def abstract(self) -> Export:
        """Without the values of numpy's arrays, which other processes need not know."""
        return replace(
            self, arguments=_without_values(self.arguments), keywords=_without_values(self.keywords)
        )

    def run(self, function: Any) -> ImportedProgram:
        """Export a function."""
        import jax
        from jax import export

        if self.static_argnums or self.static_argnames or not hasattr(function, "trace"):
            statics: Any = {
                "static_argnums": self.static_argnums or None,
                "static_argnames": self.static_argnames or None,
            }
            function = jax.jit(function, keep_unused=True, **statics)
        scope = export.SymbolicScope(self.constraints)

        def described(leaf: Any) -> Any:
            if not isinstance(leaf, ArrayType):
                return leaf
            shape = export.symbolic_shape(leaf.spelled, scope=scope)
            return jax.ShapeDtypeStruct(shape, np.dtype(leaf.dtype))

        arguments, keywords = jax.tree.map(described, (self.arguments, self.keywords))
        exported = export.export(function, platforms=("cpu",))(*arguments, **keywords)
        return _imported(exported)


def _imported(exported: Any) -> ImportedProgram:
    import jax

    def leaves(tree: Any, types: Sequence[Any]) -> Iterator[Leaf]:
        numbered = jax.tree.unflatten(tree, range(len(types)))
        for path, number in jax.tree_util.tree_flatten_with_path(numbered)[0]:
            yield Leaf(jax.tree_util.keystr(path), types[number].str_short())

    inputs = list(leaves(exported.in_tree, exported.in_avals))
    arguments = [
        replace(inputs[number], path=_argument(inputs[number].path))
        for number in exported.module_kept_var_idx
    ]
    results = [
        replace(leaf, path=f"result{leaf.path}")
        for leaf in leaves(exported.out_tree, exported.out_avals)
    ]
    several = exported.nr_devices > 1
    return ImportedProgram(
        exported.fun_name,
        str(exported.mlir_module()).encode() if several else exported.mlir_module_serialized,
        tuple(arguments),
        tuple(results),
        exported.nr_devices,
    )


def _argument(path: str) -> str:
    """``[0][2]['w']``, a path in (args, kwargs), as ``args[2]['w']``."""
    return ("args" if path.startswith("[0]") else "kwargs") + path[3:]


def _without_values(value: Any) -> Any:
    """Arguments with types instead of arrays."""
    if isinstance(value, np.ndarray):
        return ArrayType(value.shape, value.dtype)
    if type(value) in (tuple, list):
        return type(value)(map(_without_values, value))
    if type(value) is dict:
        return {key: _without_values(item) for key, item in value.items()}
    return value


def export_by_name(name: str, export: Export) -> ImportedProgram:
    """Import a function, ``package.module:function``, and export it.

    Raises:
        ShloError: there is no JAX, no such module or no such function.
    """
    if importlib.util.find_spec("jax") is None:
        raise ShloError("from_jax needs JAX, which is not installed", hint="pip install jax")
    module, colon, path = name.partition(":")
    if not colon or not module or not path:
        raise ShloError(f"{name!r} names no function", hint="write it as package.module:function")
    try:
        function = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ShloError(f"{name!r} cannot be imported: {error}") from error
    for part in path.split("."):
        if not hasattr(function, part):
            raise ShloError(f"there is no {path!r} in the module {module!r}")
        function = getattr(function, part)
    return export.run(function)
