"""Running other people's tests: lit with our tools in place of upstream's, and pytest without lit.

``configure_lit`` is for a ``lit.cfg.py``; pytest finds ``pytest_plugin`` by itself.
"""

from __future__ import annotations

from shlo_tools.testing.lit_config import configure_lit

__all__ = ["configure_lit"]
