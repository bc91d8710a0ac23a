"""The functions are those of XLA's operation semantics, each documented and tested."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from shlo_tools.ops import xla

# The document's headings in order, with the functions of those that stand for several.
BINARY = ["Add", "Sub", "Mul", "Div", "Rem", "Max", "Min", "LogicalAnd", "LogicalOr"]
COMPARISONS = ["Eq", "Ne", "Ge", "Gt", "Le", "Lt"]
COMPARISONS += [f"{name}TotalOrder" for name in COMPARISONS]
UNARY_NAMES = """
    Abs Ceil Cos Exp Floor Imag IsFinite Log LogicalNot Logistic PopulationCount Neg Real
    Rsqrt Sign Sqrt Cbrt Tanh Round RoundNearestEven
"""
UNARY = UNARY_NAMES.split()
HEADINGS = [
    *("AfterAll", "AllGather", "AllReduce", "AllToAll"),
    *("BatchNormGrad", "BatchNormInference", "BatchNormTraining"),
    *("BitcastConvertType", "Broadcast", "BroadcastInDim", "Call", "Cholesky", "Clamp"),
    *("Collapse", "CollectivePermute", "Concatenate", "Conditional"),
    *("Conv (convolution)", "ConvWithGeneralPadding (convolution)", "ConvertElementType"),
    *("CrossReplicaSum", "CustomCall", "Dot", "DotGeneral", "DynamicSlice"),
    "DynamicUpdateSlice",
    "Element-wise binary arithmetic operations",
    "Element-wise comparison operations",
    "Element-wise unary functions",
    *("Fft", "Gather", "GetDimensionSize", "SetDimensionSize", "GetTupleElement", "Infeed"),
    *("Iota", "Map", "OptimizationBarrier", "Pad", "Recv", "Reduce", "ReducePrecision"),
    *("ReduceScatter", "ReduceWindow", "ReplicaId", "Reshape", "Rev (reverse)"),
    *("RngNormal", "RngUniform", "RngBitGenerator", "Scatter", "Select", "SelectAndScatter"),
    *("Send", "Slice", "Sort", "Transpose", "TriangularSolve", "Tuple", "While"),
]
SEVERAL = {
    "Element-wise binary arithmetic operations": BINARY,
    "Element-wise comparison operations": COMPARISONS,
    "Element-wise unary functions": UNARY,
    "Recv": ["Recv", "RecvDone"],
    "Send": ["Send", "SendDone"],
}

# XlaBuilder has these, or the document's examples do; none has a section of its own.
BESIDE_NAMES = """
    Parameter ConstantLiteral ConstantR0 ConstantR1 ConstantR2 ConcatInDim SliceInDim PadInDim
    ReduceAll And Or Xor Not ShiftLeft ShiftRightArithmetic ShiftRightLogical Pow Atan2 Complex
    Conj Clz Sin Tan Expm1 Log1p Erf TopK ApproxTopK Einsum ConvGeneral ConvGeneralDilated
    ConvWithGeneralDimensions ReduceWindowWithGeneralPadding SelectAndScatterWithGeneralPadding
    CollectiveBroadcast CreateToken Outfeed SendToHost RecvFromHost DynamicReshape
    RemoveDynamicDimension CustomCallWithComputation RaggedAllToAll StochasticConvertType SparseDot
    ScaledDot DynamicConvInputGrad DynamicConvKernelGrad RngGetAndUpdateState
    CreateDefaultConvDimensionNumbers InfeedWithToken OutfeedWithToken RecvWithToken
    SendWithToken CompositeCall AsyncStart AsyncUpdate AsyncDone Scan RaggedDot
"""
BESIDE = BESIDE_NAMES.split()
ARGUMENTS = {
    *("Padding", "PaddingConfig", "PaddingConfigDimension"),
    *("ConvolutionDimensionNumbers", "DotDimensionNumbers"),
    "RaggedDotDimensionNumbers",
}


def test_every_heading_has_its_functions_in_the_documents_order() -> None:
    names = [
        name for heading in HEADINGS for name in SEVERAL.get(heading, [heading.partition(" ")[0]])
    ]
    assert xla.__all__[: len(names)] == names


def test_what_has_no_heading_is_listed() -> None:
    documented = {name for names in SEVERAL.values() for name in names}
    documented |= {h.partition(" ")[0] for h in HEADINGS if not h.startswith("Element-wise")}
    assert set(xla.__all__) - documented == set(BESIDE) | ARGUMENTS
    assert len(xla.__all__) == len(set(xla.__all__))


@pytest.mark.parametrize("name", xla.__all__)
def test_every_function_is_documented_and_typed(name: str) -> None:
    function = getattr(xla, name)
    assert inspect.getdoc(function)
    if name not in ARGUMENTS:
        parameters = inspect.signature(function).parameters.values()
        assert all(p.annotation is not inspect.Parameter.empty for p in parameters)
        assert inspect.signature(function).return_annotation is not inspect.Signature.empty


def test_every_function_has_a_test() -> None:
    folder = Path(__file__).parent
    texts = [path.read_text() for path in folder.rglob("test_*.py") if path != Path(__file__)]
    calls = set(re.findall(r"\bxla\.(\w+)|\(\"(\w+)\", ", "\n".join(texts)))
    used = {name for pair in calls for name in pair if name}
    assert not set(xla.__all__) - used
