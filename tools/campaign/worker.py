"""The child process of a campaign: cases come in as lines of JSON, outcomes go out as such.

It may die or hang; its parent (``children.py``) makes an outcome of that. Its memory is limited: a
program that wants ever more gets none, and an error of ours has to say so.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
from typing import Any

from shlo_tools.tools.campaign.outcome import Case, Outcome, watched
from shlo_tools.workers import limit_memory


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit_memory(int(float(sys.argv[1]) * (1 << 30)))
    talk = os.fdopen(os.dup(1), "w")  # what native code prints goes elsewhere
    os.dup2(2, 1)
    for line in sys.stdin:
        talk.write(json.dumps(_answer(json.loads(line))) + "\n")
        talk.flush()


def _answer(request: dict[str, Any]) -> Any:
    kind = importlib.import_module(f"shlo_tools.tools.campaign.{request['kind']}")
    if "draw" in request:
        return kind.case(request["draw"]).data()
    if "case" in request:
        case = Case(**request["case"])
        return _plain([watched(lambda: kind.check(case))])
    seeds = request["seeds"]
    if hasattr(kind, "check_seeds"):
        return _plain(kind.check_seeds(seeds))
    return _plain([watched(lambda seed=seed: kind.check(kind.case(seed))) for seed in seeds])  # type: ignore[misc]


def _plain(outcomes: list[Outcome]) -> list[list[str]]:
    return [[outcome.status, outcome.detail] for outcome in outcomes]


if __name__ == "__main__":
    main()
