"""The registry of Python passes and named pipelines, filled lazily.

A pass is a frozen dataclass whose fields are its options:

    @register_pass
    @dataclass(frozen=True)
    class CountOps(Pass):
        '''Counts ops.'''
        name = "count-ops"
        only: str = ""

        def run(self, op: Operation) -> None: ...

It then works in ``shlo-opt --pass-pipeline='builtin.module(count-ops{only=stablehlo.add})'``,
from Python, and, through an entry point of the group ``shlo_tools.passes``, as a plug-in.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

from shlo_tools import mlir, plug_ins
from shlo_tools.errors import PipelineError, ShloError, did_you_mean
from shlo_tools.pipeline.contents import Contents

GROUP = "shlo_tools.passes"
_BUILT_IN = "shlo_tools.passes"  # the package whose PASSES and PIPELINES tables are ours


@dataclass(frozen=True)
class Pass:
    """Base of Python-authored passes; fields of a subclass are its options.

    Attributes:
        name: as written in pipelines; an option ``max_elements`` is written ``max-elements``.
        anchor: the op that ``run`` is given: ``builtin.module``, ``func.func``, or ``any``.
    """

    name: ClassVar[str]
    anchor: ClassVar[str] = "builtin.module"

    def run(self, op: mlir.Operation) -> None:
        """Change ``op`` in place; raise ShloError to fail."""
        raise NotImplementedError

    def concerns(self, contents: Contents) -> bool:
        """Whether there may be something to do where there are such ops and types."""
        return True

    def __str__(self) -> str:
        options = [
            f"{field.name.replace('_', '-')}={_written(getattr(self, field.name))}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return self.name + (f"{{{' '.join(options)}}}" if options else "")


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(str(item) for item in value)
    return _quoted(str(value))


def _quoted(text: str) -> str:
    """``text`` as one word of an option list."""
    if re.fullmatch(r"[^\s{}<>\[\]()'\"]+", text):
        return text
    return f'"{text}"' if '"' not in text else f"'{text}'"


PassClass = type[Pass]
T = TypeVar("T", bound=PassClass)

_passes: dict[str, PassClass | Callable[[], PassClass]] = {}
_pipelines: dict[str, tuple[str, str]] = {}
_loaded: set[str] = set()


def register_pass(cls: T) -> T:
    """Make a pass known by its name; a name taken by anything else is an error."""
    if not (isinstance(cls, type) and issubclass(cls, Pass) and hasattr(cls, "name")):
        raise ShloError(f"{cls!r} is no pass: a subclass of Pass with a name is wanted")
    _load_built_in()
    present = _passes.get(cls.name)
    if present is not None and not isinstance(present, type):
        present = present()
    if present is not None and _identity(present) != _identity(cls):
        raise ShloError(f"pass {cls.name!r} is registered twice: {present!r} and {cls!r}")
    if cls.name in _pipelines:
        raise ShloError(f"pass {cls.name!r} is registered already, as a pipeline")
    if present is None and mlir.is_native_pass(cls.name):
        raise ShloError(f"pass {cls.name!r} is registered already, by MLIR")
    _passes[cls.name] = cls
    return cls


def _identity(cls: PassClass) -> tuple[str, str]:
    """Where a class comes from: its module may be executed twice."""
    return cls.__module__, cls.__qualname__


def register_pipeline(name: str, text: str, summary: str = "") -> None:
    """Make ``name`` stand for the passes of ``text`` (elements under ``builtin.module``)."""
    if name in _passes or (name in _pipelines and _pipelines[name][0] != text):
        raise ShloError(f"pipeline {name!r} is registered already")
    _pipelines[name] = (text, summary)


def _load_built_in() -> None:
    if "built-in" in _loaded:
        return
    _loaded.add("built-in")
    package = importlib.import_module(_BUILT_IN)
    for name, where in package.PASSES.items():
        _passes.setdefault(name, _importer(where))
    for name, (text, summary) in package.PIPELINES.items():
        register_pipeline(name, text, summary)


def _importer(where: str) -> Callable[[], PassClass]:
    def load() -> PassClass:
        module, _, cls = where.partition(":")
        pass_class: PassClass = getattr(importlib.import_module(module), cls)
        return pass_class

    return load


def _load_entry_points() -> None:
    if "entry points" in _loaded:
        return
    _loaded.add("entry points")
    for point in plug_ins.offered(GROUP, "pass").values():
        if point.name in _passes or point.name in _pipelines or mlir.is_native_pass(point.name):
            raise ShloError(
                f"pass {point.name!r} of plug-in {point.value!r} clashes with another of that name"
            )
        _passes[point.name] = point.load


def load_plugin(path: str) -> None:
    """Import a Python file that registers passes (``--load-pass-plugin``).

    Raises:
        ShloError: the file is missing or fails to import.
    """
    file = Path(path).resolve()
    if not file.is_file():
        raise ShloError(f"no plug-in file {path!r}")
    if file.suffix != ".py":
        raise ShloError(f"{path!r} is no Python file", hint="pass plug-ins here are Python files")
    name = f"shlo_tools_plugin_{file.stem}_{abs(hash(str(file)))}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ShloError(f"cannot load {path!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a plug-in may fail in any way; its error is shown
        del sys.modules[name]
        raise ShloError(f"plug-in {path!r}: {type(error).__name__}: {error}") from error


def find_pass(name: str) -> PassClass | None:
    """The Python pass of that name, or None."""
    _load_built_in()
    if name not in _passes and not mlir.is_native_pass(name):
        _load_entry_points()  # which takes longer than to compile a small program
    entry = _passes.get(name)
    if entry is None or isinstance(entry, type):
        return entry
    try:
        loaded = entry()
    except (ImportError, AttributeError) as error:
        raise ShloError(f"pass {name!r} cannot be loaded: {error}") from error
    if not (isinstance(loaded, type) and issubclass(loaded, Pass)):
        raise ShloError(f"pass {name!r} cannot be loaded: {loaded!r} is no subclass of Pass")
    _passes[name] = loaded
    return loaded


def find_pipeline(name: str) -> str | None:
    """The text that a named pipeline stands for, or None."""
    _load_built_in()
    return _pipelines[name][0] if name in _pipelines else None


def names() -> list[str]:
    """Names of all Python passes and named pipelines."""
    _load_built_in()
    _load_entry_points()
    return sorted([*_passes, *_pipelines])


def summaries() -> dict[str, str]:
    """First line of documentation by name."""
    texts = {}
    for name in names():
        if name in _pipelines:
            texts[name] = f"pipeline: {_pipelines[name][1]}"
            continue
        try:
            cls = find_pass(name)
        except ShloError as error:  # a broken plug-in does not hide the others
            texts[name] = error.diagnostics[0].message
            continue
        if cls is not None:
            texts[name] = (cls.__doc__ or "").strip().split("\n")[0]
    return texts


# --- options --------------------------------------------------------------------------------------
_hints: WeakKeyDictionary[PassClass, dict[str, Any]] = WeakKeyDictionary()


def _types(cls: PassClass) -> dict[str, Any]:
    """Those of a pass's options; to evaluate annotations takes as long as most passes."""
    if cls not in _hints:
        _hints[cls] = get_type_hints(cls)
    return _hints[cls]


def instantiate(cls: PassClass, options: Mapping[str, str | None]) -> Pass:
    """A pass with options given as text.

    Raises:
        PipelineError: an unknown option, or a value of the wrong type.
    """
    hints = _types(cls) if options else {}
    known = {field.name.replace("_", "-"): field for field in fields(cls)}
    values: dict[str, Any] = {}
    for key, text in options.items():
        field = known.get(key.replace("_", "-"))
        if field is None:
            listed = ", ".join(known) or "none"
            raise PipelineError(
                f"pass {cls.name!r} has no option {key!r} (options: {listed})",
                hint=did_you_mean(key, known),
            )
        try:
            values[field.name] = _convert(text, hints[field.name])
        except ValueError as error:
            raise PipelineError(f"option {key!r} of pass {cls.name!r}: {error}") from error
    for key, field in known.items():
        required = field.default is MISSING and field.default_factory is MISSING
        if required and field.name not in values:
            raise PipelineError(f"pass {cls.name!r} needs option {key!r}")
    return cls(**values)


def _convert(text: str | None, annotation: Any) -> Any:
    origin = get_origin(annotation)
    if annotation is bool:
        if text in (None, "true", "1"):
            return True
        if text in ("false", "0"):
            return False
        raise ValueError(f"{text!r} is neither true nor false")
    if text is None:
        raise ValueError("a value is needed")
    if origin is Literal:
        if text not in get_args(annotation):
            raise ValueError(f"{text!r} is none of {', '.join(get_args(annotation))}")
        return text
    if origin in (Union, UnionType):
        return _convert(text, next(a for a in get_args(annotation) if a is not type(None)))
    if origin is tuple:
        item = get_args(annotation)[0]
        return tuple(_convert(part, item) for part in text.split(",")) if text else ()
    if annotation in (int, float):
        try:
            return annotation(text)
        except ValueError:
            kind = "integer" if annotation is int else "number"
            raise ValueError(f"{text!r} is no {kind}") from None
    return text
