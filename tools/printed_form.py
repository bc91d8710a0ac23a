"""How IR is printed: options of commands as those of the bindings."""

from __future__ import annotations

import sys
from typing import Any, Protocol


class PrintedForm(Protocol):
    """What was asked for: options of commands, without the ``mlir-`` before them."""

    @property
    def print_op_generic(self) -> bool: ...
    @property
    def print_debuginfo(self) -> bool: ...
    @property
    def print_local_scope(self) -> bool: ...
    @property
    def print_assume_verified(self) -> bool: ...
    @property
    def print_skip_regions(self) -> bool: ...
    @property
    def pretty_debuginfo(self) -> bool: ...
    @property
    def use_nameloc_as_prefix(self) -> bool: ...
    @property
    def elide_elementsattrs_if_larger(self) -> int | None: ...
    @property
    def elide_resource_strings_if_larger(self) -> int | None: ...


def asm_options(request: PrintedForm) -> dict[str, Any]:
    """How IR is printed, as options of ``get_asm``."""
    return {
        "print_generic_op_form": request.print_op_generic,
        "assume_verified": request.print_assume_verified,
        "skip_regions": request.print_skip_regions,
        "use_local_scope": request.print_local_scope,
        "enable_debug_info": request.print_debuginfo,
        "pretty_debug_info": request.pretty_debuginfo,
        "use_name_loc_as_prefix": request.use_nameloc_as_prefix,
        "large_elements_limit": request.elide_elementsattrs_if_larger,
        "large_resource_limit": _resource_limit(request),
    }


def _resource_limit(request: PrintedForm) -> int | None:
    """Resources have a limit of their own; that of elements is only the bindings' default."""
    limit = request.elide_resource_strings_if_larger
    unlimited = request.elide_elementsattrs_if_larger is None
    return limit if unlimited or limit is not None else sys.maxsize
