"""Programs that loop, for ever if wanted, or fail; and how tests look at what runs."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Runs for ever where %n is negative, else %n times; the result counts.
COUNT = """
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r:2 = stablehlo.while(%i = %n, %c = %zero) : tensor<i64>, tensor<i64>
  cond {
    %go = stablehlo.compare NE, %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i64>
    %d = stablehlo.add %c, %one : tensor<i64>
    stablehlo.return %next, %d : tensor<i64>, tensor<i64>
  }
  return %r#1 : tensor<i64>
}"""

# In each a value of %limit or more is refused, by a check at another place.
CHECK = """
    %ok = stablehlo.compare LT, %x, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %bit = tensor.extract %ok[] : tensor<i1>
    cf.assert %bit, "too large" loc("model.py":12:3)"""
LOOP = """
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<i32>
  cond {
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    BODY
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %y = stablehlo.add %x, %one : tensor<i32>
    stablehlo.return %next, %y : tensor<i32>, tensor<i32>
  }"""
THREE = "%a: tensor<i32>, %limit: tensor<i32>, %n: tensor<i32>"
TYPES = "tensor<i32>, tensor<i32>, tensor<i32>"
CHECKED = {
    "at top level": f"""
      func.func @main({THREE}) -> tensor<i32> {{
        {CHECK.replace("%x", "%a")}
        %r = stablehlo.add %a, %n : tensor<i32>
        return %r : tensor<i32>
      }}""",
    "in a loop": f"""
      func.func @main({THREE}) -> tensor<i32> {{
        {LOOP.replace("BODY", CHECK)}
        return %r#1 : tensor<i32>
      }}""",
    "in a function": f"""
      func.func private @inner({THREE}) -> tensor<i32> attributes {{no_inline}} {{
        {CHECK.replace("%x", "%a")}
        %r = stablehlo.add %a, %n : tensor<i32>
        return %r : tensor<i32>
      }}
      func.func @main({THREE}) -> tensor<i32> {{
        %0 = func.call @inner(%a, %limit, %n) : ({TYPES}) -> tensor<i32>
        return %0 : tensor<i32>
      }}""",
    "in a loop in a function": f"""
      func.func private @inner({THREE}) -> tensor<i32> attributes {{no_inline}} {{
        {LOOP.replace("BODY", CHECK)}
        return %r#1 : tensor<i32>
      }}
      func.func @main({THREE}) -> tensor<i32> {{
        %0 = func.call @inner(%a, %limit, %n) : ({TYPES}) -> tensor<i32>
        return %0 : tensor<i32>
      }}""",
    "in a function called in a loop": f"""
      func.func private @inner({THREE}) attributes {{no_inline}} {{
        {CHECK.replace("%x", "%a")}
        return
      }}
      func.func @main({THREE}) -> tensor<i32> {{
        {LOOP.replace("BODY", f"func.call @inner(%x, %limit, %n) : ({TYPES}) -> ()")}
        return %r#1 : tensor<i32>
      }}""",
    "in a loop in a loop": f"""
      func.func @main({THREE}) -> tensor<i32> {{
        %least = stablehlo.constant dense<0> : tensor<i32>
        %step = stablehlo.constant dense<1> : tensor<i32>
        %s:2 = stablehlo.while(%k = %step, %v = %a) : tensor<i32>, tensor<i32>
        cond {{
          %more = stablehlo.compare GT, %k, %least : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %more : tensor<i1>
        }} do {{
          {LOOP.replace("BODY", CHECK)}
          %fewer = stablehlo.subtract %k, %step : tensor<i32>
          stablehlo.return %fewer, %r#1 : tensor<i32>, tensor<i32>
        }}
        return %s#1 : tensor<i32>
      }}""",
}


def resident_bytes() -> int:
    gc.collect()
    match = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert match
    return int(match[1]) << 10


def child(code: str, *, interrupt_after: float | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python code in a child; send it SIGINT some seconds after it says "ready"."""
    script = f"COUNT = {COUNT!r}\n{textwrap.dedent(code)}"
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    if interrupt_after is not None:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(interrupt_after)
        os.kill(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
