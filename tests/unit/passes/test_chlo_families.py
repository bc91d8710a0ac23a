"""Families of CHLO's rules are loaded when they are needed, and no rule is missed."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import importlib, sys

PACKAGE = "shlo_tools.passes.normalize.legalize_chlo"

def fresh():
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]
    return [importlib.import_module(f"{PACKAGE}.{part}") for part in ("families", "rules")]

families, rules = fresh()
every = list(families.rules())
known = [set(table) for table in (rules.REAL, rules.COMPLEX)]
assert len(every) > 45
for name in every:
    families, rules = fresh()
    assert name in families.rules([name]), name
    alone = [name.removeprefix("chlo.") in table for table in (rules.REAL, rules.COMPLEX)]
    assert alone == [name.removeprefix("chlo.") in table for table in known], name
families, rules = fresh()
families.rules(["chlo.top_k"])
assert len(rules.RULES) == 1
"""


def test_an_op_has_its_rules_without_other_families() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
