"""``docs/architecture.md`` says of floors and folders what is so."""

from __future__ import annotations

import re
from pathlib import Path

from test_structure import FLOORS, WITHOUT_FLOOR, imported, sources

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
PICTURE = PAGE.split("```text\n")[1].split("```")[0]

# A line of the picture: what a floor is for, then its rooms, after two spaces or more.
FLOOR_LINE = re.compile(r"^ (?P<purpose>\w+(?: \w+)*)  +(?P<rooms>\w.*)$", re.MULTILINE)


def _drawn() -> list[list[str]]:
    """The rooms of each floor of the picture, from the ground up."""
    rows = [results["rooms"].split() for results in FLOOR_LINE.finditer(PICTURE)]
    return rows[::-1]


def _level() -> dict[str, int]:
    return {room.rstrip("/"): n for n, rooms in enumerate(_drawn()) for room in rooms}


def test_every_room_is_drawn_once() -> None:
    packages = {source.package for source in sources()} - WITHOUT_FLOOR
    rooms = [room.rstrip("/") for rooms in _drawn() for room in rooms]
    assert sorted(rooms) == sorted(packages)


def test_rooms_are_what_they_are_drawn_as() -> None:
    """A name with a slash is a folder, any other a module."""
    for room in (room for rooms in _drawn() for room in rooms):
        path = ROOT / "shlo_tools" / room
        assert path.is_dir() if room.endswith("/") else path.with_suffix(".py").is_file(), room


def test_the_floors_are_those_that_imports_are_held_to() -> None:
    packages = {source.package for source in sources()}
    floors = [packages & set(floor) for floor in FLOORS]
    drawn = [{room.rstrip("/") for room in rooms} for rooms in _drawn()]
    assert drawn == [floor for floor in floors if floor]


def test_imports_go_down_the_picture() -> None:
    level = _level()
    upward = [
        f"{source.relative}:{line} imports {name}"
        for source in sources()
        for line, name in imported(source.module, source.path.name == "__init__.py", source.tree)
        if name.startswith("shlo_tools.") and source.package in level
        if level.get(name.split(".")[1], -1) > level[source.package]
    ]
    assert not upward, "\n".join(upward)


def test_folders_are_there_and_named() -> None:
    """Each room of the library, the passes and the tools is in the text; what is in it may be."""
    named = {name for name in re.findall(r"`([\w/]+/)`", PAGE) if "/" in name.rstrip("/")}
    missing = [name for name in named if not (ROOT / name).is_dir()]
    assert not missing
    folders = {source.path.parent.relative_to(ROOT).parts[:2] for source in sources()}
    drawn = {("shlo_tools", room.rstrip("/")) for rooms in _drawn() for room in rooms}
    lost = {"/".join((*parts, "")) for parts in folders - drawn if len(parts) == 2} - named
    assert not lost, f"say what they are for: {sorted(lost)}"
