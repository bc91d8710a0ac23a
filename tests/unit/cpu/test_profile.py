"""Profiles say of steps what can be counted by hand, and times that lie within each other."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from loop_programs import SIZE, LoopProgram

import shlo_tools
from shlo_tools.calling.profile import Profile
from shlo_tools.calling.trace import CALLER, Event
from shlo_tools.cpu import limits
from shlo_tools.cpu.process_library.threads import thread_count
from shlo_tools.cpu.profiling import recorder
from shlo_tools.errors import ArgumentError, ExecutionTimeout, ShloError, UnsupportedError

ROWS, INNER, COLUMNS = 96, 64, 80

LAYERS = """
func.func @main(%x: tensor<96x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x80xf32>)
    -> tensor<96x80xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  %1 = stablehlo.tanh %0 : tensor<96x64xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0]
    : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  %3 = stablehlo.tanh %2 : tensor<96x64xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0]
    : (tensor<96x64xf32>, tensor<64x80xf32>) -> tensor<96x80xf32>
  return %4 : tensor<96x80xf32>
}"""

LOOP = """
func.func @main(%x: tensor<1000xf32>, %n: tensor<i32>) -> tensor<1000xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<1000xf32>
  cond {
    %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.sine %y : tensor<1000xf32>
    %z = stablehlo.reverse %s, dims = [0] : tensor<1000xf32>
    stablehlo.return %j, %z : tensor<i32>, tensor<1000xf32>
  }
  return %r#1 : tensor<1000xf32>
}"""

UNKNOWN = """
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1]
    : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}"""


def layers() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = ((ROWS, INNER), (INNER, INNER), (INNER, COLUMNS))
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


@pytest.fixture(scope="module")
def profile() -> Profile:
    return shlo_tools.compile(LAYERS).profile(*layers(), calls=3)


def line_of(text: str, op: str) -> int:
    return next(n for n, line in enumerate(text.split("\n"), 1) if line.strip().startswith(op))


def test_rows_count_what_steps_compute(profile: Profile) -> None:
    hidden = 2 * ROWS * INNER * INNER + ROWS * INNER  # multiply, add; one for each tanh
    moved = 4 * (2 * ROWS * INNER + INNER * INNER)  # in, out and the matrix, of f32
    last = 2 * ROWS * INNER * COLUMNS
    last_moved = 4 * (ROWS * INNER + INNER * COLUMNS + ROWS * COLUMNS)
    assert [row.flops for row in profile.rows] == [hidden, hidden, last]
    assert [row.bytes for row in profile.rows] == [moved, moved, last_moved]
    names = [[op.name for op in row.ops] for row in profile.rows]
    assert names == [["dot_general", "tanh"]] * 2 + [["dot_general"]]


def test_equal_stages_have_the_place_of_each_call(profile: Profile) -> None:
    assert profile.rows[0].stage == profile.rows[1].stage != profile.rows[2].stage
    lines = [row.place.line for row in profile.rows if row.place]
    assert lines == [line_of(LAYERS, f"%{n} = stablehlo.dot_general") for n in (0, 2, 4)]


def test_times_of_rows_lie_in_that_of_the_call(profile: Profile) -> None:
    assert all(row.seconds > 0 for row in profile.rows)
    assert all(
        row.seconds == pytest.approx(sum(j.seconds for j in row.jobs)) for row in profile.rows
    )
    measured = shlo_tools.compile(LAYERS).profile(*layers(), calls=1)
    assert sum(row.seconds for row in measured.rows) <= measured.seconds


def within(inner: Event, outer: Event) -> bool:
    return (
        outer.start <= inner.start and inner.start + inner.duration <= outer.start + outer.duration
    )


def test_events_lie_within_each_other(profile: Profile) -> None:
    by_kind = {kind: [e for e in profile.events if e.kind == kind] for kind in ("stage", "job")}
    assert [e.name for e in by_kind["stage"]] == [row.stage for row in profile.rows]
    assert [e.name for e in by_kind["job"]] == [j.function for r in profile.rows for j in r.jobs]
    chunks = [e for e in profile.events if e.kind == "chunk"]
    for inner, outer in ((by_kind["job"], by_kind["stage"]), (chunks, by_kind["job"])):
        assert all(any(within(one, other) for other in outer) for one in inner)


def test_each_chunk_of_a_job_is_one_event(profile: Profile) -> None:
    for job in (event for event in profile.events if event.kind == "job"):
        inside = [e for e in profile.events if e.kind == "chunk" and within(e, job)]
        numbers = sorted(int(e.details["chunk"]) for e in inside if e.name == job.name)
        assert numbers == list(range(len(numbers))), job
        assert numbers


def test_a_thread_does_one_chunk_at_a_time(profile: Profile) -> None:
    for thread in {event.thread for event in profile.events}:
        chunks = [e for e in profile.events if e.kind == "chunk" and e.thread == thread]
        for first, second in pairwise(sorted(chunks, key=lambda e: e.start)):
            assert first.start + first.duration <= second.start


@pytest.mark.parametrize("count", [0, 1, 7])
def test_loops_run_their_steps_as_often_as_they_go_round(count: int) -> None:
    x = np.linspace(0, 3, 1000).astype(np.float32)
    measured = shlo_tools.compile(LOOP).profile(x, np.int32(count), calls=2)
    runs = {op.name: row.runs for row in measured.rows for op in row.ops}
    flops = {op.name: row.flops for row in measured.rows for op in row.ops}
    assert runs["compare"] == count + 1
    assert runs.get("sine", 0) == count
    assert flops.get("sine", 0) == 1000 * count


def test_branches_that_are_not_taken_are_no_rows() -> None:
    text = """
    func.func @main(%p: tensor<i1>, %x: tensor<5000xf32>) -> tensor<5000xf32> {
      %r = "stablehlo.if"(%p) ({
        %0 = stablehlo.sine %x : tensor<5000xf32>
        stablehlo.return %0 : tensor<5000xf32>
      }, {
        %0 = stablehlo.cosine %x : tensor<5000xf32>
        stablehlo.return %0 : tensor<5000xf32>
      }) : (tensor<i1>) -> tensor<5000xf32>
      return %r : tensor<5000xf32>
    }"""
    executable = shlo_tools.compile(text)
    for condition, op in ((True, "sine"), (False, "cosine")):
        rows = executable.profile(np.bool_(condition), np.ones(5000, np.float32), calls=1).rows
        assert [op.name for row in rows for op in row.ops] == [op]


def test_unknown_sizes_are_counted_as_the_call_has_them() -> None:
    executable = shlo_tools.compile(UNKNOWN)
    for rows in (3, 50):
        (row,) = executable.profile(np.ones((rows, 8), np.float32), calls=1).rows
        assert (row.flops, row.bytes) == (2 * 8 * rows**2, 4 * (8 * rows + rows**2))


def test_donated_arguments_stay_as_they_are() -> None:
    text = """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = stablehlo.add %x, %x : tensor<64xf32>
      return %0 : tensor<64xf32>
    }"""
    x = np.arange(64, dtype=np.float32)
    shlo_tools.compile(text, donate=[0]).profile(x, calls=2)
    np.testing.assert_array_equal(x, np.arange(64))


def test_a_profile_leaves_calls_as_they_were() -> None:
    executable, arguments = shlo_tools.compile(LAYERS), layers()
    before = executable(*arguments)
    executable.profile(*arguments, calls=1)
    np.testing.assert_array_equal(executable(*arguments), before)


def test_an_executable_of_a_file_is_measured_without_ops(tmp_path: Path) -> None:
    shlo_tools.compile(LAYERS).save(tmp_path / "layers.shlox")
    loaded = shlo_tools.load_executable(tmp_path / "layers.shlox")
    rows = loaded.profile(*layers(), calls=1).rows
    assert len(rows) == 3
    assert all(row.seconds > 0 and row.ops == () and row.flops is None for row in rows)
    assert rows[2].bytes == 4 * (ROWS * INNER + INNER * COLUMNS + ROWS * COLUMNS)


def test_a_program_kept_on_disk_knows_its_ops(tmp_path: Path) -> None:
    for _ in range(2):
        executable = shlo_tools.compile(LAYERS, cache=tmp_path)
    rows = executable.profile(*layers(), calls=1).rows
    assert [row.ops[0].name for row in rows] == ["dot_general"] * 3


def test_a_program_through_linalg_is_one_step() -> None:
    text = """func.func @main(%n: tensor<1xi32>) -> tensor<?xi32> {
      %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
      %1 = stablehlo.add %0, %0 : tensor<?xi32>
      return %1 : tensor<?xi32>
    }"""
    executable = shlo_tools.compile(text, specialize=False)
    for row in executable.profile(np.array([5], np.int32), calls=2).rows:
        assert row.seconds > 0


def test_a_trace_is_what_perfetto_reads(profile: Profile, tmp_path: Path) -> None:
    """Complete events with microseconds, and a name for each track."""
    profile.save_trace(tmp_path / "trace.json")
    content = json.loads((tmp_path / "trace.json").read_text())
    events = content["traceEvents"]
    tracks = {e["tid"] for e in events if e["name"] == "thread_name"}
    complete = [e for e in events if e["ph"] == "X"]
    assert {e["tid"] for e in complete} <= tracks
    assert len(complete) == len(profile.events)
    assert [(e["ts"], e["dur"]) for e in complete] == [
        (e.start / 1000, e.duration / 1000) for e in profile.events
    ]
    with pytest.raises(ShloError, match="cannot write"):
        profile.save_trace(tmp_path / "none" / "trace.json")


def test_events_beyond_the_log_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = shlo_tools.compile(LAYERS).profile(*layers(), calls=1)
    monkeypatch.setattr(recorder, "_EVENTS", 4)
    part = shlo_tools.compile(LAYERS).profile(*layers(), calls=1)
    recorded = [event for event in whole.events if event.kind != "stage"]
    assert part.left_out == len(recorded) - 4
    assert len([event for event in part.events if event.kind != "stage"]) == 4


def test_time_limits_hold_while_measuring() -> None:
    x = np.ones(1000, np.float32)
    with pytest.raises(ExecutionTimeout):
        shlo_tools.compile(LOOP).profile(x, np.int32(2**31 - 1), timeout=0.2)


def test_one_thread_is_measured_by_what_one_can_do() -> None:
    one = shlo_tools.compile(LAYERS, threads=1).profile(*layers(), calls=1)
    assert (one.threads, one.peak_flops) == (1, limits.measured(1).flops_f32)
    assert {event.thread for event in one.events} == {CALLER}
    many = shlo_tools.compile(LAYERS, threads=1000).profile(*layers(), calls=1)
    assert (many.threads, many.peak_flops) == (thread_count(), limits.measured().flops_f32)


def test_what_is_refused() -> None:
    executable = shlo_tools.compile(LAYERS)
    with pytest.raises(ArgumentError, match="takes 3 arguments, 0 given"):
        executable.profile()
    for calls in (0, -1, 1.5, True):
        with pytest.raises(ArgumentError, match="calls="):
            executable.profile(*layers(), calls=calls)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="no native code"):
        shlo_tools.compile(LAYERS, backend="reference").profile(*layers())


@pytest.mark.parametrize("seed", range(12))
def test_steps_of_nested_control_flow_are_known(seed: int) -> None:
    """Each step of random loops and branches has the ops of its own stage, and its own place."""
    text = LoopProgram(np.random.default_rng(seed), 2).text()
    executable = shlo_tools.compile(text)
    x = np.arange(SIZE, dtype=np.float32)
    measured = executable.profile(x, x, np.int32(2), calls=1)
    lines = text.split("\n")
    for row in measured.rows:
        if row.stage == "copies":
            continue
        assert row.place is not None
        assert any(op.name in lines[row.place.line - 1] for op in row.ops), (row, text)
