"""Quantized tensors among MLIR's types, and what they are stored as."""

from __future__ import annotations

import re

from shlo_tools import mlir
from shlo_tools.dtypes import QuantizedElementType, TensorType, parse_tensor_type
from shlo_tools.element_types import QUANTIZED, UNIFORM, storage_named


def quantized_element(type: object) -> QuantizedElementType | None:
    """How the integers of a tensor type, MLIR's or ours, are to be read; None for any other type.

    Raises:
        ShloError: it is quantized neither per tensor nor per axis.
    """
    if not isinstance(type, TensorType):
        if not is_quantized(type):
            return None
        type = parse_tensor_type(str(type))
    element = type.element_type
    return element if isinstance(element, QuantizedElementType) else None


def storage_spelling(text: str) -> str:
    """A type's spelling with storage types in place of quantized ones, as far as they are known."""
    return re.sub(UNIFORM, lambda match: str(storage_named(match[1]) or match[0]), text)


def stored_type(type: mlir.Type) -> mlir.Type:
    """A type with integers in place of quantized elements, in tuples and functions too."""
    return mlir.parse_type(storage_spelling(str(type))) if holds_quantized(type) else type


def holds_quantized(type: object) -> bool:
    """Whether elements are quantized in a type: of a tensor, in a tuple, of a function."""
    return QUANTIZED in str(type)


def is_quantized(type: object) -> bool:
    """Whether a type, or its spelling, is that of a quantized tensor."""
    text = str(type)
    return text.startswith("tensor<") and QUANTIZED in text
