"""Tables of profiles: what stands where, and what adds up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shlo_tools.calling.profile import Profile, ProfiledJob, ProfiledOp, ProfileRow
from shlo_tools.errors import Place, ShloError


def row(stage: str, seconds: float, flops: int | None = 4_000_000) -> ProfileRow:
    ops = (ProfiledOp("add", None, 10), ProfiledOp("dot_general", None, 90))
    least = None if flops is None else seconds / 2
    jobs = (ProfiledJob("kernel", seconds),)
    place = Place("model.py", 3, 7)
    return ProfileRow(stage, place, ops, jobs, 2, seconds, 2_000_000, flops, frozenset(), least)


PROFILE = Profile(
    function="main",
    calls=5,
    threads=2,
    seconds=0.010,
    rows=(row("stage.0", 0.001), row("stage.1", 0.004), row("stage.0", 0.002, None)),
    peak_flops=1e11,
    bandwidth=2e10,
    events=(),
)


def cells(table: str, stage: str) -> list[list[str]]:
    return [line.split() for line in table.split("\n") if f" {stage} " in line]


def test_the_longest_steps_come_first_and_shares_add_up() -> None:
    lines = PROFILE.table().split("\n")
    assert lines[0].startswith("@main: 10 ms a call, the median of 5 calls, 2 threads")
    assert "100.0 GFLOP/s, 20.0 GB/s" in lines[0]
    shares = [float(line.split()[2].rstrip("%")) for line in lines[2:]]
    assert shares[:3] == [40.0, 20.0, 10.0]
    assert sum(shares) == pytest.approx(100)
    assert lines[-1].split()[-1] == "between"


def test_rates_are_amounts_by_seconds() -> None:
    (cell,) = cells(PROFILE.table(), "stage.1")
    assert cell == [
        *("4", "ms", "40.0%", "2", "2M", "4M", "0.5", "1.0", "50%"),
        *("stage.1", "model.py:3:7", "dot_general,", "add"),
    ]


def test_what_is_not_known_is_no_number() -> None:
    rows = cells(PROFILE.table(), "stage.0")
    assert rows[0][5] == "-"
    assert rows[0][7:9] == ["-", "-"]


def test_equal_stages_are_added_up() -> None:
    first, second = PROFILE.stages()
    assert (first.stage, first.runs, first.seconds) == ("stage.0", 4, pytest.approx(0.003))
    assert (first.bytes, first.flops) == (4_000_000, None)
    assert second == PROFILE.rows[1]
    assert len(cells(PROFILE.table("stage"), "stage.0")) == 1


def test_rows_that_are_not_shown_are_one_line() -> None:
    lines = PROFILE.table(most=1).split("\n")
    assert len(lines) == 5
    assert lines[3].split()[-2:] == ["2", "more"]
    assert lines[3].split()[:3] == ["3", "ms", "30.0%"]


def test_uncounted_arithmetic_is_marked() -> None:
    some = replace(PROFILE.rows[1], uncounted=frozenset({"stablehlo.custom_call"}))
    (cell,) = cells(replace(PROFILE, rows=(some,)).table(), "stage.1")
    assert cell[5] == "4M+"


def test_tables_that_there_are_not() -> None:
    with pytest.raises(ShloError, match="by 'step' or by 'stage'"):
        PROFILE.table("op")
    with pytest.raises(ShloError, match="one row at least"):
        PROFILE.table(most=0)
