"""C programs around objects: built with the machine's C compiler, fed with arrays through pipes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shlo_tools.aot import compiling, header
from shlo_tools.cpu.machine_code import objects
from shlo_tools.dtypes import Array

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
LIBRARIES = ("-lm", "-lpthread")

needs_a_compiler = pytest.mark.skipif(
    CC is None or not objects.is_supported(),
    reason="there is no C compiler, or no objects are made here",
)

# Reads all arguments, calls the function a few times, and writes all results of the last call.
DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include "model.h"
static void *room(int64_t bytes) {
  char *memory = malloc((size_t)bytes + 64);
  if (!memory) exit(90);
  return memory + (64 - (size_t)memory % 64);
}
int main(int argc, char **argv) {
  const void *arguments[64];
  void *results[64];
  int n, status = 0, threads = argc > 1 ? atoi(argv[1]) : 1, calls = argc > 2 ? atoi(argv[2]) : 1;
  struct shlo_context *context = threads < 0 ? 0 : model_open(threads);
  if (threads >= 0 && !context) return 91;
  for (n = 0; n < MODEL_MAIN_ARGUMENTS; ++n) {
    int64_t bytes = model_main_argument(n)->bytes;
    void *memory = room(bytes);
    if (fread(memory, 1, (size_t)bytes, stdin) != (size_t)bytes) return 92;
    arguments[n] = memory;
  }
  for (n = 0; n < MODEL_MAIN_RESULTS; ++n) results[n] = room(model_main_result(n)->bytes);
  while (calls-- && !status) status = model_main(context, arguments, results);
  if (context) model_close(context);
  if (status) {
    fprintf(stderr, "%s\\n", shlo_message(status));
    return -status;
  }
  for (n = 0; n < MODEL_MAIN_RESULTS; ++n)
    fwrite(results[n], 1, (size_t)model_main_result(n)->bytes, stdout);
  return 0;
}
"""

# How other C programs begin.
START = '#include <stdio.h>\n#include <string.h>\n#include "model.h"\n'

# What the driver calls of a runtime that is not in the object.
SHARED_NAMES = "#define model_open shlo_rt_open\n#define model_close shlo_rt_close\n"


@dataclass(frozen=True)
class Built:
    """A C program around an object."""

    path: Path
    results: Sequence[tuple[tuple[int, ...], np.dtype[Any]]]

    def run(self, *arguments: Array, threads: int = 1, calls: int = 1) -> list[Array]:
        """The results; with -1 threads there is no context."""
        data = b"".join(array.tobytes() for array in arguments)
        command = [self.path, str(threads), str(calls)]
        process = subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)
        assert process.returncode == 0, process.stderr.decode()
        arrays, start = [], 0
        for shape, dtype in self.results:
            end = start + dtype.itemsize * int(np.prod(shape, dtype=np.int64))
            arrays.append(np.frombuffer(process.stdout[start:end], dtype).reshape(shape))
            start = end
        assert start == len(process.stdout)
        return arrays


def write(folder: Path, source: str, name: str = "model", **options: Any) -> compiling.Compiled:
    """Compile a program to an object and a header in a folder."""
    compiled = compiling.compile_object(source, name=name, **options)
    (folder / f"{name}.o").write_bytes(b"".join(compiled.pieces))
    (folder / f"{name}.h").write_text(header.text(compiled))
    return compiled


def build(folder: Path, source: str, *options: str, standalone: bool = True, **more: Any) -> Built:
    """A program's object in a C program that ``Built.run`` feeds."""
    compiled = write(folder, source, standalone=standalone, **more)
    linked = ["model.o"]
    text = DRIVER
    if not standalone:
        runtime = compiling.runtime_for({"model.o": (folder / "model.o").read_bytes()})
        (folder / "shlo_rt.o").write_bytes(b"".join(runtime))
        linked.append("shlo_rt.o")
        text = SHARED_NAMES + text
    (folder / "main.c").write_text(text)
    compile_c(folder, "main.c", *linked, *options)
    (entry,) = compiled.entry_points
    types = [(type.static_shape, type.element_type.dtype) for type in entry.results]
    return Built(folder / "main", types)


def compile_c(folder: Path, *words: str, output: str = "main") -> None:
    """Have the C compiler make a program of files in a folder; it may not warn."""
    command = [str(CC), *STRICT, "-I.", "-o", output, *words, *LIBRARIES]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert process.returncode == 0 and not process.stderr, process.stderr


def output(folder: Path, text: str, *objects: str, options: tuple[str, ...] = ()) -> str:
    """What a C program prints; it is linked with the objects."""
    (folder / "main.c").write_text(text)
    compile_c(folder, "main.c", *objects, *options)
    process = subprocess.run(
        [folder / "main"], capture_output=True, text=True, timeout=60, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout
