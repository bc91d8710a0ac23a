"""What is known of sizes before a program runs: shapes as expressions of its arguments' sizes.

``Shapes`` walks a function and gives every value a type whose unknown sizes are expressions, by the
op functions of ``ops``; small integer tensors, from which programs compute shapes, are followed
element by element. What the ops demand of sizes and nothing proves is collected as obligations;
what an op demands is known to hold after it.
"""

from shlo_tools.shapes.analysis import Shapes
from shlo_tools.shapes.kinds import kind_of
from shlo_tools.shapes.sources import Element, Extent
from shlo_tools.shapes.state import Unproven
from shlo_tools.shapes.values import listed
from shlo_tools.shapes.walk import NEVER

__all__ = [
    "NEVER",
    "Element",
    "Extent",
    "Shapes",
    "Unproven",
    "kind_of",
    "listed",
]
