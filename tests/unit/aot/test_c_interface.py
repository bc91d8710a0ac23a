"""The C interface: headers that compilers accept, statuses, contexts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from c_programs import (
    LIBRARIES,
    SHARED_NAMES,
    START,
    compile_c,
    needs_a_compiler,
    output,
    write,
)

from shlo_tools.aot import compiling, layout
from shlo_tools.codegen import frame

pytestmark = needs_a_compiler

DOUBLE = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""

# Two functions of one program, one private one, and a name that C has not.
SEVERAL = """module {
  func.func @double(%x: tensor<2xf64>) -> tensor<2xf64> {
    %0 = func.call @sum(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func @"square.1"(%x: tensor<2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.multiply %x, %x : tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func private @sum(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.add %x, %y : tensor<2xf64>
    return %0 : tensor<2xf64>
  }
}"""

FOREVER = """func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %r = stablehlo.while(%i = %n) : tensor<i64>
  cond {
    %go = stablehlo.compare NE, %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %i : tensor<i64>
    %odd = stablehlo.or %next, %n : tensor<i64>
    stablehlo.return %odd : tensor<i64>
  }
  return %r : tensor<i64>
}"""

# Runs a program on some processors alone.
ON_PROCESSORS = """import os, sys
os.sched_setaffinity(0, map(int, sys.argv[2:]))
os.execv(sys.argv[1], sys.argv[1:2])"""


def test_functions_with_a_parameter_for_each_value(tmp_path: Path) -> None:
    write(tmp_path, SEVERAL, standalone=True)
    printed = output(
        tmp_path,
        START
        + """int main(void) {
          double x[2] = {1.5, -3}, y[2], z[2];
          int status = model_double_call(0, x, y) | model_square_1_call(0, y, z);
          printf("%d %g %g %g %g\\n", status, y[0], y[1], z[0], z[1]);
          return 0;
        }""",
        "model.o",
    )
    assert printed == "0 3 -6 9 36\n"


def test_the_header_says_types_and_sizes(tmp_path: Path) -> None:
    source = """func.func @main(%x: tensor<2x5xbf16>) -> tensor<2x5xbf16> {
      return %x : tensor<2x5xbf16>
    }"""
    write(tmp_path, source, standalone=True)
    printed = output(
        tmp_path,
        START
        + """int main(void) {
          const int64_t sizes[] = {2, 5}, other[] = {5, 2};
          const struct shlo_tensor *x = model_main_argument(0);
          printf("%s %d %d\\n", x->type, (int)x->sizes[1], (int)MODEL_MAIN_ARGUMENT0_BYTES);
          printf("%d%d%d%d\\n", shlo_fits(x, "bf16", 2, sizes), shlo_fits(x, "bf16", 2, other),
              shlo_fits(x, "f16", 2, sizes), shlo_fits(model_main_argument(1), "bf16", 2, sizes));
          printf("%g %d\\n", shlo_bf16_to_float(shlo_bf16_from_float(-2.5f)),
              shlo_runs_here(MODEL_TARGET));
          return 0;
        }""",
        "model.o",
    )
    assert printed == "bf16 5 20\n1000\n-2.5 1\n"


def test_headers_are_also_cpp(tmp_path: Path) -> None:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    write(tmp_path, DOUBLE, standalone=True)
    (tmp_path / "main.cc").write_text(
        '#include "model.h"\n'
        "int main() { float x[4] = {1}, y[4]; return model_main_call(nullptr, x, y); }"
    )
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "main.cc", "model.o"]
    subprocess.run([*command, *LIBRARIES], cwd=tmp_path, check=True)


# --- statuses and contexts ------------------------------------------------------------------------
def test_statuses_of_addresses_and_memory(tmp_path: Path) -> None:
    """Null, what is not aligned, a workspace that is too small; and one that is large enough."""
    write(tmp_path, DOUBLE, standalone=True)
    printed = output(
        tmp_path,
        START
        + """
        static char memory[MODEL_MAIN_WORKSPACE + 64];
        int main(void) {
          float x[4] = {1, 2, 3, 4}, y[4];
          struct shlo_context *context = model_open(1);
          char *place = memory + (64 - (size_t)memory % 64);
          printf("%d ", model_main_call(context, 0, y));
          printf("%d ", model_main_call(context, (float *)((char *)x + 1), y));
          printf("%d ", model_main_call(context, x, 0));
          model_workspace(context, place, MODEL_MAIN_WORKSPACE - 1);
          printf("%d ", model_main_call(context, x, y));
          model_workspace(context, place, MODEL_MAIN_WORKSPACE);
          printf("%d ", model_main_call(context, x, y));
          printf("%g ", y[3]);
          model_workspace(context, 0, 1 << 20);
          memset(memory, 255, sizeof memory);
          printf("%d ", model_main_call(context, x, y));
          printf("%g %s\\n", y[3], shlo_message(SHLO_BAD_ADDRESS));
          model_close(context);
          model_close(0);
          model_cancel(0);
          model_workspace(0, place, 64);
          return 0;
        }""",
        "model.o",
    )
    numbers, message = printed[:24], printed[24:]
    assert numbers == "-17 -17 -17 -16 0 8 0 8 "
    assert message == ("an argument or result is null, or not aligned to its elements\n")


def test_a_call_is_cancelled_from_another_thread(tmp_path: Path) -> None:
    """The loop never ends by itself; its context then runs another call."""
    write(tmp_path, FOREVER, standalone=True)
    printed = output(
        tmp_path,
        "#define _POSIX_C_SOURCE 200809L\n#include <pthread.h>\n#include <time.h>\n"
        + START
        + """
        static void *stop(void *context) {
          struct timespec moment = {0, 100000000};
          nanosleep(&moment, 0);
          model_cancel((struct shlo_context *)context);
          return 0;
        }
        int main(void) {
          struct shlo_context *context = model_open(2);
          int64_t one = 1, zero = 0, result = 5;
          pthread_t thread;
          pthread_create(&thread, 0, stop, context);
          printf("%d ", model_main_call(context, &one, &result));
          pthread_join(thread, 0);
          printf("%d ", model_main_call(context, &zero, &result));
          printf("%d\\n", (int)result);
          model_close(context);
          return 0;
        }""",
        "model.o",
    )
    assert printed == "-1 0 0\n"


def test_contexts_have_the_threads_that_were_asked_for(tmp_path: Path) -> None:
    """0 stands for the processors that the program may run on; closing ends them."""
    write(tmp_path, DOUBLE, standalone=True)
    text = """#include <dirent.h>
    static int count(void) {
      DIR *folder = opendir("/proc/self/task");
      int tasks = 0;
      while (readdir(folder)) ++tasks;
      closedir(folder);
      return tasks - 2;
    }
    int main(void) {
      int n;
      for (n = 0; n < 4; n += 3) {
        struct shlo_context *context = model_open(n);
        printf("%d ", count());
        model_close(context);
      }
      printf("%d\\n", count());
      return 0;
    }"""
    (tmp_path / "main.c").write_text(START + text)
    compile_c(tmp_path, "main.c", "model.o")
    one = {min(os.sched_getaffinity(0))}
    for processors in (one, os.sched_getaffinity(0)):
        printed = subprocess.run(
            [sys.executable, "-c", ON_PROCESSORS, tmp_path / "main", *map(str, processors)],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert printed.stdout == f"{len(processors)} 3 1\n"


def test_all_threads_of_a_context_may_help(tmp_path: Path) -> None:
    """The frame, with which a context begins, says how many beside the calling one."""
    write(tmp_path, DOUBLE, standalone=True)
    helpers = frame.FIELDS.index("helpers")
    text = f"""int main(void) {{
      struct shlo_context *context = model_open(3);
      printf("%d %d\\n", (int)((int64_t *)context)[0], (int)((int64_t *)context)[{helpers}]);
      model_close(context);
      return 0;
    }}"""
    assert output(tmp_path, START + text, "model.o") == f"{frame.VERSION} 2\n"


def test_statuses_are_no_others_of_frames() -> None:
    ours = {number for name, number in layout.STATUS.items() if name not in frame.STATUS}
    assert not ours & set(frame.STATUS.values())


def test_one_context_for_programs_of_different_sizes(tmp_path: Path) -> None:
    """By turns: each finds its own rows in the memory, which grows."""
    for name, size in (("one", 4), ("two", 40_000)):
        write(tmp_path, DOUBLE.replace("4x", f"{size}x"), name)
    named = {name: (tmp_path / name).read_bytes() for name in ("one.o", "two.o")}
    (tmp_path / "shlo_rt.o").write_bytes(b"".join(compiling.runtime_for(named)))
    printed = output(
        tmp_path,
        START.replace("model.h", "one.h")
        + """#include "two.h"
        static float large[40000], result[40000];
        int main(void) {
          struct shlo_context *context = shlo_rt_open(2);
          float x[4] = {1, 2, 3, 4}, y[4];
          int n, status = 0;
          for (n = 0; n < 40000; ++n) large[n] = (float)n;
          for (n = 0; n < 6; ++n) {
            y[3] = result[39999] = 0;
            status |= one_main_call(context, x, y) | two_main_call(context, large, result);
            status |= y[3] != 8 || result[39999] != 79998;
          }
          printf("%d\\n", status);
          shlo_rt_close(context);
          return 0;
        }""",
        "one.o",
        "two.o",
        "shlo_rt.o",
    )
    assert printed == "0\n"


def test_threads_with_a_context_each(tmp_path: Path) -> None:
    write(tmp_path, DOUBLE, standalone=True)
    printed = output(
        tmp_path,
        "#include <pthread.h>\n"
        + START
        + """
        static void *run(void *start) {
          struct shlo_context *context = model_open(2);
          float x[4], y[4];
          long call, wrong = 0;
          for (call = 0; call < 2000; ++call) {
            x[0] = x[1] = x[2] = x[3] = (float)(call + *(long *)start);
            wrong += model_main_call(context, x, y) != 0 || y[3] != 2 * x[3];
          }
          model_close(context);
          *(long *)start = wrong;
          return 0;
        }
        int main(void) {
          pthread_t threads[4];
          long n, starts[4] = {1, 100, 1000, 5000};
          for (n = 0; n < 4; ++n) pthread_create(&threads[n], 0, run, &starts[n]);
          for (n = 0; n < 4; ++n) pthread_join(threads[n], 0);
          printf("%ld\\n", starts[0] + starts[1] + starts[2] + starts[3]);
          return 0;
        }""",
        "model.o",
    )
    assert printed == "0\n"


# --- several objects ------------------------------------------------------------------------------
_TWO_MODELS = """#include <stdio.h>
#include "one.h"
#include "two.h"
int main(void) {
  float x[4] = {1, 2, 3, 4}, y[4], z[4];
  struct shlo_context *context = one_open(2);
  int n, status = 0;
  for (n = 0; n < 3; ++n)
    status |= one_main_call(context, x, y) | two_main_call(CONTEXT, y, z);
  printf("%d %g\\n", status, z[3]);
  one_close(context);
  return 0;
}"""


def test_two_objects_that_stand_alone(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path, DOUBLE, name, standalone=True)
    text = "#define CONTEXT 0\n" + _TWO_MODELS
    assert output(tmp_path, text, "one.o", "two.o") == "0 16\n"


def test_two_objects_share_a_runtime_and_a_context(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path, DOUBLE, name)
    named = {name: (tmp_path / name).read_bytes() for name in ("one.o", "two.o")}
    (tmp_path / "shlo_rt.o").write_bytes(b"".join(compiling.runtime_for(named)))
    names = SHARED_NAMES.replace("model", "one")
    text = f"#define CONTEXT context\n{names}{_TWO_MODELS}"
    assert output(tmp_path, text, "one.o", "two.o", "shlo_rt.o") == "0 16\n"
