"""The custom_call targets that exporters emit for CPUs."""

from __future__ import annotations
