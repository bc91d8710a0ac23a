"""The names of the ``shape`` dialect: MLIR takes any other in the generic form, too.

%0 = "shape.braodcast"(%a, %b) : (!shape.shape, !shape.shape) -> !shape.shape
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

PREFIX = "shape."

# ``join`` is what ``meet`` was called: MLIR reads it in the generic form only.
_NAMES = """
add any assuming assuming_all assuming_yield broadcast concat const_shape const_size const_witness
cstr_broadcastable cstr_eq cstr_require debug_print dim div from_extent_tensor from_extents func
function_library get_extent index_to_size is_broadcastable join max meet min mul num_elements rank
reduce return shape_eq shape_of size_to_index split_at to_extent_tensor value_as_shape value_of
with_shape yield
"""
OP_NAMES = tuple(f"{PREFIX}{name}" for name in _NAMES.split())


def concerns(op: Any) -> bool:
    """Whether an op is one of the dialect, or a function with its types in the signature."""
    if op.name == "func.func":
        return "!shape." in str(op.attributes["function_type"])
    return bool(op.name.startswith(PREFIX))


SIZE_OPS = frozenset(("tensor.dim", "tensor.from_elements"))


def sizes_beside(ops: Iterable[Any]) -> bool:
    """Whether tensor ops compute sizes beside StableHLO, as exporters do without the dialect."""
    names = {op.name for op in ops}
    return not names.isdisjoint(SIZE_OPS) and any(n.startswith("stablehlo.") for n in names)
