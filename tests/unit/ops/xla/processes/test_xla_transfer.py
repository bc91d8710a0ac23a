"""Infeed, outfeed, send and receive: their order is that in which they are built."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import module_of, on_grid, refused

from shlo_tools.errors import UnsupportedError
from shlo_tools.ops import Tensor, xla

F = np.float32


def fed(function: Any, arguments: list[Any], *items: tuple[Any, ...]) -> tuple[Any, Any]:
    """What one process returns, and what it wrote, when its infeed holds some items."""
    results = on_grid(function, [arguments], infeed={(0, 0): list(items)})
    return results[(0, 0)], results.processes[0].outfeed


def numbers(*values: int) -> list[tuple[Any, ...]]:
    return [(np.int32(value),) for value in values]


def test_infeeds_read_in_their_order() -> None:
    def main() -> Any:
        first, second = xla.Infeed("s32[]"), xla.Infeed("s32[]")
        return xla.Sub(first, second), xla.Infeed(["f32[2]", "s32[]"])[0]

    got, _ = fed(main, [], *numbers(7, 5), (np.array([1, 2], F), np.int32(0)))
    assert got[0] == 2
    np.testing.assert_array_equal(got[1], [1, 2])


def test_an_empty_tuple_reads_nothing() -> None:
    def main() -> Any:
        assert xla.Infeed([]) == ()
        return xla.Infeed("s32[]", "config")

    assert fed(main, [], *numbers(3))[0] == 3
    assert 'infeed_config = "config"' in str(module_of(main))


def test_nested_tuples_are_refused() -> None:
    assert "arrays or a flat tuple" in refused(lambda: xla.Infeed([["s32[]"]]))
    assert "arrays or a flat tuple" in refused(lambda: xla.Recv([["s32[]"]], 1))


def test_outfeed() -> None:
    def main(x: Tensor) -> Any:
        xla.Outfeed(x)
        xla.Outfeed((xla.Neg(x), 2))
        return x

    _, outfeed = fed(main, [F(3)])
    assert [tuple(float(x) for x in row) for row in outfeed] == [(3,), (-3, 2)]


def test_each_transfer_comes_after_the_one_before_it() -> None:
    """The token that an op gives is what the next one takes."""

    def main() -> Any:
        xla.Outfeed(xla.Infeed("s32[]"))
        return xla.Infeed("s32[]")

    lines = [line for line in str(module_of(main)).splitlines() if "feed" in line]
    assert "(%0)" in lines[0]
    assert '"stablehlo.outfeed"(%1#0, %1#1)' in lines[1]
    assert '"stablehlo.infeed"(%2)' in lines[2]


def test_the_order_goes_through_loops() -> None:
    """The document's two loops: what the second reads comes after what the first read."""

    def main(n: Tensor) -> Any:
        def more(state: Any) -> Tensor:
            return xla.Gt(state[0], 0)

        def step(state: Any) -> tuple[Tensor, Tensor]:
            return xla.Sub(state[0], 1), xla.Add(xla.Mul(state[1], 10), xla.Infeed("s32[]"))

        first = xla.While(more, step, (n, xla.ConstantR0(0, "s32")))
        second = xla.While(more, step, (n, first[1]))
        return second[1], xla.Infeed("s32[]")

    assert fed(main, [np.int32(2)], *numbers(1, 2, 3, 4, 5))[0] == (1234, 5)
    text = str(module_of(main, "i32"))
    assert text.count("stablehlo.while") == 2
    assert text.count("after_all") == 1  # one beginning: all the rest is in order


@pytest.mark.parametrize("flag", [True, False])
def test_the_order_goes_through_branches_and_calls(flag: bool) -> None:
    def main(pred: Tensor) -> Any:
        first = xla.Infeed("s32[]")
        second = xla.Conditional(
            pred,
            first,
            lambda x: xla.Sub(xla.Call(lambda: xla.Infeed("s32[]")), xla.Infeed("s32[]")),
            first,
            lambda x: x,
        )
        return second, xla.Infeed("s32[]")

    got, _ = fed(main, [np.bool_(flag)], *numbers(10, 9, 4, 3))
    assert got == ((5, 3) if flag else (10, 9))
    assert str(module_of(main, "i1")).count("after_all") == 1


def test_a_loop_that_transfers_nothing_carries_no_token() -> None:
    def main(x: Tensor) -> Any:
        xla.Outfeed(x)
        return xla.While(lambda y: xla.Lt(y, 9), lambda y: xla.Mul(y, 2), x)

    text = str(module_of(main, "f32"))
    assert "token" not in text[text.index("stablehlo.while") :]


def test_a_condition_cannot_transfer() -> None:
    def main(x: Tensor) -> Any:
        return xla.While(lambda y: xla.Infeed("pred[]"), lambda y: y, x)

    assert "a condition that transfers" in refused(main, "f32", error=UnsupportedError)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: xla.Reduce(x, 0, lambda a, b: xla.Infeed("f32[]"), (0,)),
        lambda x: xla.Map([x], lambda a, b: xla.Infeed("f32[]"), static_operands=[2.0]),
        lambda x: xla.CompositeCall(lambda y: xla.Infeed("f32[]"), [x], "my.infeed"),
        lambda x: xla.CustomCallWithComputation("f", [x], lambda y: xla.Infeed("f32[]"), "f32[]"),
    ],
)
def test_computations_that_cannot_transfer(function: Any) -> None:
    assert "Infeed: a " in refused(function, "4xf32", error=UnsupportedError)


def test_send_and_recv() -> None:
    """Both replicas run the same program: one sends what the other receives."""

    def main(x: Tensor) -> Any:
        xla.Send((x, xla.Neg(x)), 3, [(0, 1), (1, 0)])
        return xla.Recv(["f32[]", "f32[]"], 3, [(0, 1), (1, 0)])

    results = on_grid(main, [[F(1)], [F(2)]])
    assert [tuple(results[(n, 0)]) for n in range(2)] == [(2, -2), (1, -1)]
    text = str(module_of(main, "f32"))
    assert text.count("channel_handle<handle = 3, type = 1>") == 2


def test_transfers_with_the_host() -> None:
    def main(x: Tensor) -> Any:
        xla.SendToHost(x, 4)
        return xla.Add(x, xla.RecvFromHost("f32[]", 5))

    results = on_grid(main, [[F(1)]], host={(0, 0): {5: [(F(10),)]}})
    assert results[(0, 0)] == 11
    assert [float(row[0]) for row in results.processes[0].to_host[4]] == [1]


def test_tokens_of_ones_own() -> None:
    text = str(module_of(lambda: xla.AfterAll(xla.AfterAll(), xla.CreateToken())))
    assert text.count("stablehlo.after_all") == 3
    assert "stablehlo.after_all %0, %1" in text
    assert "is no token" in refused(lambda x: xla.AfterAll(x), "f32")


def test_transfers_with_tokens_of_ones_own() -> None:
    """What comes first is what the tokens say, not what is built first."""

    def main(x: Tensor) -> Any:
        start = xla.CreateToken()
        nothing, start = xla.InfeedWithToken(start, [])
        assert nothing == ()
        first, token = xla.InfeedWithToken(start, "s32[]")
        second, token = xla.InfeedWithToken(token, ["s32[]"])
        token = xla.OutfeedWithToken((x, second[0]), token)
        token = xla.SendWithToken(x, token, 3)
        received, token = xla.RecvWithToken(token, "f32[]", 3)
        xla.OutfeedWithToken(received, token)
        return first, second[0], received

    got, outfeed = fed(main, [F(6)], *numbers(1, 2))
    assert got == (1, 2, 6)
    assert [tuple(float(x) for x in row) for row in outfeed] == [(6, 2), (6,)]
    text = str(module_of(main, "f32"))
    assert text.count("after_all") == 1
    assert "channel_handle<handle = 3, type = 1>" in text


def test_computations_that_go_on_beside() -> None:
    def main(x: Tensor) -> Any:
        future = xla.AsyncStart(lambda y: xla.CollectivePermute(y, [(0, 1), (1, 0)]), x)
        other = xla.Neg(x)
        return other, xla.AsyncDone(future, "f32[2]")

    a, b = np.array([1, 2], F), np.array([3, 4], F)
    results = on_grid(main, [[a], [b]])
    for n, (own, sent) in enumerate([(a, b), (b, a)]):
        np.testing.assert_array_equal(results[(n, 0)][0], -own)
        np.testing.assert_array_equal(results[(n, 0)][1], sent)


def test_futures_that_are_none() -> None:
    assert "I1" in refused(lambda x: xla.AsyncDone(x, "f32[2]"), "2xf32")

    def main(x: Tensor) -> Any:
        future = xla.AsyncStart(lambda y: xla.Slice(y, (0,), (1,)), x)
        return xla.AsyncDone(future, ["f32[2]"])

    assert "C1" in refused(main, "2xf32")
