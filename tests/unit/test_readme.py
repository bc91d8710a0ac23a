"""The README's Python runs as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


def test_a_program_is_built_and_run(tmp_path: Path) -> None:
    script = tmp_path / "build.py"
    script.write_text(
        BLOCKS[0] + "\nimport sys; sys.exit(0 if 'stablehlo.tanh' in str(module) else 3)"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=ENVIRONMENT
    )
    assert done.returncode == 0, done.stderr
    assert "0.76159" in done.stdout  # tanh(1)


def test_the_pass_counts(tmp_path: Path) -> None:
    plugin, model = tmp_path / "count_ops.py", tmp_path / "model.mlir"
    plugin.write_text(BLOCKS[1])
    model.write_text(
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.add %a, %a : tensor<2xf32>\n"
        "  %1 = stablehlo.add %0, %a : tensor<2xf32>\n"
        "  return %1 : tensor<2xf32>\n}"
    )
    command = [
        *(sys.executable, "-m", "shlo_tools.tools.opt", str(model)),
        f"--load-pass-plugin={plugin}",
        "--pass-pipeline=builtin.module(count-ops{only=stablehlo.add})",
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "2"


def test_programs_of_several_processes_print_what_their_comments_say(tmp_path: Path) -> None:
    blocks = [block for block in BLOCKS if "print(shlo_tools.run_s" in block]
    assert len(blocks) == 2
    for block in blocks:
        script = tmp_path / "processes.py"
        script.write_text(block)
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, env=ENVIRONMENT
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.strip() == block.strip().rpartition("  # ")[2]
