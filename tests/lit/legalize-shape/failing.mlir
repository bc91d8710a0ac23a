// What is known to fail is an error with its message; what cannot be rewritten is named.
// RUN: %shlo-opt %s --shlo-legalize-shape --split-input-file --verify-diagnostics

func.func @broadcastable(%x: tensor<2x3xf32>, %y: tensor<?x4xf32>) {
  %a = shape.shape_of %x : tensor<2x3xf32> -> tensor<2xindex>
  %b = shape.shape_of %y : tensor<?x4xf32> -> tensor<2xindex>
  // expected-error @+1 {{required broadcastable shapes: [2, 3] and [?, 4]}}
  %w = shape.cstr_broadcastable %a, %b : tensor<2xindex>, tensor<2xindex>
  return
}

// -----

func.func @equal() {
  %a = shape.const_shape [2] : !shape.shape
  %b = shape.const_shape [2, 1] : !shape.shape
  // expected-error @+1 {{required equal shapes: [2] and [2, 1]}}
  %w = shape.cstr_eq %a, %b : !shape.shape, !shape.shape
  return
}

// -----

func.func @required() {
  %no = arith.constant false
  // expected-error @+1 {{at least one}}
  %w = shape.cstr_require %no, "at least one"
  return
}

// -----

func.func @witness(%x: tensor<f32>) -> tensor<f32> {
  %w = shape.const_witness false
  %good = shape.const_witness true
  %all = shape.assuming_all %good, %w
  // expected-error @+1 {{shape.assuming: shape.const_witness is false: its region must never run}}
  %0 = shape.assuming %all -> (tensor<f32>) {
    shape.assuming_yield %x : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// An invalid shape is an error where it leaves, of the op that made it, with its message.
func.func @invalid() -> !shape.size {
  %a = shape.const_shape [2] : !shape.shape
  %b = shape.const_shape [3] : !shape.shape
  // expected-error @+1 {{two lengths}}
  %0 = shape.broadcast %a, %b {error = "two lengths"} : !shape.shape, !shape.shape -> !shape.shape
  %1 = shape.concat %0, %a : !shape.shape, !shape.shape -> !shape.shape
  %2 = shape.rank %1 : !shape.shape -> !shape.size
  return %2 : !shape.size
}

// -----

// Nobody asks for this one.
func.func @unused() -> i1 {
  %a = shape.const_shape [2] : !shape.shape
  %b = shape.const_shape [3] : !shape.shape
  %0 = shape.broadcast %a, %b : !shape.shape, !shape.shape -> !shape.shape
  %1 = shape.is_broadcastable %a, %b : !shape.shape, !shape.shape
  return %1 : i1
}

// -----

func.func @split() -> (!shape.shape, !shape.shape) {
  %a = shape.const_shape [4, 5, 6] : !shape.shape
  %i = arith.constant -4 : index
  // expected-error @+1 {{shape.split_at: index -4 is outside of [-3, 3]}}
  %0, %1 = "shape.split_at"(%a, %i) : (!shape.shape, index) -> (!shape.shape, !shape.shape)
  return %0, %1 : !shape.shape, !shape.shape
}

// -----

func.func @extent(%x: tensor<?x3xf32>) -> index {
  %i = arith.constant 2 : index
  // expected-error @+1 {{shape.dim: index 2 is outside of a shape of rank 2}}
  %0 = shape.dim %x, %i : tensor<?x3xf32>, index -> index
  return %0 : index
}

// -----

func.func @rank() -> tensor<2xindex> {
  %a = shape.const_shape [4, 5, 6] : !shape.shape
  // expected-error @+1 {{shape.to_extent_tensor: a shape of rank 3, not of 2}}
  %0 = shape.to_extent_tensor %a : !shape.shape -> tensor<2xindex>
  return %0 : tensor<2xindex>
}

// -----

func.func @unknown_size() -> !shape.size {
  %a = shape.const_shape [4, -1] : !shape.shape
  // expected-error @+1 {{a size of the shape [4, ?] is unknown}}
  %0 = shape.num_elements %a : !shape.shape -> !shape.size
  return %0 : !shape.size
}

// -----

func.func @loop(%s: !shape.shape, %n: index) {
  %c = arith.constant true
  // expected-error @+1 {{not supported: scf.if (i1) -> index: dialect 'scf' beside shapes}}
  %0 = scf.if %c -> (index) {
    scf.yield %n : index
  } else {
    scf.yield %n : index
  }
  return
}

// -----

// expected-error @+1 {{!shape.witness in the signature of a public function}}
func.func @witness_from_outside(%w: !shape.witness) {
  return
}

// -----

func.func @name(%a: tensor<2xf32>) {
  // expected-error @+1 {{the shape dialect has no op 'shape.shapes_of'}}
  %0 = "shape.shapes_of"(%a) : (tensor<2xf32>) -> !shape.shape
  return
}

// -----

// MLIR does not verify this op, whatever it is given.
func.func @three(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{shape.join takes two shapes or two sizes, and gives one}}
  %0 = "shape.join"(%x, %x, %x) : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @mixed(%x: index) -> !shape.shape {
  // expected-error @+1 {{shape.join takes two shapes or two sizes, and gives one}}
  %0 = "shape.join"(%x, %x) : (index, index) -> !shape.shape
  return %0 : !shape.shape
}
