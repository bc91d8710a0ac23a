"""The MLIR bindings, their defects worked around: the only module that imports the wheel.

The wheel is untyped and unforgiving: a stale reference, a missing attribute or a wrong class
argument ends the process. What other modules may use is named and typed here; everything they
do goes through these names, so a new provider is a change to this file alone.

Nothing here is imported before it is needed: ``import shlo_tools`` does not load MLIR.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from mmap import ACCESS_READ, mmap
from types import ModuleType
from typing import Any, NamedTuple, Protocol, cast

from shlo_tools import elf, interrupts, time_limit
from shlo_tools.dialects import check
from shlo_tools.errors import Diagnostic, Place, ProviderError, ShloError, UnsupportedError
from shlo_tools.foreign import second_mlir

PROVIDER = "torch_mlir"
DISTRIBUTION = "torch-mlir"
TESTED_VERSION = "20261001"


# --- what the bindings' objects look like ---------------------------------------------------------
class Location(Protocol):
    def emit_error(self, message: str) -> None: ...


class Type(Protocol):
    """An MLIR type; hashable, and equal by identity in its context."""


class ShapedType(Type, Protocol):
    shape: Sequence[int]
    rank: int
    element_type: Type


class FunctionType(Type, Protocol):
    inputs: Sequence[Type]
    results: Sequence[Type]


class Attribute(Protocol):
    type: Type


class Value(Protocol):
    type: Any
    owner: Any

    def replace_all_uses_with(self, value: Value) -> None: ...
    @property
    def uses(self) -> Iterator[Any]: ...
    def set_type(self, type: Type) -> None: ...


class Block(Protocol):
    arguments: Sequence[Value]
    operations: Any
    owner: Any
    region: Any

    def add_argument(self, type: Type, location: Location) -> Value: ...
    def append(self, operation: Any) -> None: ...
    def append_to(self, region: Region) -> None: ...
    def erase_argument(self, index: int) -> None: ...


class Region(Protocol):
    blocks: Any
    owner: Any

    def __iter__(self) -> Iterator[Block]: ...


class Operation(Protocol):
    name: str
    operands: Any
    results: Sequence[Value]
    attributes: Any
    regions: Sequence[Region]
    successors: Sequence[Block]
    location: Location
    parent: Any
    block: Block
    operation: Any
    context: Context

    def erase(self) -> None: ...
    def verify(self) -> bool: ...
    def clone(self, ip: Any = None) -> Any: ...
    def get_asm(self, **options: Any) -> str: ...
    def move_before(self, other: Operation) -> None: ...
    def walk(self, callback: Callable[[Operation], Any], order: Any = None) -> None: ...
    def replace_uses_of_with(self, of: Value, with_: Value) -> None: ...
    def write_bytecode(self, file: Any, desired_version: int | None = None) -> None: ...


class Module(Protocol):
    operation: Operation
    body: Block
    context: Context


class Context(Protocol):
    allow_unregistered_dialects: bool
    emit_error_diagnostics: bool

    def is_registered_operation(self, name: str) -> bool: ...
    def attach_diagnostic_handler(self, callback: Callable[[Any], bool]) -> Any: ...
    def __enter__(self) -> Context: ...
    def __exit__(self, *exc: object) -> None: ...


class PassManager(Protocol):
    def run(self, operation: Operation) -> None: ...
    def enable_verifier(self, enable: bool) -> None: ...


# --- loading the provider -------------------------------------------------------------------------
def _load_provider() -> None:
    other = second_mlir()
    if other:
        raise ProviderError(
            f"{other!r} is loaded in this process and brings an MLIR of its own; two of them crash",
            hint="export the program to text or bytes in another process, and load that",
        )
    _wheel("ir")


def provider_version() -> str:
    """The installed version of the wheel that carries MLIR."""
    from importlib import metadata  # takes longer to import than a small program to compile

    return metadata.version(DISTRIBUTION)


def provider_build() -> str:
    """What tells this copy of the wheel's libraries from others; faster than the version."""
    path = _wheel("_mlir_libs._mlir").__file__
    status = os.stat(path)
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def _wheel(module: str) -> Any:
    try:
        return importlib.import_module(f"{PROVIDER}.{module}")
    except ImportError as error:
        hint = f"pip install {DISTRIBUTION}=={TESTED_VERSION}"
        if "failed to map" in str(error):  # what the loader says under a limit
            hint = "there is too little memory"
        message = f"the MLIR bindings cannot be imported: {error}"
        raise ProviderError(message, hint=hint) from error


with interrupts.deferred():  # what is interrupted while it registers itself ends the process
    _load_provider()
    ir: Any = _wheel("ir")
    _passmanager: Any = _wheel("passmanager")
    _stablehlo: Any = _wheel("_mlir_libs._stablehlo")
    _irdl: Any = _wheel("_mlir_libs._mlirDialectsIRDL")
    _registry: Any = _wheel("dialects._ods_common")._cext
    _stablehlo.register_stablehlo_passes()
    _wheel("_mlir_libs._torchMlir")  # registers the pass whose dependent dialect is chlo

MLIRError = cast("type[Exception]", ir.MLIRError)

# At the first look at an op the bindings import the module of its dialect, for each op again where
# there is none. The wheel's own take up to 100 ms each, for classes that nothing here needs: so
# these are found first. Who imports one of the wheel's has its classes.
_EMPTY = (
    *("arith", "bufferization", "cf", "chlo", "complex", "linalg", "llvm", "math", "memref"),
    *("scf", "shape", "sparse_tensor", "stablehlo", "tensor", "vector", "vhlo"),
)
for _name in _EMPTY:
    sys.modules[f"shlo_tools.dialects.{_name}"] = ModuleType(_name)
_registry.globals.dialect_search_modules = ["shlo_tools.dialects", f"{PROVIDER}.dialects"]


def _register_dense_caster(context: Any) -> None:
    """Reading a complex DenseElementsAttr raises unless a caster of ours picks the class."""
    with context, ir.Location.unknown():
        typeid = ir.DenseElementsAttr.get_splat(
            ir.RankedTensorType.get([1], ir.F32Type.get()), ir.FloatAttr.get(ir.F32Type.get(), 0.0)
        ).typeid

    @_registry.register_type_caster(typeid, replace=True)  # type: ignore[untyped-decorator]
    def cast_dense(attribute: Any) -> Any:
        return _dense_class(spelling(attribute.type))(attribute)


@functools.lru_cache(maxsize=4096)
def _dense_class(type: str) -> Any:
    """The bindings' class of constants of a shaped type, as that is spelled."""
    if "complex" in type or "quant" in type:
        return ir.DenseElementsAttr
    element = re.split(r"x(?=[a-z!])", type.partition("<")[2])[-1]
    return ir.DenseIntElementsAttr if element[0] in "iu" else ir.DenseFPElementsAttr


# --- contexts -------------------------------------------------------------------------------------
_LOADING = (
    "builtin.module(func.func(convert-torch-to-stablehlo))",  # chlo, quant
    "builtin.module(stablehlo-legalize-to-vhlo)",  # vhlo
)


def new_context() -> Context:
    """A context of its own with every dialect; dropping it frees its attributes."""
    with interrupts.deferred():
        context = ir.Context()
        _stablehlo.register_dialect(context)
        _stablehlo.register_interpreter_dialect(context)
        with context:
            _irdl.load_dialects(ir.Module.parse(check.DEFINITION))
            empty = ir.Module.parse("module {}")
            for pipeline in _LOADING:
                _passmanager.PassManager.parse(pipeline).run(empty.operation)
    return cast(Context, context)


_lock = threading.RLock()
_library_context: Context | None = None
_entered = 0  # how often the thread that has the lock has entered the context
_spellings: dict[Type, str] = {}  # of types that were asked for since it entered first

before_fork: list[Callable[[], None]] = []  # what finishes other work, behind the lock


def _before_fork() -> None:
    """A fork while another thread holds the lock would leave it locked for good in the child."""
    _lock.acquire()
    for finish in before_fork:
        finish()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_lock.release, after_in_child=_lock.release
    )


@contextmanager
def library_context() -> Iterator[Context]:
    """The one context that modules live in, entered, behind its lock.

    Raises:
        ExecutionTimeout: another thread compiles for longer than this one's call may take.
    """
    global _library_context, _entered
    if time_limit.is_limited():
        time_limit.acquire(_lock)
        _lock.release()
    with _lock:  # no signal comes between taking it and entering the block
        if _library_context is None:
            with interrupts.deferred():
                context = new_context()
                _register_dense_caster(context)
                _library_context = context
        _entered += 1
        try:
            with _library_context, ir.Location.unknown():
                yield _library_context
        finally:
            _entered -= 1
            if not _entered:
                _spellings.clear()


def unknown_location() -> Location:
    return cast(Location, ir.Location.unknown())


def file_location(file: str, line: int, column: int = 1) -> Location:
    return cast(Location, ir.Location.file(file, line, column))


def at(context: Context) -> Any:
    """Enter another context with an unknown location."""
    return _Entered(context)


class _Entered:
    def __init__(self, context: Context) -> None:
        self.context = context

    def __enter__(self) -> Context:
        self.context.__enter__()
        with_location = ir.Location.unknown()
        with_location.__enter__()
        self.location = with_location
        return self.context

    def __exit__(self, *exc: object) -> None:
        self.location.__exit__(*exc)
        self.context.__exit__(*exc)


# --- parsing and printing -------------------------------------------------------------------------
@contextmanager
def reported() -> Iterator[None]:
    """MLIR's errors as MLIRErrors, those as well that quote bytes which are no text."""
    try:
        yield
    except RuntimeError as error:  # the bindings fail to make a str of the message
        if _NO_TEXT not in str(error):
            raise
        raise MLIRError(_QUOTES_BYTES) from error


_QUOTES_BYTES = "MLIR's message about it quotes bytes that are no text"
_NO_TEXT = "str_from_cstr_and_size(): conversion error"


def parse_module(source: str | bytes) -> Module:
    """Parse text or bytecode in the current context; raises MLIRError."""
    with reported():
        return cast(Module, ir.Module.parse(source))


def parse_operation(source: str) -> Operation:
    """Parse a text of one op in the current context; raises MLIRError."""
    with reported():
        return cast(Operation, ir.Operation.parse(source))


def verify(operation: Operation) -> None:
    """Verify an op and what is in it; raises MLIRError."""
    with reported():
        operation.verify()


def run_passes(manager: PassManager, operation: Operation) -> None:
    """Run passes; raises MLIRError."""
    with reported():
        manager.run(operation)


_no_patterns: Any = None


def run_greedily(operation: Operation) -> None:
    """What MLIR's greedy rewrite driver does without patterns, on an isolated op.

    Constants are unified and move to the start of their function, ops fold themselves, and dead
    ops and blocks go. Ops held from before may be gone. Raises MLIRError.
    """
    global _no_patterns
    rewrite = _wheel("rewrite")
    if _no_patterns is None:  # freezing a set twice ends the process
        _no_patterns = rewrite.RewritePatternSet().freeze()
    with reported():
        rewrite.apply_patterns_and_fold_greedily(operation, _no_patterns)


def is_dialect(name: str) -> bool:
    """Whether the current context has a dialect of that name."""
    try:
        ir.Context.current.get_dialect_descriptor(name)
    except ValueError:
        return False
    return True


def define_dialects(description: Module) -> None:
    """Define the dialects of a verified module in IRDL, in its context.

    Raises:
        ShloError: it describes none, or one that there is already (MLIR would abort).
    """
    described = [op for op in walk(description.operation) if op.name == "irdl.dialect"]
    if not described:
        raise ShloError("no dialect is described there: irdl.dialect is missing")
    for op in described:
        name = str(op.attributes["sym_name"].value)
        if is_dialect(name):
            raise ShloError(f"there is a dialect {name!r} already")
    _irdl.load_dialects(description)


def parse_type(text: str) -> Type:
    return cast(Type, ir.Type.parse(text))


def parse_attribute(text: str) -> Attribute:
    return cast(Attribute, ir.Attribute.parse(text))


def empty_module(location: Location | None = None) -> Module:
    return cast(Module, ir.Module.create(location))


def deserialize_portable_artifact(artifact: bytes) -> Module:
    """Portable artifact (bytecode of VHLO) -> StableHLO module in the current context."""
    context = ir.Context.current
    with reported():
        return cast(Module, _stablehlo.deserialize_portable_artifact(context, artifact))


def serialize_portable_artifact(module: Module, target: str, allow_other_dialects: bool) -> bytes:
    """StableHLO module -> portable artifact; raises ValueError without a word why (``hearing``).

    The module is VHLO afterwards.
    """
    artifact = _stablehlo.serialize_portable_artifact(module, target, allow_other_dialects)
    return cast(bytes, artifact)


def stablehlo_version() -> str:
    return str(_stablehlo.get_current_version())


def oldest_stablehlo_version() -> str:
    """The oldest version that portable artifacts are written for."""
    return str(_stablehlo.get_minimum_version())


def torch_importer() -> Any:
    """The wheel's importer of PyTorch's exported programs; it imports torch."""
    return _wheel("fx")


def mlir_version() -> str:
    """The MLIR version stamped into bytecode by the wheel, for example ``MLIR23.0.0git``."""
    import io

    buffer = io.BytesIO()
    with library_context():
        empty_module().operation.write_bytecode(buffer)
    match = re.search(rb"MLIR[0-9.]+[a-z]*", buffer.getvalue()[4:])
    return str(match.group().decode()) if match else "unknown"


# --- types and attributes -------------------------------------------------------------------------
def _beyond_64_bits(numbers: Sequence[int]) -> ShloError | None:
    """The error of numbers that are no 64-bit integers, for which the bindings have none."""
    beyond = [n for n in numbers if not -(1 << 63) <= n < 1 << 63]
    if not beyond:
        return None
    return UnsupportedError(f"the program computes with {beyond[0]}, a size beyond 2^63 - 1")


def tensor_type(shape: Sequence[int], element: Type, encoding: Attribute | None = None) -> Type:
    try:
        return cast(Type, ir.RankedTensorType.get(list(shape), element, encoding))
    except (TypeError, RuntimeError) as error:
        raise _beyond_64_bits(shape) or error from None


def memref_type(shape: Sequence[int], element: Type) -> Type:
    try:
        return cast(Type, ir.MemRefType.get(list(shape), element))
    except (TypeError, RuntimeError) as error:
        raise _beyond_64_bits(shape) or error from None


def function_type(inputs: Sequence[Type], results: Sequence[Type]) -> Type:
    return cast(Type, ir.FunctionType.get(list(inputs), list(results)))


def spelling(type: Type) -> str:
    """How MLIR writes a type, which it is asked for once while the library's context is entered."""
    known = _spellings.get(type)
    if known is None:
        known = str(type)
        if _entered:  # whoever leaves lets go of the type, and of the context that it keeps
            _spellings[type] = known
    return known


def is_tensor(type: Type) -> bool:
    return isinstance(type, ir.RankedTensorType)


def is_static_tensor(type: Any) -> bool:
    """Whether a type is a tensor whose sizes are all known."""
    return is_tensor(type) and type.has_static_shape and "!" not in str(type.element_type)


def is_memref(type: Type) -> bool:
    return isinstance(type, ir.MemRefType)


def is_index(type: Type) -> bool:
    return isinstance(type, ir.IndexType)


def is_tuple(type: Type) -> bool:
    return isinstance(type, ir.TupleType)


def members(type: Any) -> list[Type]:
    """The types in a tuple type."""
    return [type.get_type(number) for number in range(type.num_types)]


def is_strided(type: Any) -> bool:
    """Whether a memref is laid out by strides that are not those of its shape."""
    return is_memref(type) and isinstance(type.layout, ir.StridedLayoutAttr)


def is_row_major(type: Any) -> bool:
    """Whether a memref is laid out as its shape has it, from its first byte."""
    return is_memref(type) and type.affine_map == ir.AffineMap.get_identity(type.rank)


def unknown_dimensions(type: Any) -> list[int]:
    """The dimensions of a tensor or memref type whose sizes only run time tells."""
    if not isinstance(type, ir.ShapedType) or not type.has_rank:
        return []
    return [d for d, size in enumerate(type.shape) if size == DYNAMIC]


def is_dynamic(type: Any) -> bool:
    """Whether a type, or one in it, has a size that only run time tells."""
    if isinstance(type, ir.ShapedType):
        return type.has_rank and not type.has_static_shape
    return "?" in str(type)


def is_attribute(value: object) -> bool:
    return isinstance(value, ir.Attribute)


def is_dense(attribute: Attribute) -> bool:
    return isinstance(attribute, ir.DenseElementsAttr)


def is_number(attribute: Attribute) -> bool:
    """Whether an attribute is one number, as of a constant that is no tensor."""
    return isinstance(attribute, ir.IntegerAttr | ir.FloatAttr | ir.BoolAttr)


def is_splat(attribute: Any) -> bool:
    """Whether a dense attribute holds one value everywhere, and stores that."""
    return is_dense(attribute) and bool(attribute.is_splat)


def is_dense_resource(attribute: Attribute) -> bool:
    return type(attribute).__name__ in ("DenseResourceElementsAttr", "Attribute") and str(
        attribute
    ).startswith("dense_resource<")


DYNAMIC = cast(int, ir.ShapedType.get_dynamic_size())


def is_dictionary(attribute: Attribute | None) -> bool:
    return isinstance(attribute, ir.DictAttr)


def is_array(attribute: Attribute | None) -> bool:
    """Whether an attribute is a list of others."""
    return isinstance(attribute, ir.ArrayAttr)


def string_attr(text: str | bytes) -> Attribute:
    return cast(Attribute, ir.StringAttr.get(text))


def bool_attr(value: bool) -> Attribute:
    return cast(Attribute, ir.BoolAttr.get(value))


def unit_attr() -> Attribute:
    return cast(Attribute, ir.UnitAttr.get())


def integer_attr(value: int, type: Type) -> Attribute:
    """``value`` as an attribute of integer or index ``type`` (any other type hangs: checked)."""
    if not isinstance(type, (ir.IntegerType, ir.IndexType)):
        raise TypeError(f"integer_attr needs an integer type, not {type}")
    try:
        return cast(Attribute, ir.IntegerAttr.get(type, value))
    except (TypeError, RuntimeError) as error:
        raise _beyond_64_bits((value,)) or error from None


def float_attr(value: float, type: Type) -> Attribute:
    return cast(Attribute, ir.FloatAttr.get(type, value))


def type_attr(type: Type) -> Attribute:
    return cast(Attribute, ir.TypeAttr.get(type))


def symbol_attr(name: str) -> Attribute:
    return cast(Attribute, ir.FlatSymbolRefAttr.get(name))


def array_attr(items: Iterable[Attribute]) -> Attribute:
    return cast(Attribute, ir.ArrayAttr.get(list(items)))


def dict_attr(items: Mapping[str, Attribute]) -> Attribute:
    return cast(Attribute, ir.DictAttr.get(dict(items)))


def i64_attr(value: int) -> Attribute:
    return integer_attr(value, integer_type(64))


def i64_array_attr(values: Sequence[int]) -> Attribute:
    try:
        return cast(Attribute, ir.DenseI64ArrayAttr.get(list(values)))
    except (TypeError, RuntimeError) as error:
        raise _beyond_64_bits(values) or error from None


def i32_array_attr(values: Sequence[int]) -> Attribute:
    return cast(Attribute, ir.DenseI32ArrayAttr.get(list(values)))


def bool_array_attr(values: Sequence[bool]) -> Attribute:
    return cast(Attribute, ir.DenseBoolArrayAttr.get(list(values)))


def affine_map_attr(text: str) -> Attribute:
    return parse_attribute(f"affine_map<{text}>")


def integer_type(bits: int) -> Type:
    return cast(Type, ir.IntegerType.get_signless(bits))


def index_type() -> Type:
    return cast(Type, ir.IndexType.get())


def dense_from_bytes(raw: Any, type: Type) -> Attribute:
    """A DenseElementsAttr of ``type`` from row-major element bytes (one element: a splat)."""
    return cast(Attribute, ir.DenseElementsAttr.get(raw, type=type))


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype = ctypes.c_char_p
_capsule_name.argtypes = [ctypes.py_object]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def address_of(wrapper: Any) -> int:
    """Where the object behind a wrapper is: its identity.

    ``hash`` of an operation goes by its contents, so that a table of ops loses one that changes.
    """
    capsule = wrapper._CAPIPtr
    return cast(int, _capsule_pointer(capsule, _capsule_name(capsule)))


class _Handle(ctypes.Structure):
    _fields_ = [("pointer", ctypes.c_void_p)]


class _StringRef(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


def library_path() -> str:
    """The shared library that all of MLIR lives in."""
    folder = os.path.dirname(str(_stablehlo.__file__))
    return next(
        os.path.join(folder, name)
        for name in sorted(os.listdir(folder))
        if "AggregateCAPI" in name and name.endswith((".so", ".dylib", ".dll"))
    )


# Kept: a capsule does not copy its name.
_CAPSULE = f"{PROVIDER}.ir.Attribute._CAPIPtr".encode()
_library = ctypes.CDLL(library_path())
_raw_data = _library.mlirDenseElementsAttrGetRawData
_raw_data.restype, _raw_data.argtypes = ctypes.c_void_p, [_Handle]
_is_sparse = _library.mlirAttributeIsASparseElements
_is_sparse.restype, _is_sparse.argtypes = ctypes.c_bool, [_Handle]
_sparse_parts = (
    _library.mlirSparseElementsAttrGetIndices,
    _library.mlirSparseElementsAttrGetValues,
)
for _part in _sparse_parts:
    _part.restype, _part.argtypes = _Handle, [_Handle]


def splat_attr(type: Type, element: Attribute) -> Attribute:
    """A DenseElementsAttr of one value everywhere, such as of a vector type."""
    return cast(Attribute, ir.DenseElementsAttr.get_splat(type, element))


def dense_bytes(attribute: Attribute, count: int) -> bytes:
    """The first ``count`` bytes of a DenseElementsAttr's storage (a splat stores one element)."""
    if count == 0:
        return b""
    return ctypes.string_at(_raw_data(_Handle(address_of(attribute))), count)


def is_sparse(attribute: Attribute) -> bool:
    """Whether an attribute is ``sparse<indices, values>``."""
    return bool(_is_sparse(_Handle(address_of(attribute))))


def sparse_parts(attribute: Attribute) -> tuple[Attribute, Attribute]:
    """The indices (one row per element) and the values of a ``sparse`` attribute, both dense."""
    handle = _Handle(address_of(attribute))
    capsules = (_new_capsule(part(handle).pointer, _CAPSULE, None) for part in _sparse_parts)
    indices, values = (ir.Attribute._CAPICreate(each).maybe_downcast() for each in capsules)
    return cast(Attribute, indices), cast(Attribute, values)


# --- operations -----------------------------------------------------------------------------------
def create(
    name: str,
    operands: Sequence[Value] = (),
    results: Sequence[Type] = (),
    attributes: Mapping[str, Attribute] | None = None,
    regions: int = 0,
    successors: Sequence[Block] | None = None,
    location: Location | None = None,
    at: Any = None,
) -> Operation:
    """Make an op. Result types are always given: inference in the bindings can crash."""
    return cast(
        Operation,
        ir.Operation.create(
            name,
            results=results,
            operands=operands,
            attributes=attributes,
            regions=regions,
            successors=successors,
            loc=location,
            ip=at,
        ),
    )


def inferred_types(operation: Operation) -> list[Type] | None:
    """The result types that MLIR infers for a verified op without regions; None if it does not.

    Raises MLIRError. (Of ops with regions or without a needed attribute it ends the process.)
    """
    try:
        copy = ir.Operation.create(
            operation.name,
            operands=list(operation.operands),
            attributes=dict(operation.attributes.items()),
            infer_type=True,
            loc=operation.location,
            ip=False,
        )
    except MLIRError as error:
        if "does not support type inference" in str(error):
            return None
        raise
    types = [result.type for result in copy.results]
    copy.erase()
    return types


def at_end(block: Block) -> Any:
    """Insertion point at the end of ``block``."""
    return ir.InsertionPoint(block)


def before(operation: Operation) -> Any:
    return ir.InsertionPoint(operation)


def after(operation: Operation) -> Any:
    return ir.InsertionPoint.after(operation)


def at_start(block: Block) -> Any:
    return ir.InsertionPoint.at_block_begin(block)


def block_in(region: Region, types: Sequence[Type], location: Location | None = None) -> Block:
    """Append a block with arguments of ``types`` to ``region``."""
    locations = [location or unknown_location()] * len(types)
    return cast(Block, cast(Any, region).blocks.append(*types, arg_locs=locations))


def block_at_start(region: Region, types: Sequence[Type], location: Location) -> Block:
    """Put a block with arguments of ``types`` in front of a region's others."""
    locations = [location] * len(types)
    return cast(Block, ir.Block.create_at_start(region, list(types), locations))


def edited_classes() -> tuple[Any, Any, Any, Any]:
    """The bindings' classes of ops, blocks, lists of operands, and values."""
    return ir._OperationBase, ir.Block, ir.OpOperandList, ir.Value


def erase_block(block: Any) -> None:
    """Drop an empty block, by moving it into an op that is erased."""
    holder = ir.Operation.create("scf.execute_region", regions=1, loc=unknown_location(), ip=False)
    block.append_to(holder.regions[0])
    holder.erase()


def block_after(block: Block) -> Block:
    return cast(Block, ir.Block.create_after(block))


def move_ops(source: Block, target: Block) -> None:
    """Move all ops of a block to the end of another one, which may be of another module."""
    for view in list(source.operations):
        target.append(inner_operation(view))


def walk(root: Operation) -> list[Operation]:
    """``root`` and everything in it, in program order, parents first.

    By blocks: MLIR's own walk calls a function for each op, which takes twice as long.
    """
    operations = [inner_operation(root)]
    inside = [_views_in(root)]
    while inside:
        for view in inside[-1]:
            operation = view.operation
            operations.append(operation)
            if len(operation.regions):
                inside.append(_views_in(operation))
                break
        else:
            inside.pop()
    return operations


def _views_in(operation: Any) -> Iterator[Any]:
    """The ops directly in the regions of an op, as the bindings' classes of these."""
    return chain.from_iterable(
        block.operations for region in operation.regions for block in region.blocks
    )


def defining_op(value: Value) -> Operation | None:
    """The op that a value is a result of; None for a block's argument."""
    return inner_operation(value.owner) if isinstance(value, ir.OpResult) else None


def location_of(value: Any) -> Location:
    """Where a value comes from: the location of an op, or of a block's argument."""
    return cast(Location, value.location)


def is_result_of(value: Value, names: Sequence[str]) -> bool:
    """Whether a value is the result of an op of one of these names."""
    return isinstance(value, ir.OpResult) and value.owner.name in names


def inner_operation(operation: Any) -> Operation:
    """The plain Operation behind an OpView."""
    plain: Operation = operation.operation
    return plain


# --- passes and engines ---------------------------------------------------------------------------
def parse_pipeline(text: str) -> PassManager:
    """A pass manager of C++ passes; raises ValueError with MLIR's reason."""
    return cast(PassManager, _passmanager.PassManager.parse(text))


@functools.cache
def registered_op_names() -> tuple[str, ...]:
    """Every ``stablehlo.*`` and ``chlo.*`` op: strings of the library that name a registered op."""
    with open(library_path(), "rb") as library:
        strings = set(re.findall(rb"hlo\.([a-z_][a-z0-9_-]*)", library.read()))
    with library_context() as context:
        names = [f"{dialect}.{s.decode()}" for dialect in ("stablehlo", "chlo") for s in strings]
        return tuple(sorted(name for name in names if context.is_registered_operation(name)))


@functools.cache
def native_pass_names() -> tuple[str, ...]:
    """Names of the C++ passes: strings of the library that its pipeline parser accepts.

    The bindings list no passes; this takes a third of a second and is for help and suggestions.
    """
    with open(library_path(), "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as library:
        strings = _ends_of_strings(_constants(library))
    with library_context():
        return tuple(sorted(name for s in strings if is_native_pass(name := s.decode())))


def _constants(library: mmap) -> bytes:
    """The part of a library in which its strings are; all of it where that is not known."""
    try:
        sections, names = elf.sections(library, elf.SHARED)
    except elf.UnsupportedObject:
        return library[:]
    parts = [slice(section.offset, section.offset + section.size) for section in sections]
    spelled = library[parts[names]]
    for section, part in zip(sections, parts, strict=True):
        if elf.text_at(spelled, section.name) == ".rodata":
            return library[part]
    return library[:]


_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-")  # of which names of passes consist
_CLASSES = bytes(1 if byte in _LETTERS else 2 if byte else 0 for byte in range(256))


def _ends_of_strings(data: bytes) -> set[bytes]:
    """The letters, three or more, that stand before a \\0.

    Not those between two of them: linkers store "cse" as the end of a longer string. Classes of
    bytes are searched because a regular expression takes six times as long.
    """
    ends, classes = set(), data.translate(_CLASSES)
    stop = classes.find(b"\1\1\1\0") + 3
    while stop > 2:
        start = max(classes.rfind(b"\2", 0, stop), classes.rfind(b"\0", 0, stop)) + 1
        ends.add(data[start:stop])
        stop = classes.find(b"\1\1\1\0", stop) + 3
    return ends


def is_native_pass(name: str) -> bool:
    """Whether MLIR registers a pass (or pipeline) of that name."""
    with library_context():
        try:
            parse_pipeline(f"any({name})")
        except ValueError as error:
            return "does not refer to a registered pass" not in str(error)
    return True


_isolated: dict[str, bool] = {}


def is_isolated(operation: Operation) -> bool:
    """Whether an op uses nothing from outside its regions, so that passes can run on it.

    The bindings do not tell traits: an analysis, which changes nothing, is run on the op.
    """
    name = operation.name
    if name not in _isolated:
        if not current_context().is_registered_operation(name):
            return False
        manager = parse_pipeline(f"{name}(transform-dialect-check-uses)")
        manager.enable_verifier(False)
        try:
            manager.run(operation)
        except MLIRError as error:
            if "IsolatedFromAbove" not in str(error):
                raise
            _isolated[name] = False
        else:
            _isolated[name] = True
    return _isolated[name]


def current_context() -> Context:
    return cast(Context, ir.Context.current)


def _function(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


# Calls that are short keep Python's lock: to have it back takes as long as another thread likes.
_short = functools.partial(_function, ctypes.PyDLL(library_path()))
_long = functools.partial(_function, _library)
_new_bare_context = _short("mlirContextCreateWithThreading", _Handle, ctypes.c_bool)
_drop_context = _short("mlirContextDestroy", None, _Handle)
_llvm_dialect = _short("mlirGetDialectHandle__llvm__", _Handle)
_register_dialect = _short("mlirDialectHandleRegisterDialect", None, _Handle, _Handle)
_parse = _short("mlirModuleCreateParse", _Handle, _Handle, _StringRef)
_drop_module = _short("mlirModuleDestroy", None, _Handle)
_new_engine = _long(
    "mlirExecutionEngineCreate",
    *(_Handle, _Handle, ctypes.c_int),
    *(ctypes.c_int, ctypes.c_void_p),  # libraries that are searched: none
    *(ctypes.c_bool, ctypes.c_bool),  # whether the object is kept, and is independent of its place
)
_drop_engine = _long("mlirExecutionEngineDestroy", None, _Handle)
_look_up = _long("mlirExecutionEngineLookup", ctypes.c_void_p, _Handle, _StringRef)
_bind = _short("mlirExecutionEngineRegisterSymbol", None, _Handle, _StringRef, ctypes.c_void_p)
_save_object = _long("mlirExecutionEngineDumpToObjectFile", None, _Handle, _StringRef)

# What LLVM leaves out when it generates code. Loops are written with addresses that need no
# strength reduction, and processors schedule what is in registers themselves: together they take
# a quarter of the time of a kernel.
LEFT_OUT = (
    "-disable-lsr",
    "-disable-post-ra",
    "-disable-early-taildup",
    "-disable-tail-duplicate",
    "-disable-early-ifcvt",
    "-disable-constant-hoisting",
    "-disable-partial-libcall-inlining",
    "-disable-mergeicmps",
)
_FLAG = "_shlo_tools_options"


def _leave_out() -> None:
    """Tell LLVM, once in a process: an option that is unknown, or told again, ends that.

    So versions of the wheel that nobody has tried leave out nothing.
    """
    site = os.path.dirname(os.path.dirname(os.path.dirname(str(_stablehlo.__file__))))
    installed = f"{DISTRIBUTION.replace('-', '_')}-{TESTED_VERSION}.dist-info"
    if hasattr(_stablehlo, _FLAG) or not os.path.isdir(os.path.join(site, installed)):
        return
    setattr(_stablehlo, _FLAG, LEFT_OUT)
    words = [b"shlo-tools", *(option.encode() for option in LEFT_OUT)]
    parse = _short("LLVMParseCommandLineOptions", None, ctypes.c_int, *2 * [ctypes.c_void_p])
    parse(len(words), (ctypes.c_char_p * len(words))(*words), None)


_leave_out()


# What makes machine code of a text, in the order of its calls; ``codegen.library.compiling`` is a
# function that makes them all, since each one that comes back to Python waits for its lock.
COMPILING = {
    "parse": "mlirModuleCreateParse",
    "create": "mlirExecutionEngineCreate",
    "drop": "mlirModuleDestroy",
    "bind": "mlirExecutionEngineRegisterSymbol",
    "look_up": "mlirExecutionEngineLookup",
}


@functools.cache
def compiling_functions() -> dict[str, int]:
    """The addresses of the functions of ``COMPILING``."""
    return {
        key: ctypes.cast(getattr(_library, name), ctypes.c_void_p).value or 0
        for key, name in COMPILING.items()
    }


_MOST_TEXTS = 32  # that a context reads: it keeps their types and attributes
_MOST_IDLE = 4


class BareContext(NamedTuple):
    """A context that has the llvm dialect alone, for one thread: loading it takes half a text.

    Attributes:
        texts: how many it has read.
    """

    pointer: int
    texts: int

    @classmethod
    def take(cls) -> BareContext:
        """One that nobody uses."""
        try:
            return _idle.pop()
        except IndexError:
            context = _new_bare_context(False)
            _register_dialect(_llvm_dialect(), context)
            return cls(context.pointer, 0)

    def give_back(self) -> None:
        """A text was read; others may take it."""
        if self.texts + 1 < _MOST_TEXTS and len(_idle) < _MOST_IDLE:
            _idle.append(BareContext(self.pointer, self.texts + 1))
        else:
            _drop_context(_Handle(self.pointer))


_idle: list[BareContext] = []


class ExecutionEngine:
    """Machine code of a module of the llvm dialect, which is made at the first look-up.

    Other Python threads run meanwhile, which the bindings' own class does not let them.
    """

    def __init__(self, module: Module, opt_level: int) -> None:
        self._create(_Handle(address_of(module)), opt_level, keeps_object=False)

    @classmethod
    def of_text(
        cls, text: str, *, keeps_object: bool, is_relocatable: bool = False
    ) -> ExecutionEngine:
        """Machine code, not optimised, of a text that nobody else has to know about.

        Args:
            is_relocatable: linkers may put the code anywhere, into shared libraries, too.
        """
        engine = cls.__new__(cls)
        context = BareContext.take()
        try:
            module = _parse(_Handle(context.pointer), _string(text))
            if not module.pointer:
                raise RuntimeError("a text that is no module of the llvm dialect")
            try:
                engine._create(module, 0, keeps_object, is_relocatable)
            finally:
                _drop_module(module)
        finally:
            context.give_back()
        return engine

    @classmethod
    def of_pointer(cls, pointer: int) -> ExecutionEngine:
        """What ``mlirExecutionEngineCreate`` has made, which belongs to this object from now on."""
        engine = cls.__new__(cls)
        engine._handle = _Handle(pointer)
        return engine

    def _create(
        self, module: _Handle, opt_level: int, keeps_object: bool, is_relocatable: bool = False
    ) -> None:
        self._handle = _new_engine(module, opt_level, 0, None, keeps_object, is_relocatable)
        if not self._handle.pointer:
            raise RuntimeError("LLVM takes no such module")

    def __del__(self, drop: Any = _drop_engine, is_ending: Any = sys.is_finalizing) -> None:
        # LLVM compiles a function that ends what it serves, and runs it: milliseconds, which a
        # process that ends anyway does not wait for.
        if "_handle" in self.__dict__ and self._handle.pointer and not is_ending():
            drop(self._handle)

    def bind(self, name: str, address: int) -> None:
        """Resolve an external function of the module to ``address``."""
        _bind(self._handle, _string(name), address)

    def address(self, name: str) -> int:
        """The address of a function; 0 where there is none, or code cannot be generated."""
        return int(_look_up(self._handle, _string(name)) or 0)

    def save_object(self, path: str) -> None:
        """Write the object file that was made of the module, after the first look-up."""
        _save_object(self._handle, _string(path))


def _string(text: str) -> _StringRef:
    encoded = text.encode()
    return _StringRef(encoded, len(encoded))


# --- LLVM IR --------------------------------------------------------------------------------------
# All of it keeps Python's lock, which handlers of diagnostics need.
_translate = _short("mlirTranslateModuleToLLVMIR", ctypes.c_void_p, _Handle, ctypes.c_void_p)
_new_llvm_context = _short("LLVMContextCreate", ctypes.c_void_p)
_drop_llvm_context = _short("LLVMContextDispose", None, ctypes.c_void_p)
_drop_llvm_module = _short("LLVMDisposeModule", None, ctypes.c_void_p)
_llvm_text = _short("LLVMPrintModuleToString", ctypes.c_void_p, ctypes.c_void_p)
_drop_llvm_text = _short("LLVMDisposeMessage", None, ctypes.c_void_p)


def llvm_ir(operation: Operation) -> str | None:
    """A module of the llvm dialect as LLVM IR; None where it is none (``hearing`` tells why).

    The bindings' own function crashes then.
    """
    context = _new_llvm_context()
    try:
        module = _translate(_Handle(address_of(operation)), context)
        if not module:
            return None
        text = _llvm_text(module)
        try:
            return ctypes.string_at(text).decode(errors="replace")
        finally:
            _drop_llvm_text(text)
            _drop_llvm_module(module)
    finally:
        _drop_llvm_context(context)


# --- diagnostics ----------------------------------------------------------------------------------
@contextmanager
def hearing() -> Iterator[list[Diagnostic]]:
    """Keep what MLIR reports in the current context within the block, instead of printing it."""
    diagnostics: list[Diagnostic] = []

    def keep(info: Any) -> bool:
        diagnostics.append(diagnostic(info))
        return True

    handler = ir.Context.current.attach_diagnostic_handler(keep)
    try:
        yield diagnostics
    finally:
        handler.detach()


_FILE_LOCATION = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


def place_of(location: Location | None) -> Place | None:
    """Where a location points in its source; the first file position found in it."""
    if location is None:
        return None
    match = _FILE_LOCATION.search(str(location))
    if not match:
        return None
    return Place(match[1], int(match[2]), int(match[3]))


def diagnostics_of(error: Exception) -> list[Diagnostic]:
    """What an MLIRError (or anything else the bindings raise) has to say."""
    diagnostics = [diagnostic(info) for info in getattr(error, "error_diagnostics", ())]
    return diagnostics or [Diagnostic("error", str(error))]


def diagnostic(info: Any) -> Diagnostic:
    """What the bindings tell a handler, or an MLIRError holds, as ours."""
    severity = str(info.severity).rsplit(".", 1)[-1].lower()
    notes = tuple(diagnostic(note) for note in info.notes)
    place = place_of(info.location)
    try:
        message = _first_line(str(info.message))
    except RuntimeError as error:  # as in ``reported``
        if _NO_TEXT not in str(error):
            raise
        message = _QUOTES_BYTES
    return Diagnostic(cast(Any, severity), message, place, notes)


def _first_line(message: str) -> str:
    """Of a note that prints an op of many lines, which start below it: the first."""
    head, _, below = message.partition(": \n")
    if not below or "\n" in head:
        return message
    line, _, more = below.strip().partition("\n")
    return f"{head}: {line}{' ...' if more else ''}"
