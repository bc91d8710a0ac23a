"""What goes on beside processes over MPI is MPI's own non-blocking collectives: the same bits."""

from __future__ import annotations

import pytest
from grids import COLLECTIVES
from mpi_jobs import mpi, run

pytestmark = mpi

START = '''
import random, threading, time
import numpy as np
import shlo_tools
from grids import case
from shlo_tools import errors, parallel
from shlo_tools.parallel import mpi, mpi_grid, mpi_groups, mpi_movements

rank, size = mpi.job().rank, mpi.job().size
CALLS = []  # of MPI's collectives

class Recorded:
    """A communicator that tells what it is asked for."""
    def __init__(self, communicator):
        self.communicator = communicator
    def __getattr__(self, name):
        CALLS.append(name)
        return getattr(self.communicator, name)

def recorded(self, group, of=mpi_groups.Communicators.of):
    return Recorded(of(self, group))
mpi_groups.Communicators.of = recorded

HALF, WHOLE = "tensor<200x100xf32>", "tensor<400x100xf32>"  # 80 kB: no small arrays
ROWS = [np.full((200, 100), k + 1, np.float32) for k in range(3)]
OVER = {"transport": "mpi", "gather": True, "timeout": 60}

def handle(channel):
    return f"channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>"

PAIR = "dense<[[0, 1]]> : tensor<1x2xi64>"

def gather(x, to, channel=1, half=HALF, whole=WHOLE, groups=PAIR):
    """The lines that begin a gather beside the process, and that wait for it."""
    start = f"""
    %f_{to} = "stablehlo.async_start"(%{x}) ({{
    ^bb0(%b: {half}):
      %i = "stablehlo.all_gather"(%b) {{all_gather_dim = 0 : i64, use_global_device_ids,
        {handle(channel)}, replica_groups = {groups}}} : ({half}) -> {whole}
      stablehlo.return %i : {whole}
    }}) : ({half}) -> !stablehlo.future<{whole}>"""
    future = f"!stablehlo.future<{whole}>"
    return start, f"""
    %{to} = "stablehlo.async_done"(%f_{to}) : ({future}) -> {whole}"""

def broadcast(x, to):
    start = f"""
    %f_{to} = "stablehlo.async_start"(%{x}) ({{
    ^bb0(%b: {HALF}):
      %i = "stablehlo.collective_broadcast"(%b) {{
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({HALF}) -> {HALF}
      stablehlo.return %i : {HALF}
    }}) : ({HALF}) -> !stablehlo.future<{HALF}>"""
    return start, f"""
    %{to} = "stablehlo.async_done"(%f_{to}) : (!stablehlo.future<{HALF}>) -> {HALF}"""

TOKEN = """
    %t = stablehlo.create_token : !stablehlo.token"""
SEND = f"""
    %u = "stablehlo.send"(%x, %t) {{{handle(9)}}}
      : ({HALF}, !stablehlo.token) -> !stablehlo.token"""
RECEIVE = f"""
    %c:2 = "stablehlo.recv"(%t) {{{handle(9)}}}
      : (!stablehlo.token) -> ({HALF}, !stablehlo.token)"""

def function(name, lines, returned, types, x=HALF):
    return f"""func.func @{name}(%x: {x}) -> ({types}) {{{"".join(lines)}
    return {returned} : {types}
    }}
"""

def tell(text):
    print(f"{text}\\n", end="", flush=True)  # in one piece: ranks share the output
'''


def told(script: str, ranks: int) -> list[str]:
    """What ranks say, in some order."""
    status, output, errors = run(START + script, ranks)
    assert status == 0, errors
    return output.splitlines()


COMPARE = """
FEW = "all_reduce", "collective_broadcast"  # which MPI does on few of these programs
KINDS = "f32", "i", "bf16", "!quant", "!quant", "f8", "complex", "ui16"
for number, op in enumerate(OPS):
    for seed, elements in enumerate(KINDS):
        if op not in FEW and (number + seed + size) % 2:  # a job of one rank more has these
            continue
        one = case(op, seed, large=seed == 0, elements=elements, beside=True)
        same = case(op, seed, large=seed == 0, elements=elements)
        grid = {"num_replicas": one.num_replicas, "num_partitions": one.num_partitions}
        expected = parallel.run_spmd(same.text, same.arguments, backend="reference", **grid)
        compiled = parallel.compile(one.text, transport="mpi", gather=True, **grid)
        for mpi_grid.FEW_RANKS in (8, 0):
            results = compiled(one.arguments, timeout=60)
            for own, wanted in zip(results, expected, strict=True):
                for x, y in zip(own, wanted, strict=True):
                    assert (x.dtype, x.shape) == (y.dtype, y.shape), one.text
                    assert x.tobytes() == y.tobytes(), one.text
tell(f"same {sorted(set(CALLS))}")
"""


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_results_are_those_of_the_reference(ranks: int) -> None:
    """Over random grids, often of more processes than ranks: large arrays by MPI, or all."""
    lines = told(COMPARE.replace("OPS", repr(COLLECTIVES)), ranks)
    assert len(lines) == ranks
    assert all(line.startswith("same") for line in lines)
    for name in ("Iallgatherv", "Ialltoallv", "Iallreduce", "Ibcast"):
        assert name in "".join(lines)


def test_who_begins_goes_on() -> None:
    """The second process comes when it has what the first one sent after it began."""
    script = """
start, done = gather("x", "y")
sends = function("sends", [TOKEN, start, SEND, done], "%y", WHOLE)
receives = function("receives", [TOKEN, RECEIVE, start, done], "%y", WHOLE)
for names in (["sends"], ["receives"]), (["receives"], ["sends"]):
    results = parallel.run_mpmd(sends + receives, [[ROWS[0]], [ROWS[1]]], names, **OVER)
    for result in results:
        assert np.array_equal(result, np.concatenate(ROWS[:2]))
tell(f"same {CALLS}")
"""
    assert told(script, 2) == ["same ['Iallgatherv', 'Iallgatherv']"] * 2


def test_it_is_over_while_the_process_computes() -> None:
    """What comes between the start and the end lasts until MPI is done."""
    script = """
over = threading.Event()
def complete(requests, complete=mpi_movements.complete):
    complete(requests)
    over.set()
mpi_movements.complete = complete

@shlo_tools.custom_call("tests.computes")
def computes(x):
    assert over.wait(60)
    return 2 * x

start, done = gather("x", "y")
between = f'''
    %z = stablehlo.custom_call @tests.computes(%x) {{has_side_effect = true}}
      : ({HALF}) -> {HALF}'''
text = function("main", [start, between, done], "%y, %z", f"{WHOLE}, {HALF}")
for own, (y, z) in zip(ROWS, parallel.run_spmd(text, [[row] for row in ROWS[:2]], **OVER)):
    assert np.array_equal(y, np.concatenate(ROWS[:2])) and np.array_equal(z, 2 * own)
tell(f"same {CALLS}")
"""
    assert told(script, 2) == ["same ['Iallgatherv']"] * 2


def test_many_at_once_in_any_order() -> None:
    """Those of one channel in the order in which they begin; channels in any order."""
    script = """
import itertools
LINES = {name: gather(f"x_{name}", name, channel) for name, channel in
         {"a1": 1, "a2": 1, "a3": 1, "b1": 2, "b2": 2, "c1": 3}.items()}
NAMES = sorted(LINES)
scaled = [f'''
    %s_{k} = stablehlo.constant dense<{k + 2}.0> : {HALF}
    %x_{name} = stablehlo.multiply %x, %s_{k} : {HALF}''' for k, name in enumerate(NAMES)]
orders = [list(o) for o in itertools.permutations(NAMES)
          if all(o.index(p) < o.index(q) for p, q in (("a1", "a2"), ("a2", "a3"), ("b1", "b2")))]
rng = random.Random(3)
for _ in range(12):
    text = ""
    for k in range(2):
        begins, ends = rng.choice(orders), rng.sample(NAMES, len(NAMES))
        lines = [*scaled, *(LINES[n][0] for n in begins), *(LINES[n][1] for n in ends)]
        returned, types = ", ".join(f"%{n}" for n in NAMES), ", ".join([WHOLE] * len(NAMES))
        text += function(f"p{k}", lines, returned, types)
    results = parallel.run_mpmd(text, [[ROWS[0]], [ROWS[1]]], [["p0"], ["p1"]], **OVER)
    for own in results:
        for k, y in enumerate(own):
            assert np.array_equal(y, (k + 2) * np.concatenate(ROWS[:2]))
tell(f"same {len(CALLS)}")
"""
    assert told(script, 2) == ["same 72"] * 2


def test_who_has_the_value_waits_for_nobody() -> None:
    """Of a broadcast the first member is done before others come, as with threads."""
    script = """
start, done = broadcast("x", "y")
sends = function("sends", [TOKEN, start, done, SEND], "%y", HALF)
receives = function("receives", [TOKEN, RECEIVE, start, done], "%y", HALF)
mpi_grid.FEW_RANKS = 0
names, rows = [["sends"], ["receives"]], [[ROWS[0]], [ROWS[1]]]
for over in ({}, OVER):
    for result in parallel.run_mpmd(sends + receives, rows, names, **over):
        assert np.array_equal(result, ROWS[0])
tell(f"same {CALLS}")
"""
    assert told(script, 2) == ["same ['Ibcast']"] * 2


@pytest.mark.parametrize("most", ["1", "1 if rank else 0", "8"])
def test_without_room_for_communicators_arrays_are_sent(most: str) -> None:
    """Where one rank has no room, all send messages."""
    script = """
mpi_groups._MOST = MOST
first, second = gather("x", "y", 1), gather("x", "z", 2)
lines = [first[0], first[1], second[0], second[1]]
text = function("main", lines, "%y, %z", f"{WHOLE}, {WHOLE}")
start, done = broadcast("x", "y")
text += function("other", [start, done], "%y", HALF)
mpi_grid.FEW_RANKS = 0
for own in parallel.run_spmd(text, [[row] for row in ROWS[:2]], **OVER):
    for y in own:
        assert np.array_equal(y, np.concatenate(ROWS[:2]))
for y in parallel.run_spmd(text, [[row] for row in ROWS[:2]], function="other", **OVER):
    assert np.array_equal(y, ROWS[0])
tell(f"same {CALLS}")
""".replace("MOST = MOST", f"MOST = {most}")
    calls = {"1": ["Iallgatherv"], "8": ["Iallgatherv", "Iallgatherv", "Ibcast"]}.get(most, [])
    assert told(script, 2) == [f"same {calls}"] * 2


def test_what_does_not_come_about_is_told_on_all_ranks() -> None:
    script = """
start, done = gather("x", "y")
text = function("main", [start, done], "%y", WHOLE)
turned = "tensor<100x200xf32>", "tensor<200x200xf32>"
start, done = gather("x", "y", 1, *turned)
text += function("turned", [start, done], "%y", turned[1], turned[0])
small = "tensor<2xf32>", "tensor<4xf32>"
start, done = gather("x", "y", 1, *small)
text += function("small", [start, done], "%y", small[1], small[0])
text += function("none", [], "%x", HALF)
shapes = {"turned": (100, 200), "small": (2,), "none": (200, 100)}
for names in (
    *(["main", "turned"], ["turned", "main"], ["main", "small"], ["small", "main"]),
    ["main", "none"],
):
    rows = [[np.ones(shapes.get(name, (200, 100)), np.float32)] for name in names]
    try:
        parallel.run_mpmd(text, rows, [[name] for name in names], **OVER)
    except errors.ExecutionError as error:
        word = "deadlock" if "none" in names else "brings"
        assert word in str(error) and "all_gather" in str(error) + word * 9 + "all_gather", error
        tell(f"{rank} {names} {word}")
    for result in parallel.run_spmd(text, [[row] for row in ROWS[:2]], **OVER):
        assert np.array_equal(result, np.concatenate(ROWS[:2]))
"""
    assert len(told(script, 2)) == 10


def test_time_is_up_on_all_ranks() -> None:
    script = """
start, done = gather("x", "y")
text = function("main", [start, done], "%y", WHOLE)
endless = f'''
    %i = stablehlo.constant dense<true> : tensor<i1>
    %w:2 = stablehlo.while(%j = %i, %z = %x) : tensor<i1>, {HALF}
      cond {{ stablehlo.return %j : tensor<i1> }}
      do {{
        %d = stablehlo.add %z, %z : {HALF}
        stablehlo.return %j, %d : tensor<i1>, {HALF}
      }}'''
text += function("endless", [endless], "%w#1", HALF)
try:
    parallel.run_mpmd(text, [[ROWS[0]]] * 2, [["main"], ["endless"]], **OVER | {"timeout": 0.5})
except errors.ExecutionTimeout:
    tell("time is up")
for result in parallel.run_spmd(text, [[row] for row in ROWS[:2]], **OVER):
    assert np.array_equal(result, np.concatenate(ROWS[:2]))
"""
    assert told(script, 2) == ["time is up"] * 2


def test_who_fails_meanwhile_leaves_nobody_in_mpi() -> None:
    """A process fails at some moment while two others gather beside themselves, again and again."""
    script = """
@shlo_tools.custom_call("tests.raises.late")
def raises(x):
    time.sleep(random.random() * 0.03)
    raise KeyError("mine")

lines, before, pairs = [], "x", "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"
for n in range(20):
    first, second = (gather(before, f"{to}{n}", channel, groups=pairs)
                     for to, channel in (("y", 1), ("z", 2)))
    take = f'''
    %x{n} = stablehlo.slice %z{n} [0:200, 0:100] : ({WHOLE}) -> {HALF}'''
    lines += [first[0], second[0], first[1], second[1], take]
    before = f"x{n}"
text = function("main", lines, f"%{before}", HALF) + function("none", [], "%x", HALF)
text += function("raises", [f'''
    %y = stablehlo.custom_call @tests.raises.late(%x) {{has_side_effect = true}}
      : ({HALF}) -> {HALF}
'''], "%y", HALF)
names = [["main"], ["main"], ["raises"], ["none"]]
compiled = parallel.compile(text, num_replicas=4, function=names, transport="mpi")
for _ in range(80):
    try:
        compiled([[ROWS[0]]] * 4, timeout=20)
    except KeyError as error:
        assert "in process (2, 0) of the grid" in error.__notes__
    else:
        raise AssertionError
assert rank > 1 or "Iallgatherv" in CALLS
tell("same")
"""
    assert told(script, 4) == ["same"] * 4


def test_other_combinations_are_told_before_mpi_combines() -> None:
    """One process adds, the other one multiplies: integers, which MPI would combine."""
    script = """
def sums(name, body):
    T = "tensor<200x100xi32>"
    return f'''func.func @{name}(%x: {T}) -> {T} {{
    %f = "stablehlo.async_start"(%x) ({{
    ^bb0(%b: {T}):
      %i = "stablehlo.all_reduce"(%b) ({{
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.{body} %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }}) {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({T}) -> {T}
      stablehlo.return %i : {T}
    }}) : ({T}) -> !stablehlo.future<{T}>
    %y = "stablehlo.async_done"(%f) : (!stablehlo.future<{T}>) -> {T}
    return %y : {T}
    }}
'''
text = sums("main", "add") + sums("times", "multiply")
rows = [[row.astype(np.int32)] for row in ROWS[:2]]
for result in parallel.run_spmd(text, rows, **OVER):
    assert np.array_equal(result, rows[0][0] + rows[1][0])
try:
    parallel.run_mpmd(text, rows, [["main"], ["times"]], **OVER)
except errors.ExecutionError as error:
    tell(f"{'to add' in str(error)} {'to multiply' in str(error)} {CALLS}")
"""
    assert told(script, 2) == ["True True ['Iallreduce']"] * 2


def test_whole_arrays_are_cut_on_all_ranks() -> None:
    script = """
from test_sharded import MEAN
x = np.arange(24, dtype=np.float32).reshape(6, 4)
centred, total = shlo_tools.run_spmd(MEAN, whole=[x], transport="mpi")
assert np.array_equal(total, x.sum(0)) and np.array_equal(centred, x - x.sum(0))
tell("same")
"""
    assert told(script, 2) == ["same"] * 2
