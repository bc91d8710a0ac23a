"""Some lanes of vectors of one or two bytes, for targets whose instructions mask only wider ones.

LLVM asks for each lane, which are some hundred instructions of every load. Here a function of the
process library asks first whether all lanes are on, as most are.
"""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen.function import I8, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.target import Target, host

NAMES = "shlo_rt_narrow_"  # how names begin
_FEWEST = 8  # lanes: of fewer, code beside the others is no longer than a call


def load(f: Function, address: Value, mask: Value | None, type: Type) -> Value:
    """As ``Function.load_masked``."""
    if mask is None or not _is_called(mask, type):
        return f.load_masked(address, mask, type)
    words = type.of(f"i{type.bits}")
    value = f.call(_name("load", words), [address, _bits(mask)], words)
    return value.to("bitcast", type.element)


def store(f: Function, value: Value, address: Value, mask: Value | None) -> None:
    """As ``Function.store_masked``."""
    if mask is None or not _is_called(mask, value.type):
        f.store_masked(value, address, mask)
        return
    words = value.to("bitcast", f"i{value.type.bits}")
    f.run(_name("store", words.type), [address, _bits(mask), words])


def functions(target: Target, name: str) -> list[Function]:
    """The function whose name ends so; any target's code is as good."""
    kind, _, type = name.partition("_")
    element, _, lanes = type.partition("x")
    vector = Type(element, int(lanes))
    return [_load(name, vector) if kind == "load" else _store(name, vector)]


def _is_called(mask: Value, type: Type) -> bool:
    """Whether a function does it; of a mask that is known LLVM asks for no lane."""
    is_narrow = type.bits < 32 and type.lanes >= _FEWEST
    return is_narrow and not mask.is_constant and not host().masks


def _name(kind: str, type: Type) -> str:
    return f"{NAMES}{kind}_{type.element}x{type.lanes}"


def _bits(mask: Value) -> Value:
    """A mask as a number, whose lowest bit is the first lane."""
    lanes = mask.type.lanes
    bits = Type(f"i{lanes}")
    text = f"llvm.bitcast {mask.name} : {mask.type} to {bits}"
    return mask.function.pure(text, bits).to("zext", "i64")


def _load(name: str, type: Type) -> Function:
    """``(address, bits)``: a vector whose other lanes are zero."""
    f = Function(NAMES + name, [POINTER, I64], type)
    address, bits = f.arguments
    room = _room(f, type)

    def some() -> Value:
        f.store(f.zero(type), room)
        _each(bits, lambda k: f.store(_element(address, k, type), room.at(k, type.scalar)))
        return f.load(room, type)

    f.result = f.if_(bits == _all(type), lambda: f.load(address, type), some)[0]
    return f


def _store(name: str, type: Type) -> Function:
    """``(address, bits, vector)``."""
    f = Function(NAMES + name, [POINTER, I64, type])
    address, bits, vector = f.arguments
    room = _room(f, type)

    def some() -> None:
        f.store(vector, room)
        _each(bits, lambda k: f.store(_element(room, k, type), address.at(k, type.scalar)))

    f.if_(bits == _all(type), lambda: f.store(vector, address), some)
    return f


def _room(f: Function, type: Type) -> Value:
    """Memory on the stack for a vector."""
    bytes = f.constant(type.lanes * type.bits // 8)
    return f.emit(f"llvm.alloca {bytes.name} x {I8} : (i64) -> !llvm.ptr", POINTER)


def _all(type: Type) -> int:
    """The bits of all lanes."""
    return -1 if type.lanes == 64 else (1 << type.lanes) - 1


def _element(address: Value, k: Value, type: Type) -> Value:
    return address.function.load(address.at(k, type.scalar), type.scalar)


def _each(bits: Value, do: Callable[[Value], None]) -> None:
    """Something with the number of each lane that is on."""
    f = bits.function

    def one(left: Value) -> Value:
        text = f'"llvm.intr.cttz"({left.name}) <{{is_zero_poison = true}}> : (i64) -> i64'
        do(f.pure(text, I64))
        return left & (left - 1)

    f.while_(lambda left: left != 0, one, [bits])
