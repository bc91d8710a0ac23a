"""``reduction_order="any"``: what MPI sums up is the sum; what goes wrong is told on all ranks."""

from __future__ import annotations

import numpy as np
import pytest
from mpi_jobs import mpi, run

from shlo_tools import parallel
from shlo_tools.errors import ShloError

PROGRAMS = '''
import numpy as np
from shlo_tools import errors, parallel
from shlo_tools.parallel import mpi, mpi_groups, mpi_reductions

SUMS = []  # what was left to MPI
for name in ("_everywhere", "_scattered"):
    def counted(*arguments, function=getattr(mpi_reductions, name), name=name):
        SUMS.append(name)
        return function(*arguments)
    setattr(mpi_reductions, name, counted)

def program(op, element, groups, shape, result, more="", body="add"):
    width = len(groups[0])
    return f"""func.func @main(%x: tensor<{shape}x{element}>) -> tensor<{result}x{element}> {{
  %0 = "stablehlo.{op}"(%x) ({{
  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
    %s = stablehlo.{body} %a, %b : tensor<{element}>
    stablehlo.return %s : tensor<{element}>
  }}) {{{more}replica_groups = dense<{groups}> : tensor<{len(groups)}x{width}xi64>}}
    : (tensor<{shape}x{element}>) -> tensor<{result}x{element}>
  return %0 : tensor<{result}x{element}>
}}"""

def arrays(dtype, shape, count):
    generator = np.random.default_rng(0)
    return [(100 * generator.standard_normal(shape)).astype(dtype) for _ in range(count)]

OVER = {"transport": "mpi", "gather": True, "reduction_order": "any", "timeout": 60}
rank, size = mpi.job().rank, mpi.job().size
'''

SUMS = (
    PROGRAMS
    + """
# Groups across ranks, within a rank, in another order; more processes than ranks.
GRIDS = [[[1, 0]]], [[[0, 1, 2, 3]], [[3, 0], [1, 2]], [[0, 1], [2, 3]]]
for count, groups in [(2 * k + 2, groups) for k in (0, 1) for groups in GRIDS[k]]:
    for dtype, element in ((np.float32, "f32"), (np.float64, "f64"), (np.int32, "i32")):
        rows = arrays(dtype, (300, 200), count)
        text = program("all_reduce", element, groups, "300x200", "300x200")
        results = parallel.run_spmd(text, [[row] for row in rows], **OVER)
        scale = sum(np.abs(row.astype(np.float64)) for row in rows)
        for group in groups:
            exact = sum(rows[member].astype(np.float64) for member in group)
            bound = 8 * np.finfo(np.float32 if dtype == np.float32 else np.float64).eps * scale
            for member in group:
                assert np.all(np.abs(results[member] - exact) <= bound)
        part = 200 // len(groups[0])
        text = program("reduce_scatter", element, groups, "300x200", f"300x{part}",
                       "scatter_dimension = 1 : i64, ")
        results = parallel.run_spmd(text, [[row] for row in rows], **OVER)
        for group in groups:
            exact = sum(rows[member].astype(np.float64) for member in group)
            for place, member in enumerate(group):
                own = slice(part * place, part * (place + 1))
                assert results[member].shape == (300, part)
                assert np.all(np.abs(results[member] - exact[:, own]) <= bound[:, own])
assert ("_everywhere" in SUMS and "_scattered" in SUMS) == (size > 1), SUMS
print("same\\n", end="", flush=True)
"""
)

SIZES = (
    PROGRAMS
    + """
# Processes (0, 0) and (1, 0) are dealt to other ranks of four in each of these grids.
for count in (4, 2, 8):
    groups = [[k, k + 1] for k in range(0, count, 2)]
    rows = arrays(np.float32, (300, 200), count)
    text = program("all_reduce", "f32", groups, "300x200", "300x200")
    results = parallel.run_spmd(text, [[row] for row in rows], **OVER)
    for group in groups:
        for member in group:
            assert np.array_equal(results[member], rows[group[0]] + rows[group[1]])
print("same\\n", end="", flush=True)
"""
)

TRANSPOSED = (
    PROGRAMS
    + """
# The reference transposes without copying: what MPI writes has another order in memory.
text = program("all_reduce", "f32", [[0, 1]], "300x200", "300x200")
text = text.replace("%x: tensor<300x200xf32>", "%y: tensor<200x300xf32>").replace(
    "{", "{ %x = stablehlo.transpose %y, dims = [1, 0]"
    " : (tensor<200x300xf32>) -> tensor<300x200xf32>", 1)
rows = arrays(np.float32, (200, 300), 2)
results = parallel.run_spmd(text, [[row] for row in rows], backend="reference", **OVER)
for result in results:
    assert np.array_equal(result, rows[0].T + rows[1].T)
print("same\\n", end="", flush=True)
"""
)

IN_ORDER = (
    PROGRAMS
    + """
# What MPI does not know, or might do otherwise, goes in the group's order: the reference's bits.
for element, dtype, body in (("f32", np.float32, "maximum"), ("f32", np.float32, "subtract"),
                             ("i32", np.int32, "subtract")):
    rows = [[row] for row in arrays(dtype, (300, 200), 2)]
    text = program("all_reduce", element, [[0, 1]], "300x200", "300x200", body=body)
    results = parallel.run_spmd(text, rows, **OVER)
    expected = parallel.run_spmd(text, rows, backend="reference")
    assert [x.tobytes() for x in results] == [x.tobytes() for x in expected]
assert not SUMS
print("same\\n", end="", flush=True)
"""
)

FAILURES = (
    PROGRAMS
    + """
text = program("all_reduce", "f32", [[0, 1]], "300x200", "300x200")
other = program("all_reduce", "f32", [[0, 1]], "200x300", "200x300").replace("@main", "@other")
T = "tensor<300x200xf32>"
none = f"func.func @none(%x: {T}) -> {T} {{ return %x : {T} }}"
rows = [[np.ones((300, 200), np.float32)], [np.ones((200, 300), np.float32)]]
for names, row in (("other", rows[1]), ("none", rows[0])):
    try:
        parallel.run_mpmd(text + other + none, [rows[0], row], [["main"], [names]], **OVER)
    except errors.ExecutionError as error:
        said = "brings" if names == "other" else "deadlock"
        assert said in str(error), error
        print(f"{names}\\n", end="", flush=True)
    whole = parallel.run_spmd(text, [rows[0]] * 2, **OVER)
    assert whole[0][0, 0] == 2
"""
)

GROUPS = (
    PROGRAMS
    + """
# Communicators are kept for later calls, and all ranks free them where one has too many. Ranks have
# groups of their own here: what they free is not the same.
import itertools
mpi_groups._KEPT = 4
communicators, rows = mpi.job()._communicators, [[row] for row in arrays(np.int32, (300, 200), 6)]
kept, freed = [], 0
for order in [*itertools.islice(itertools.permutations(range(6)), 0, 300, 20)] * 2:
    groups = [list(order[:2]), list(order[2:4]), list(order[4:])]
    text = program("all_reduce", "i32", groups, "300x200", "300x200")
    results = parallel.run_spmd(text, rows, **OVER)
    for left, right in groups:
        for member in (left, right):
            assert np.array_equal(results[member], rows[left][0] + rows[right][0])
    freed += communicators.count == 0 < kept[-1] if kept else 0
    kept.append(communicators.count)
    assert kept[-1] <= 4
assert freed and max(kept) > 1, kept
print("same\\n", end="", flush=True)
"""
)

LATE = (
    PROGRAMS
    + """
# A process fails while two others leave one sum after the other to MPI: they end with its error, at
# whatever moment it comes, and none is left in MPI alone.
import random, time
import shlo_tools

@shlo_tools.custom_call("tests.raises.late")
def raises(x):
    time.sleep(random.random() * 0.02)
    raise KeyError("mine")

pairs = [[0, 1], [2, -1]]
T = "tensor<300x200xf32>"
text = program("all_reduce", "f32", pairs, "300x200", "300x200")
step = text[text.index('"stablehlo.all_reduce"') : text.index("  return")]
steps = "".join(f"%s{n + 1} = {step.replace('(%x)', f'(%s{n})')}" for n in range(30))
text = f"func.func @sums(%s0: {T}) -> {T} {{ {steps} return %s30 : {T} }}" + f'''
func.func @raises(%x: {T}) -> {T} {{
  %0 = stablehlo.custom_call @tests.raises.late(%x) {{has_side_effect = true}} : ({T}) -> {T}
  return %0 : {T}
}}'''
names = [["sums"], ["sums"], ["raises"]]
compiled = parallel.compile(text, num_replicas=3, function=names, transport="mpi",
                            reduction_order="any")
row = [np.ones((300, 200), np.float32)]
for _ in range(150):
    try:
        compiled([row] * 3, timeout=20)
    except KeyError as error:
        assert "in process (2, 0) of the grid" in error.__notes__
    else:
        raise AssertionError
print("same\\n", end="", flush=True)
"""
)


@mpi
def test_communicators_are_kept_in_bounds() -> None:
    status, output, errors = run(GROUPS, 3)
    assert (status, output) == (0, "same\n" * 3), errors


@mpi
def test_who_fails_meanwhile_leaves_nobody_in_mpi() -> None:
    status, output, errors = run(LATE, 3)
    assert (status, output) == (0, "same\n" * 3), errors


@mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_sums_are_sums(ranks: int) -> None:
    status, output, errors = run(SUMS, ranks)
    assert (status, output) == (0, "same\n" * ranks), errors


@mpi
def test_the_same_group_is_on_other_ranks_in_a_grid_of_another_size() -> None:
    status, output, errors = run(SIZES, 4)
    assert (status, output) == (0, "same\n" * 4), errors


@mpi
def test_arrays_in_another_order_of_memory_are_summed() -> None:
    status, output, errors = run(TRANSPOSED, 2)
    assert (status, output) == (0, "same\n" * 2), errors


@mpi
def test_other_reductions_keep_their_order() -> None:
    status, output, errors = run(IN_ORDER, 2)
    assert (status, output) == (0, "same\n" * 2), errors


@mpi
def test_what_does_not_fit_together_is_told_before_mpi_is_asked() -> None:
    status, output, errors = run(FAILURES, 2)
    assert status == 0, errors
    assert sorted(output.split()) == ["none", "none", "other", "other"]


def test_orders_are_checked_and_threads_take_both() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }"""
    rows = [[np.float32(1)], [np.float32(2)]]
    for order in ("group", "any"):
        assert list(parallel.run_spmd(text, rows, reduction_order=order)) == [3, 3]
    with pytest.raises(ShloError, match="reduction_order='some': there are group, any"):
        parallel.run_spmd(text, rows, reduction_order="some")


SENT = (
    PROGRAMS
    + """
from shlo_tools.parallel import mpi_messages
sent = []
def counting(self, rank, value, method=mpi_messages.Messages.send):
    from pickle import dumps
    sent.append(len(dumps(value)))
    return method(self, rank, value)
mpi_messages.Messages.send = counting
for op in ("reduce_scatter", "all_reduce"):
    sent.clear()
    scatters = op == "reduce_scatter"
    text = program(op, "f32", [[0, 1, 2]], "300x200", "100x200" if scatters else "300x200",
                   "scatter_dimension = 0 : i64, " if scatters else "")
    rows = [[row] for row in arrays(np.float32, (300, 200), 3)]
    parallel.run_spmd(text, rows, transport="mpi")
    part = 4 * 100 * 200
    expected = part * (2 if scatters else 4)  # for two others; once more when combined
    assert expected <= sum(sent) <= expected + 20000, (op, sum(sent), expected)
print("same\\n", end="", flush=True)
"""
)


@mpi
def test_each_member_is_sent_its_part_alone() -> None:
    """In the group's order: of what a member brings, and once more of what it has combined."""
    status, output, errors = run(SENT, 3)
    assert (status, output) == (0, "same\n" * 3), errors
