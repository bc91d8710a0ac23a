"""Some lanes of vectors, for targets whose instructions mask few of them, or slowly.

Of one or two bytes LLVM asks for each lane, which are some hundred instructions of every load. Here
functions of the process library load whole vectors, where these are in one page of memory, and
store words. Lanes that the compiler knows to be the first ones are stored without masks.
"""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen.function import I8, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.target import Target, host

NAMES = "shlo_rt_narrow_"  # how names begin
_FEWEST = 16  # lanes: of fewer, code beside the others is no longer than a call
_PAGE = 4096  # bytes of a page, at least
_WORD = 4  # bytes


def load(f: Function, address: Value, mask: Value | None, type: Type) -> Value:
    """As ``Function.load_masked``."""
    if mask is None or not _is_called(mask, type):
        return f.load_masked(address, mask, type)
    words = type.of(f"i{type.bits}")
    value = f.call(_name("load", words), [address, mask.to("sext", words.element)], words)
    return value.to("bitcast", type.element)


def store(f: Function, value: Value, address: Value, mask: Value | None) -> None:
    """As ``Function.store_masked``."""
    leading = None if mask is None or host().masks else f.leading_lanes(mask)
    if leading is not None:
        _store_leading(f, value, address, leading)
        return
    if mask is None or not _is_called(mask, value.type):
        f.store_masked(value, address, mask)
        return
    words = value.to("bitcast", f"i{value.type.bits}")
    f.run(_name("store", words.type), [address, mask.to("sext", words.type.element), words])


def _store_leading(f: Function, value: Value, address: Value, count: int) -> None:
    """The first lanes, by shorter and shorter vectors: masks take as long as four of these."""
    first = 0
    while first < count:
        lanes = 1 << ((count - first).bit_length() - 1)
        part = f.extract(value, first)
        if lanes > 1:
            part = f.shuffle(value, value, range(first, first + lanes))
        f.store(part, address.at(first, value.type.scalar))
        first += lanes


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


def _load(name: str, type: Type) -> Function:
    """``(address, mask)``: a vector whose other lanes are zero."""
    f = Function(NAMES + name, [POINTER, type], type)
    address, mask = f.arguments
    room = _room(f, type)

    def one_by_one() -> Value:
        f.store(f.zero(type), room)
        _each(mask, lambda k: f.store(_element(address, k, type), room.at(k, type.scalar)))
        return f.load(room, type)

    place = address.to("ptrtoint", "i64") & (_PAGE - 1)
    # Nothing is known of pages in which no lane is on.
    is_far = place.compare("ugt", _PAGE - _bytes(type)) | (_bits(mask) == 0)
    (vector,) = f.if_(is_far, one_by_one, lambda: f.load(address, type), is_rare=True)
    f.result = vector & mask
    return f


def _store(name: str, type: Type) -> Function:
    """``(address, mask, vector)``: words of which all lanes are on at once, then others' lanes."""
    f = Function(NAMES + name, [POINTER, type, type])
    address, mask, vector = f.arguments
    room = _room(f, type)
    words = Type("i32", _bytes(type) // _WORD)
    whole = mask.to("bitcast", words) == -1
    f.store_masked(vector.to("bitcast", words), address, whole)
    f.store(vector, room)
    rest = mask & ~whole.to("sext", "i32").to("bitcast", type)
    _each(rest, lambda k: f.store(_element(room, k, type), address.at(k, type.scalar)))
    return f


def _room(f: Function, type: Type) -> Value:
    """Memory on the stack for a vector."""
    bytes = f.constant(_bytes(type))
    return f.emit(f"llvm.alloca {bytes.name} x {I8} : (i64) -> !llvm.ptr", POINTER)


def _bytes(type: Type) -> int:
    return type.lanes * type.bits // 8


def _element(address: Value, k: Value, type: Type) -> Value:
    return address.function.load(address.at(k, type.scalar), type.scalar)


def _each(mask: Value, do: Callable[[Value], None]) -> None:
    """Something with the number of each lane that is on."""
    f = mask.function

    def one(left: Value) -> Value:
        text = f'"llvm.intr.cttz"({left.name}) <{{is_zero_poison = true}}> : (i64) -> i64'
        do(f.pure(text, I64))
        return left & (left - 1)

    f.while_(lambda left: left != 0, one, [_bits(mask)])


def _bits(mask: Value) -> Value:
    """A mask as an i64, whose lowest bit is the first lane."""
    return mask.compare("ne", 0).to("bitcast", Type(f"i{mask.type.lanes}")).to("zext", "i64")
