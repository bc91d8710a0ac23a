"""A program for each thing that StableHLO got with a version: refused before it, accepted from it.

The versions are those that VHLO's documentation names.
"""

from __future__ import annotations

_TENSOR = "func.func @main(%a: tensor<2x{0}>) {{ func.return }}"
_UNARY = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{
  %0 = "stablehlo.{0}"(%a) {{result_accuracy = #stablehlo.result_accuracy<ulps = 2,
    mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}}"""
_REDUCTION = """func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<f64> {
  %0 = "stablehlo.reduce"(%a, %z) ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %1 = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f64>
  func.return %0 : tensor<f64>
}"""
_ALL_REDUCE = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %1 = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf64>
  func.return %0 : tensor<4xf64>
}"""
_REDUCE_SCATTER = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %1 = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}
    : (tensor<4xf32>) -> tensor<4xf64>
  func.return %0 : tensor<4xf64>
}"""
_REDUCE_WINDOW = """func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<3xf64> {
  %0 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %1 = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf64>
  func.return %0 : tensor<3xf64>
}"""
_COMPOSITE = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "my.op" %a {decomposition = @f} : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> { func.return %a : tensor<2xf32> }"""
_GATHER = """func.func @main(%a: tensor<3x4xf32>, %i: tensor<3x2x1xi64>) -> tensor<3x2xf32> {
  %0 = "stablehlo.gather"(%a, %i) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0],
      start_index_map = [1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>} : (tensor<3x4xf32>, tensor<3x2x1xi64>) -> tensor<3x2xf32>
  func.return %0 : tensor<3x2xf32>
}"""
_DYNAMIC_GATHER = """func.func @main(%a: tensor<3x4xf32>, %i: tensor<3x2x1xi64>,
                                             %s: tensor<2xi64>) -> tensor<3x2xf32> {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0],
      start_index_map = [1], index_vector_dim = 2>}
    : (tensor<3x4xf32>, tensor<3x2x1xi64>, tensor<2xi64>) -> tensor<3x2xf32>
  func.return %0 : tensor<3x2xf32>
}"""
_SCATTER = """func.func @main(%a: tensor<3x4xf32>, %i: tensor<3x2x1xi64>,
                                      %u: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1],
      input_batching_dims = [0], scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}
    : (tensor<3x4xf32>, tensor<3x2x1xi64>, tensor<3x2xf32>) -> tensor<3x4xf32>
  func.return %0 : tensor<3x4xf32>
}"""
_DICTIONARY = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = {x = 1 : i64}}
    : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}"""
_TAN = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tan %a : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}"""
_ALL_GATHER = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.all_gather"(%a, %b) {all_gather_dim = 0 : i64,
    replica_groups = dense<0> : tensor<1x1xi64>}
    : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}"""
_ALL_TO_ALL = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.all_to_all"(%a, %b) {split_dimension = 0 : i64, concat_dimension = 0 : i64,
    split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}
    : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}"""
_ALL_REDUCE_TWO = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.all_reduce"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>}
    : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}"""
_DOT_ALGORITHM = """func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0],
    algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32,
      lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
      allow_imprecise_accumulation = false>
    : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %0 : tensor<2x2xf32>
}"""
_COLLECTIVE_BROADCAST = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<0> : tensor<1x1xi64>}
    : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}"""
_SEND = """func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
    : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  func.return %0 : !stablehlo.token
}"""
_SELECT_AND_SCATTER = """func.func @main(%a: tensor<4xf32>, %s: tensor<2xf32>,
                                                %z: tensor<f32>) -> tensor<4xf64> {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    stablehlo.return %y : tensor<f64>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}
    : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf64>
  func.return %0 : tensor<4xf64>
}"""
_SCATTER_WIDER = """func.func @main(%a: tensor<4xf32>, %i: tensor<1xi64>,
                                            %u: tensor<f32>) -> tensor<4xf64> {
  %0 = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    stablehlo.return %y : tensor<f64>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}
    : (tensor<4xf32>, tensor<1xi64>, tensor<f32>) -> tensor<4xf64>
  func.return %0 : tensor<4xf64>
}"""
_RECV = """func.func @main(%t: !stablehlo.token) -> !stablehlo.token {
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
    : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  func.return %0#1 : !stablehlo.token
}"""
_BUFFER = """func.func @main(%a: memref<2xf32>) -> memref<2xf32> {
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", api_version = 4 : i32,
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
      operand_index = 0, operand_tuple_indices = []>]} : (memref<2xf32>) -> memref<2xf32>
  func.return %0 : memref<2xf32>
}"""
_COMPOSITE_REGION = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.composite"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    stablehlo.return %x : tensor<2xf32>
  }) {name = "my.op", decomposition = @f} : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> { func.return %a : tensor<2xf32> }"""
_ASYNC = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %2 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<0> : tensor<1x1xi64>}
      : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}"""
_FUTURE = """func.func @main(%a: !stablehlo.future<tensor<2xf32>>) -> tensor<2xf32> {
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f"}
    : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}"""
_COLLECTIVE_REDUCE = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}"""
_MESH = """func.func @main() attributes {
  x.y = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>
} { func.return }"""
_TILINGS = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f",
    result_tilings = [[dense<[8]> : tensor<1xindex>]]} : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}"""
_QUANTIZED = "!quant.uniform<i8:f32:0, {1.0, 2.0}>"

# (version, what is new, program)
ROWS = (
    ("0.10.0", "f8E4M3FNUZ", _TENSOR.format("f8E4M3FNUZ")),
    ("0.10.0", "f8E5M2FNUZ", _TENSOR.format("f8E5M2FNUZ")),
    ("0.11.0", "f8E4M3B11FNUZ", _TENSOR.format("f8E4M3B11FNUZ")),
    ("0.16.0", "collective_broadcast", _COLLECTIVE_BROADCAST),
    ("0.17.0", "reduce", _REDUCTION),
    ("0.17.0", "all_reduce", _ALL_REDUCE),
    ("0.17.0", "reduce_scatter", _REDUCE_SCATTER),
    ("0.17.0", "reduce_window", _REDUCE_WINDOW),
    ("0.17.0", "select_and_scatter", _SELECT_AND_SCATTER),
    ("0.17.0", "scatter of another type", _SCATTER_WIDER),
    ("0.18.0", "quantized per axis", _TENSOR.format(_QUANTIZED)),
    ("0.19.0", "composite", _COMPOSITE),
    ("1.1.0", "gather", _GATHER),
    ("1.1.0", "dynamic_gather", _DYNAMIC_GATHER),
    ("1.1.0", "scatter", _SCATTER),
    ("1.2.0", "i2", _TENSOR.format("i2")),
    ("1.2.0", "ui2", _TENSOR.format("ui2")),
    ("1.3.0", "custom_call", _DICTIONARY),
    ("1.4.0", "tan", _TAN),
    ("1.5.0", "all_gather", _ALL_GATHER),
    ("1.5.0", "all_to_all", _ALL_TO_ALL),
    ("1.5.0", "all_reduce of several", _ALL_REDUCE_TWO),
    ("1.6.0", "dot_general", _DOT_ALGORITHM),
    ("1.6.0", "none", "module { func.func @main() attributes {x.y = none} { func.return } }"),
    ("1.6.0", "tf32", _TENSOR.format("tf32")),
    ("1.7.0", "f8E4M3", _TENSOR.format("f8E4M3")),
    ("1.7.0", "f8E3M4", _TENSOR.format("f8E3M4")),
    ("1.8.0", "f4E2M1FN", _TENSOR.format("f4E2M1FN")),
    ("1.8.0", "f6E2M3FN", _TENSOR.format("f6E2M3FN")),
    ("1.8.0", "f6E3M2FN", _TENSOR.format("f6E3M2FN")),
    ("1.8.0", "f8E8M0FNU", _TENSOR.format("f8E8M0FNU")),
    ("1.9.0", "exponential", _UNARY.format("exponential")),
    *(
        ("1.10.0", name, _UNARY.format(name))
        for name in (
            *("cbrt", "cosine", "exponential_minus_one", "log", "log_plus_one", "logistic"),
            *("rsqrt", "sine", "sqrt", "tan", "tanh"),
        )
    ),
    ("1.12.0", "send", _SEND),
    ("1.12.0", "recv", _RECV),
    ("1.13.0", "buffer", _BUFFER),
    ("1.14.0", "composite with a region", _COMPOSITE_REGION),
    ("1.15.0", "async_start", _ASYNC),
    ("1.16.0", "mesh", _MESH),
    ("1.17.0", "custom_call of a future", _FUTURE),
    ("1.18.0", "custom_call with result_tilings", _TILINGS),
    ("1.19.0", "collective_reduce", _COLLECTIVE_REDUCE),
)
