"""lit's configuration for test suites whose RUN lines call StableHLO's tools."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

from shlo_tools.errors import ShloError
from shlo_tools.testing import fork_server, substitutions


def configure_lit(
    config: Any,
    lit_config: Any,
    *,
    suffixes: Iterable[str] = (".mlir",),
    tools: Mapping[str, str] | None = None,
    features: Iterable[str] = (),
) -> None:
    """Set up a test suite; call it in ``lit.cfg.py`` with lit's two objects.

        from shlo_tools.testing import configure_lit

        config.name = "my-tests"
        configure_lit(config, lit_config)

    ``stablehlo-opt``, ``stablehlo-translate``, ``mlir-opt``, ``mlir-translate``, ``shlo-opt``,
    ``shlo-run``, ``shlo-reduce``, ``shlo-cache``, ``shlo-compile``, ``shlo-translate``,
    ``shlo-bench`` and ``FileCheck`` in RUN lines are replaced by what runs under lit's own
    interpreter; ``not`` is lit's. What the caller has set, stays.

    Args:
        suffixes: of the files that are tests; none for a suite whose folders say that.
        tools: further names, or other commands for these.
        features: further ones, beside installed optional packages such as ``jax``. ``asserts`` is
            none: ``%if asserts %{ ... %}`` leaves such commands out.

    lit ends with an error where there is no FileCheck.
    """
    config.environment.update(substitutions.environment())
    server = fork_server.start(config.environment)
    try:
        config.substitutions.extend(substitutions.substitutions(tools, server))
    except ShloError as error:
        lit_config.fatal(error.render())
    if config.test_format is None:
        config.test_format = importlib.import_module("lit.formats").ShTest(execute_external=False)
    if not config.suffixes:
        config.suffixes = list(suffixes)
    config.excludes = [*config.excludes, "Inputs"]
    config.available_features |= substitutions.features(features)
