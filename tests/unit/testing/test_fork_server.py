"""A module that a fork server runs is a process as ``python -P -m`` makes one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from shlo_tools.testing.fork_server import ForkServer

ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}

MODEL = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
# Modules that Python has, and that tell what they were given.
SHOWN = "import sys, os; print(sys.argv, os.getcwd(), os.environ.get('SAID'), __name__)"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of modules, on the path of all that runs."""
    folder = tmp_path_factory.mktemp("modules")
    for name, text in {
        "shown": SHOWN,
        "echo": "import sys; sys.stdout.write(sys.stdin.read()); print('said', file=sys.stderr)",
        "three": "raise SystemExit(3)",
        "word": "raise SystemExit('a word')",
        "wrong": "1 / 0",
        "killed": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "late": "import atexit; atexit.register(print, 'late')",
        "full": "print('no room'); import sys; sys.exit(0)",
        "parent": "import os, sys; print(os.getppid(), 'numpy' in sys.modules)",
        "open": "import os; print(sorted(map(int, os.listdir('/dev/fd')))[:-1])",
        "files": "import os, sys; print(*(os.read(int(n), 9) for n in sys.argv[1:]))",
        "endless": "import os, time; print(os.getpid(), flush=True); time.sleep(1000)",
    }.items():
        (folder / f"{name}.py").write_text(text)
    return folder


@pytest.fixture(scope="module")
def environment(programs: Path) -> dict[str, str]:
    return ENVIRONMENT | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(programs)))}


@pytest.fixture(scope="module")
def server(environment: dict[str, str]) -> Iterator[ForkServer]:
    server = ForkServer(environment)
    _wait_until(server.address.exists)
    yield server
    server.close()


def _wait_until(condition: Callable[[], bool]) -> None:
    patience = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < patience
        time.sleep(0.01)


def _run(words: list[str], environment: dict[str, str], **options: Any) -> tuple[int, str, str]:
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=100, **options
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("shown", ["--x", "", "a b", "\udcff"]),
        ("echo", []),
        ("three", []),
        ("word", []),
        ("killed", []),
        ("late", []),
        ("shlo_tools.tools.opt", ["model.mlir", "--cse"]),
        ("shlo_tools.tools.opt", ["missing.mlir"]),
        ("shlo_tools.tools.run", ["model.mlir", "--input=2xf32=[1,2]"]),
        ("no_such_module", []),
    ],
)
def test_it_is_what_python_runs(
    server: ForkServer,
    environment: dict[str, str],
    tmp_path: Path,
    module: str,
    arguments: list[str],
) -> None:
    """Its arguments, folder, variables, input, output, errors and end."""
    (tmp_path / "model.mlir").write_text(MODEL)
    environment = environment | {"SAID": "this"}
    ends = [
        _run([*words, *arguments], environment, input="given", cwd=tmp_path)
        for words in (server.command(module), [sys.executable, "-P", "-m", module])
    ]
    if module == "shown":  # the first of these is a path, or a name
        ends = [(status, output[output.index(",") :], errors) for status, output, errors in ends]
    if module == "no_such_module":
        ends = [(status, output, errors.rpartition(": ")[2]) for status, output, errors in ends]
    assert ends[0] == ends[1]


@pytest.mark.parametrize("module", ["files", "open"])
def test_files_that_are_open_stay_so(
    server: ForkServer, environment: dict[str, str], tmp_path: Path, module: str
) -> None:
    """With the same numbers, and no others are."""
    ends = []
    for command in (server.command(module), [sys.executable, "-P", "-m", module]):
        numbers = []
        for name in ("first", "second"):
            (tmp_path / name).write_text(name)
            numbers.append(os.open(tmp_path / name, os.O_RDONLY))
        words = [*command, *map(str, reversed(numbers))]
        ends.append(_run(words, environment, pass_fds=numbers, cwd=tmp_path))
        for number in numbers:
            os.close(number)
    assert ends[0] == ends[1]
    assert "Error" not in ends[0][2]


def test_it_has_loaded_what_tools_need(server: ForkServer, environment: dict[str, str]) -> None:
    _, output, _ = _run(server.command("parent"), environment)
    assert int(output.split()[0]) != os.getpid()
    assert output.split()[1] == "True"


@pytest.mark.parametrize("name", ["PYTHONPATH", "LD_LIBRARY_PATH", "OPENBLAS_NUM_THREADS"])
def test_another_python_is_another_process(
    server: ForkServer, environment: dict[str, str], name: str
) -> None:
    """With variables that are read when Python starts."""
    changed = environment | {name: f"{environment.get(name, '')}:/nowhere"}
    _, output, _ = _run(server.command("parent"), changed)
    assert output.split() == [str(os.getpid()), "False"]


def test_a_closed_stream_is_another_process(
    server: ForkServer, environment: dict[str, str]
) -> None:
    line = '"$@" 2>&-'
    status, output, _ = _run(["bash", "-c", line, "bash", *server.command("parent")], environment)
    assert (status, output.split()[1]) == (0, "False")


def test_errors_are_shown(server: ForkServer, environment: dict[str, str]) -> None:
    status, output, errors = _run(server.command("wrong"), environment)
    assert (status, output) == (1, "")
    assert errors.endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(server: ForkServer, environment: dict[str, str]) -> None:
    """Python says so, with status 120."""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            server.command("full"), env=environment, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 120
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_ends_with_who_waits(
    server: ForkServer, environment: dict[str, str], number: signal.Signals
) -> None:
    with subprocess.Popen(
        server.command("endless"), env=environment, stdout=subprocess.PIPE, text=True
    ) as waiting:
        assert waiting.stdout is not None
        program = int(waiting.stdout.readline())
        waiting.send_signal(number)
        assert waiting.wait(timeout=30) == -number
    _wait_until(lambda: not Path(f"/proc/{program}").exists())


def test_many_at_once(server: ForkServer, environment: dict[str, str]) -> None:
    processes = [
        subprocess.Popen(
            [*server.command("shown"), str(number)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(40)
    ]
    for number, process in enumerate(processes):
        output, _ = process.communicate(timeout=100)
        assert f"'{number}'" in output


def test_programs_start_without_a_server(environment: dict[str, str]) -> None:
    """While it loads, and when it is closed, and its folder gone."""
    server = ForkServer(environment)
    words = server.command("parent")
    for _ in range(2):
        _, output, _ = _run(words, environment)
        assert output.split() == [str(os.getpid()), "False"]
        server.close()
    assert not server.address.parent.exists()


def test_a_fork_of_who_started_it_leaves_it_alone(
    server: ForkServer, environment: dict[str, str]
) -> None:
    child = os.fork()
    if child == 0:
        server.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    _, output, _ = _run(server.command("parent"), environment)
    assert output.split()[1] == "True"


def test_a_server_ends_with_who_started_it(environment: dict[str, str]) -> None:
    """Even with one that is killed."""
    code = """
import os, signal
from shlo_tools.testing.fork_server import ForkServer
print(ForkServer(os.environ).address.parent, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    status, output, _ = _run([sys.executable, "-c", code], environment)
    assert status == -signal.SIGKILL
    _wait_until(lambda: not Path(output.strip()).exists())
