"""What shlo-run does in its child: parse, bind arguments, compile, run, compare, show."""

from __future__ import annotations

import shlex
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.calling.executable import Executable
from shlo_tools.cpu.native import Tell
from shlo_tools.cpu.saved import MARK
from shlo_tools.dtypes import Array, from_dtype
from shlo_tools.errors import (
    Diagnostic,
    ExecutionTimeout,
    ShloError,
    UnsupportedError,
    listening,
)
from shlo_tools.probes import probed
from shlo_tools.probes.hits import Listener
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.run import self_checks
from shlo_tools.tools.run.comparing import comparison, divergence
from shlo_tools.tools.run.grids import grid_run, mesh_run
from shlo_tools.tools.run.insight import insight_options, probe_files, profile
from shlo_tools.tools.run.run_request import (
    AS_THE_PROGRAM_SAYS,
    COMPILING,
    DEFAULT_CACHE,
    MISMATCH,
    Request,
)
from shlo_tools.tools.run.self_checks import SelfChecks
from shlo_tools.tools.run.time_limit import limited
from shlo_tools.tools.run.values import array_files, inputs, literals, signature
from shlo_tools.tools.run.values.inputs import Wanted
from shlo_tools.tools.run.values.signature import Function

_ELEMENTS, _DEMO_ELEMENTS = 1000, 60  # of larger results, only the first and last are printed


def work(request: Request, source: bytes, channel: Channel) -> int:
    """Do what was asked for; returns the exit status."""

    def warn(diagnostic: Diagnostic) -> None:
        print(_in_model(ShloError(diagnostic), request, source).render(), file=sys.stderr)

    with listening(warn):
        try:
            with self_checks.probes(request):
                status = _work(request, source, channel)
            print(end="", flush=True)
            return status
        except ShloError as error:
            print(end="", flush=True)
            print(_in_model(error, request, source).render(), file=sys.stderr)
        except MemoryError:
            print(f"error: out of memory {channel.told()[0]}", file=sys.stderr)
        except BrokenPipeError:
            raise  # a reader that has seen enough: no error worth a word
        except OSError as error:
            print(f"error: {error.strerror or error} {channel.told()[0]}", file=sys.stderr)
    return 1


def _in_model(error: ShloError, request: Request, source: bytes) -> ShloError:
    """The error with the model's name, and with its text where that is what it points into."""
    if error.source is not None:
        return error
    places = [d.place for d in error.diagnostics if d.place]
    text = None
    if places and all(place.file == "-" for place in places) and not program.is_bytecode(source):
        text = source.decode(errors="replace")
    return error.with_source(text, _name(request))


def _name(request: Request) -> str:
    return "<stdin>" if request.model == "-" else request.model


def _work(request: Request, source: bytes, channel: Channel) -> int:
    if source == MARK:
        return _work_saved(request, channel)
    checks = SelfChecks(request, _name(request), _run_check, _show_check)
    if request.split_input_file:
        return checks.of_parts(source, channel)
    module = _parse(request, source, channel)
    if request.list_functions:
        print("\n".join(str(function) for function in signature.functions(module)))
        return 0
    if request.parallel and not request.mesh:
        return grid_run.work(
            request,
            module,
            channel,
            lambda one, function: _values(one, function)[0],
            lambda number, array, function: shown(number, array, function, _ELEMENTS),
        )
    if checked := self_checks.functions(request, module):
        return checks.of_module(module, checked, source, channel)
    function = signature.find(module, request.function)
    if insight_options.needs_no_run(request) and not request.inputs and not _needs_a_run(request):
        return _without_a_run(request, _compile(request, module, channel, None)[0])
    if function.inputs and not request.inputs and not _needs_a_run(request):
        print(signature.describe(function, _again(request)))
        return 0
    if request.output:
        array_files.check_count(request.output, len(function.results))
    channel.tell("while reading values")
    with mesh_run.reading(request):
        arguments, expected = _values(request, function)
    if request.compare:
        return divergence.compare(request, module, arguments, channel)
    with probe_files.recording(request.probe_dir, _name(request), request.probe_limit) as probe:
        compiled, seconds = _compile(request, module, channel, probe)
        del module  # and the constants in it
        if request.save_executable:
            compiled.save(request.save_executable)
        channel.tell(f"while running @{function.name}")
        results, times = _run(request, compiled, arguments)
    timing = ""
    if request.repeat or request.demo:
        timing = f"compiled in {_seconds(seconds)}, {_timing(times)}"
    if not mesh_run.is_told(request):
        return 0
    return _told(request, function, compiled, results, expected, timing, arguments, channel)


def _without_a_run(request: Request, compiled: Executable) -> int:
    """Write and show what a program was compiled to."""
    if request.save_executable:
        compiled.save(request.save_executable)
    for line in profile.told(request, compiled, (), _name(request)):
        print(line)
    return 0


def _again(request: Request) -> str:
    """The beginning of a command that runs the same program."""
    words = ["shlo-run", request.model]
    if request.function != "main":
        words.append(f"--function={request.function}")
    if request.mesh:
        as_it_says = request.mesh == AS_THE_PROGRAM_SAYS
        words.append("--mesh" if as_it_says else f"--mesh={request.mesh}")
    return shlex.join(words)


def _work_saved(request: Request, channel: Channel) -> int:
    """Run an executable of a file."""
    channel.tell("while loading the executable")
    start = time.perf_counter()
    compiled = shlo_tools.load_executable(
        request.model, trusted=request.trusted, threads=request.threads
    )
    seconds = time.perf_counter() - start
    function = signature.of_executable(compiled)
    if function.inputs and not request.inputs and not _needs_a_run(request):
        print(signature.describe(function, f"shlo-run {shlex.quote(request.model)}"))
        return 0
    if request.output:
        array_files.check_count(request.output, len(function.results))
    channel.tell("while reading values")
    arguments, expected = _values(request, function)
    channel.tell(f"while running @{function.name}")
    results, times = _run(request, compiled, arguments)
    timing = f"loaded in {_seconds(seconds)}, {_timing(times)}" if request.repeat else ""
    return _told(request, function, compiled, results, expected, timing, arguments, channel)


def _told(
    request: Request,
    function: Function,
    compiled: Executable,
    results: Sequence[Array],
    expected: Sequence[Array],
    timing: str,
    arguments: Sequence[Array],
    channel: Channel,
) -> int:
    """Write and show what came out; returns the exit status."""
    channel.tell("while writing results")
    if request.output:
        array_files.write(channel.output, request.output, results)
    agree = _show(request, function, results, expected)
    if request.check_nans:
        print("no op made a NaN or Inf that its inputs did not have")
    if timing:
        print(timing)
    for line in profile.told(request, compiled, arguments, _name(request)):
        print(line)
    return 0 if agree else MISMATCH


def _parse(request: Request, source: bytes, channel: Channel) -> mlir.Module:
    channel.tell("while parsing")
    if request.mesh:
        return mesh_run.read(request, source, _name(request))
    with mlir.library_context():
        # Ops that are compared one by one are cut out into modules of the library's context.
        module = program.module_of(
            source, name=_name(request), anywhere=not request.compare, expendable=True
        )
        program.locate(module, request.model)
        program.warn_of_attributes(module)
    return module


def _needs_a_run(request: Request) -> bool:
    return bool(
        request.output
        or request.expected_output
        or request.repeat
        or request.compare
        or request.check_nans
        or request.probe_dir
        or request.trace
        or request.profile
    )


def _values(request: Request, function: Function) -> tuple[list[Array], list[Array]]:
    """Arguments, and expected results where there are any."""
    description = Wanted("--input", "argument", "arg", function.inputs, request.cast)
    arguments = inputs.read(request.inputs, description)
    if not request.expected_output:
        return arguments, []
    description = Wanted("--expected-output", "result", "result", function.results)
    return arguments, inputs.read(request.expected_output, description)


# --- compiling and running ------------------------------------------------------------------------
def _compile(
    request: Request, module: mlir.Module, channel: Channel, probe: Listener | None
) -> tuple[Executable, float]:
    """The program as an executable, and how many seconds it took to compile."""
    channel.tell(COMPILING)
    start = time.perf_counter()
    if probe or request.check_nans:
        compiled = _with_probes(request, module, probe)
    else:
        compiled = _backend(request, module)
    return compiled, time.perf_counter() - start


def _backend(request: Request, module: mlir.Module, tell: Tell | None = None) -> Executable:
    backend: Any = request.backend
    options: dict[str, Any] = {"tell": tell} if tell else {}
    if request.threads:
        options["threads"] = request.threads
    if request.cache and request.backend == "native":
        options["cache"] = request.cache == DEFAULT_CACHE or request.cache
    if request.mesh:
        return mesh_run.compile(request, module, **options)
    return shlo_tools.compile(module, backend=backend, function=request.function, **options)


def _with_probes(
    request: Request, module: mlir.Module, probe: Listener | None, tell: Tell | None = None
) -> Executable:
    return probed.compile(
        module,
        lambda instrumented: _backend(request, instrumented, tell),
        probe=probe,
        ops=request.probe,
        check_nans=request.check_nans,
        operands=False,
    )


def compile_singly(request: Request, source: bytes, channel: Channel) -> int:
    """Compile as ``work`` does, but say before each pass which one it is."""
    tell = channel.tell if request.backend == "native" else None
    with suppress(ShloError):  # only a crash is of interest
        module = _parse(request, source, channel)
        if request.compare:
            _backend(request, module, tell)
            _backend(request, probed.instrumented(module, divergence.PROBES), tell)
        elif request.probe_dir or request.check_nans:
            _with_probes(request, module, None, tell)
        else:
            _backend(request, module, tell)
    return 0


def _run(
    request: Request, compiled: Any, arguments: Sequence[Array]
) -> tuple[list[Array], list[float]]:
    """The results, and how many seconds each run took."""
    times: list[float] = []
    for _ in range(1 + request.repeat):
        start = time.perf_counter()
        results = _run_once(request, compiled, arguments)
        times.append(time.perf_counter() - start)
    return results, times


def _run_once(request: Request, compiled: Any, arguments: Sequence[Array]) -> list[Array]:
    limit = request.timeout
    try:
        with limited(limit):
            results: Any = compiled(*arguments, timeout=limit)
    except ExecutionTimeout:
        what = f"stopped after {limit:g} seconds while running @{request.function}"
        raise ExecutionTimeout(what) from None
    listed = [results] if len(compiled.signature.results) == 1 else list(results)
    for type, value in zip(compiled.signature.results, listed, strict=True):
        if not isinstance(value, np.ndarray):  # a token or a tuple
            raise UnsupportedError(f"a value of type {type} cannot be passed in or out")
    return listed


def _run_check(request: Request, module: mlir.Module, channel: Channel) -> list[Array]:
    """Run a function that checks itself."""
    channel.tell(f"while compiling @{request.function}")
    plain = not request.check_nans
    compiled = _backend(request, module) if plain else _with_probes(request, module, None)
    channel.tell(f"while running @{request.function}")
    return _run(request, compiled, [])[0]


def _show_check(function: Function, results: Sequence[Array]) -> None:
    for number, array in enumerate(results):
        print(shown(number, array, function, _ELEMENTS))


# --- showing --------------------------------------------------------------------------------------
def _show(
    request: Request, function: Function, results: Sequence[Array], expected: Sequence[Array]
) -> bool:
    """Print results, or compare them if something is expected; returns whether they agree."""
    if request.demo or not (expected or request.output):
        for number, array in enumerate(results):
            print(shown(number, array, function, _DEMO_ELEMENTS if request.demo else _ELEMENTS))
    if request.demo and expected:
        print("\ncompared with what is expected:")
    agree = True
    for number, (got, want) in enumerate(zip(results, expected, strict=bool(expected))):
        limit = comparison.tolerance(from_dtype(got.dtype), request.rtol, request.atol)
        same, lines = comparison.report(number, got, want, limit)
        if same:
            print(lines[0])
            continue
        agree = False
        print(end="", flush=True)
        print("\n".join(["error: " + lines[0], *lines[1:]]), file=sys.stderr)
    return agree


def shown(number: int, array: Array, function: Function, limit: int) -> str:
    """A result as text; of more than ``limit`` elements the first and last ones."""
    slot = function.results[number]
    head = f"result{number}: {slot.type}" + (f"  {slot.name}" if slot.name else "")
    if array.size > limit:
        head += f"  (a part of {array.size} elements; --output writes all)"
    return f"{head}\n{literals.written(array, limit)}"


def _timing(times: Sequence[float]) -> str:
    first, *more = times
    text = f"first run {_seconds(first)}"
    if more:
        text += f"; {len(more)} more: median {_seconds(statistics.median(more))}"
        text += f", min {_seconds(min(more))}"
    return text


def _seconds(value: float) -> str:
    if value >= 1:
        return f"{value:.3g} s"
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} us"
