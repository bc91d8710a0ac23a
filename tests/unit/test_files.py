"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shlo_tools import files
from shlo_tools.errors import ShloError


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    path = tmp_path / "model.mlir"
    for old in (None, b"old"):
        if old is not None:
            path.write_bytes(old)
        with pytest.raises(KeyboardInterrupt):
            files.write_pieces(str(path), pieces())
        assert [p.read_bytes() for p in tmp_path.iterdir()] == [old] * (old is not None)


def test_threads_may_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "one"
    written = [bytes([n]) * 100_000 for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda data: files.write_file(str(path), data), written * 20))
    assert path.read_bytes() in written
    assert list(tmp_path.iterdir()) == [path]


def test_names_may_be_as_long_as_the_system_has_them(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)  # 254 bytes of 255
    files.check_writable(str(path))
    files.write_file(str(path), b"data")
    assert path.read_bytes() == b"data"
    with pytest.raises(ShloError, match="File name too long"):
        files.write_file(str(tmp_path / ("é" * 128)), b"data")
    assert list(tmp_path.iterdir()) == [path]


def test_files_keep_their_permissions(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    path.chmod(0o600)
    files.write_file(str(path), b"new")
    assert path.stat().st_mode & 0o777 == 0o600
    link = tmp_path / "link"
    link.symlink_to(path)
    files.write_file(str(link), b"newer")
    assert link.is_symlink() and path.read_bytes() == b"newer"


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    for write in (files.check_writable, lambda path: files.write_file(path, b"")):
        with pytest.raises(ShloError, match="Permission denied"):
            write(str(tmp_path / "file"))
