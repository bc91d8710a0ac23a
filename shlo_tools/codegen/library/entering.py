"""Calling a table of jobs with numpy's arrays as they are.

``shlo_rt_enter(call, arguments) -> i64`` takes a Python tuple, looks whether each item is an array
of the type that is expected, writes its address where the table's contexts hold it, and runs the
table. Nothing of Python is called, and nothing is counted: the caller holds the tuple.

``shlo_rt_called(call, arguments)`` does so as a method of an integer, the address of ``call``: it
takes and returns Python's objects, and other threads of Python run meanwhile.

The offsets are those of CPython's tuples and of numpy's arrays, which are part of their stable
interfaces for compiled extensions.
"""

from __future__ import annotations

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import I32, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.jobs import RUN

ENTER, CALLED = "shlo_rt_enter", "shlo_rt_called"
REFUSED = -1  # an argument is not as it is expected; nothing has been run

# Words of ``call``.
CALL = (
    "frame",
    "table",
    "rows",
    "arena",
    "array_type",  # the address of numpy's type of arrays
    "expected",  # for each argument, the address of EXPECTED words
    "count",  # of the arguments that are looked at; -1 where all are known to fit
    "patches",  # (word, number, offset): write the address of an argument or a result
    "patch_count",
    "results",  # addresses of results
)
# Words about an argument; sizes follow.
EXPECTED = ("dtype", "rank")
PATCH = 3  # the number of a result is counted down from -1

TUPLE_SIZE, TUPLE_ITEMS = 16, 24  # bytes in front of how many items a tuple has, and of the first
OBJECT_TYPE = 8
ARRAY = {"data": 16, "rank": 24, "sizes": 32, "dtype": 56, "flags": 64}
FLAGS = 0x0101  # row-major, and aligned


def called() -> list[Function]:
    """``shlo_rt_called``."""
    f = Function(CALLED, [POINTER, POINTER], POINTER)
    call, arguments = f.arguments
    words = f.call("PyLong_AsVoidPtr", [call], POINTER)
    state = f.call("PyEval_SaveThread", [], POINTER)
    stopped = f.call(ENTER, [words, arguments], I64)
    f.run("PyEval_RestoreThread", [state])
    f.result = f.call("PyLong_FromLongLong", [stopped], POINTER)
    return [f]


def functions() -> list[Function]:
    """``shlo_rt_enter``."""
    f = Function(ENTER, [POINTER, POINTER], I64)
    call, arguments = f.arguments

    def word(name: str, type: Type = I64) -> Value:
        return f.load(call.at(8 * CALL.index(name)), type)

    def item(number: Value) -> Value:
        return f.load(arguments.at(number * 8 + TUPLE_ITEMS), POINTER)

    def fits(number: Value, _: Value) -> list[Value]:
        expected = f.load(word("expected", POINTER).at(number, I64), POINTER)
        return [
            number + 1,
            f.call("is_expected", [item(number), expected, word("array_type")], I64),
        ]

    count = word("count")
    is_whole = (count < 0) | (f.load(arguments.at(TUPLE_SIZE), I64) == count)
    _, all_fit = f.while_(
        lambda number, good: (number < count) & (good != 0),
        fits,
        [f.constant(0), is_whole.to("zext", "i64")],
    )

    def run() -> Value:
        patches, results = word("patches", POINTER), word("results", POINTER)

        def patch(number: Value) -> None:
            words = patches.at(number * PATCH, I64)
            where = f.load(words, POINTER)
            source = f.load(words.at(1, I64), I64)

            def argument() -> Value:
                return f.load(item(source).at(ARRAY["data"]), I64)

            def result() -> Value:
                return f.load(results.at(source * -1 - 1, I64), I64)

            (address,) = f.if_(source < 0, result, argument)
            f.store(address + f.load(words.at(2, I64), I64), where)

        f.loop(0, word("patch_count"), 1, patch)
        frame = word("frame", POINTER)
        for name in ("status", "poll"):
            f.store(f.constant(0), frame.at(layout.offset(name)))
        f.store(word("arena"), frame.at(layout.offset("arena")))
        return f.call(RUN, [frame, word("table", POINTER), word("rows")], I64)

    (f.result,) = f.if_(all_fit != 0, run, lambda: f.constant(REFUSED))
    return [_is_expected(), f]


def _is_expected() -> Function:
    """Whether an object is an array of a dtype and of sizes, row-major and aligned."""
    f = Function("is_expected", [POINTER, POINTER, I64], I64, exported=False)
    array, expected, array_type = f.arguments

    def same(offset: int, value: Value) -> Value:
        return f.load(array.at(offset), I64) == value

    def look() -> Value:
        rank = f.load(expected.at(8), I64)
        flags = f.load(array.at(ARRAY["flags"]), I32) & FLAGS
        is_same = same(ARRAY["dtype"], f.load(expected, I64)) & (flags == FLAGS)
        has_rank = f.load(array.at(ARRAY["rank"]), I32).to("sext", "i64") == rank
        sizes = f.load(array.at(ARRAY["sizes"]), POINTER)

        def size(d: Value, _: Value) -> list[Value]:
            pair = [f.load(at, I64) for at in (sizes.at(d, I64), expected.at(d + 2, I64))]
            return [d + 1, (pair[0] == pair[1]).to("zext", "i64")]

        _, good = f.while_(
            lambda d, good: (d < rank) & (good != 0),
            size,
            [f.constant(0), (is_same & has_rank).to("zext", "i64")],
        )
        return good

    (f.result,) = f.if_(same(OBJECT_TYPE, array_type), look, lambda: f.constant(0))
    return f
