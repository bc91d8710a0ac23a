"""Making machine code on a thread that never waits for Python's lock.

``shlo_rt_compile(request)`` is what such a thread runs: it reads a text, generates code, tells it
where the functions are that it calls, and writes down the addresses of those that it has. Requests
that need what another one makes wait for it.
"""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen.function import I32, I64, POINTER, Function, Type, Value

COMPILE = "shlo_rt_compile"

# Words of eight bytes.
REQUEST = {
    "context": 0,  # of MLIR, which no other thread uses meanwhile
    "text": 1,
    "length": 2,  # bytes of the text
    "keeps_object": 3,  # whether the engine can write an object file
    "table": 4,  # the name of the table of addresses
    "table_length": 5,
    "made": 6,  # how many there are
    "words": 7,  # where they are written
    "callees": 8,  # where those stand
    "count": 9,  # of the callees
    "state": 10,
    "engine": 11,  # what was made; it belongs to whoever made the request
    "parse": 12,  # functions of MLIR, see ``mlir.COMPILING``
    "create": 13,
    "drop": 14,
    "bind": 15,
    "look_up": 16,
}
REQUEST_WORDS = len(REQUEST)
# A callee: its name, where its address is written, and the state of the request that does so.
CALLEE = {"name": 0, "length": 1, "address": 2, "state": 3}
WORKING, DONE, FAILED = range(3)

_NAP = 50  # microseconds between two looks at what another thread makes


def functions() -> list[Function]:
    """``shlo_rt_compile``."""
    return [_compile()]


def _compile() -> Function:
    f = Function(COMPILE, [POINTER])
    (request,) = f.arguments

    def word(name: str, type: Type = POINTER) -> Value:
        return f.load(request.at(8 * REQUEST[name]), type)

    def end(state: int) -> None:
        f.store_atomic(state, request.at(8 * REQUEST["state"]))

    def unless_null(pointer: Value, then: Callable[[], None]) -> None:
        f.if_(pointer.to("ptrtoint", "i64") != 0, then, lambda: end(FAILED))

    text = [word("context"), word("text"), word("length", I64)]
    module = f.call_address(word("parse"), text, POINTER)

    def create() -> None:
        level, paths = f.constant(0, I32), f.constant(0, I32)
        nowhere, is_relocatable = f.constant(0, I64).to("inttoptr", "ptr"), f.constant(0, I32)
        keeps = word("keeps_object", I64).to("trunc", "i32")
        operands = [module, level, paths, nowhere, keeps, is_relocatable]
        engine = f.call_address(word("create"), operands, POINTER)
        f.run_address(word("drop"), [module])
        f.store(engine, request.at(8 * REQUEST["engine"]))
        unless_null(engine, lambda: look_up(engine))

    def look_up(engine: Value) -> None:
        f.if_(_bound(f, request, engine) == 0, lambda: generate(engine), lambda: end(FAILED))

    def generate(engine: Value) -> None:
        operands = [engine, word("table"), word("table_length", I64)]
        table = f.call_address(word("look_up"), operands, POINTER)

        def finish() -> None:
            words = word("words")

            def write(number: Value) -> None:
                f.store(f.load(table.at(8 * number), POINTER), words.at(8 * number))

            f.loop(0, word("made", I64), 1, write)
            end(DONE)

        unless_null(table, finish)

    unless_null(module, create)
    return f


def _bound(f: Function, request: Value, engine: Value) -> Value:
    """Tell an engine where the functions are that its code calls; how many could not be made."""
    bind = f.load(request.at(8 * REQUEST["bind"]), POINTER)
    callees = f.load(request.at(8 * REQUEST["callees"]), POINTER)
    count = f.load(request.at(8 * REQUEST["count"]), I64)

    def nap() -> None:
        f.call("usleep", [f.constant(_NAP, I32)], I32)

    def one(number: Value, missing: Value) -> Value:
        callee = callees.at(number * (8 * len(CALLEE)))
        state = f.load(callee.at(8 * CALLEE["state"]), POINTER)
        f.while_(lambda: f.load_atomic(state) == WORKING, nap)
        is_missing = f.load_atomic(state) != DONE
        address = f.load(callee.at(8 * CALLEE["address"]), POINTER)
        name = f.load(callee.at(8 * CALLEE["name"]), POINTER)
        length = f.load(callee.at(8 * CALLEE["length"]), I64)
        f.run_address(bind, [engine, name, length, f.load(address, POINTER)])
        return missing + is_missing.to("zext", "i64")

    (missing,) = f.loop(0, count, 1, one, [f.constant(0)])
    return missing
