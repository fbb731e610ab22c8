// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of kernels.

// Entries of dims are #tc.dim.
func.func @entries_dims_tcdim(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op has the dimension 4 : i64; expected a #tc.dim}}
  %r = tc.kernel "k" pointwise dims [4] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
  }
  return
}

// -----

// Dimensions have names of their own.
func.func @dimensions_names_their_own(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op has two dimensions named 'i'}}
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// The vector dimension is one of the kernel.
func.func @vector_dimension_one_kernel(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op has a #tc.loop_schedule with vector_dim 2; expected one of its 2 dimensions}}
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] schedule #tc.loop_schedule<vector_dim = 2> ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A body holds stages only.
func.func @body_holds_stages_only(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    // expected-error @+1 {{'tc.empty' op is no stage of a tc.kernel; expected an access, a pointwise op on scalars, or a stage}}
    %z = tc.empty : tensor<4xf32>
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// Parallel dimensions are written.
func.func @parallel_dimensions_written(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op calls dimension 'k' parallel, but no tc.write varies over it}}
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>, #tc.dim<"k", parallel, 2>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// Reduced dimensions are not written.
func.func @reduced_dimensions_written(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op calls dimension 'j' reduced, but a tc.write varies over it}}
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// An access has the element type.
func.func @access_element_type(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    // expected-error @+1 {{'tc.read' op accesses elements of 'f32' as 'f64'}}
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f64
    %w = tc.cast %v : f64 to f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A map goes from the dimensions to the buffer.
func.func @map_goes_from_dimensions_buffer(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    // expected-error @+1 {{'tc.read' op has a map of 1 dimensions and 2 results; expected 2 (the kernel's dimensions and the indices) and 2 (the buffer's rank)}}
    %v = tc.read %a[affine_map<(d0) -> (d0, d0)>] : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A map has a result a dimension of the buffer.
func.func @map_result_dimension_buffer(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    // expected-error @+1 {{'tc.write' op has a map of 2 dimensions and 1 results; expected 2 (the kernel's dimensions and the indices) and 2 (the buffer's rank)}}
    tc.write %v, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// Symbols of a map are of the kernel.
func.func @symbols_map_kernel(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    // expected-error @+1 {{'tc.read' op has a map of 1 symbols; the kernel has 0}}
    %v = tc.read %a[affine_map<(d0, d1)[s0] -> (d0, d1)>] : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A set is over the dimensions.
func.func @set_over_dimensions(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    // expected-error @+1 {{'tc.read' op has a set of 1 dimensions; the kernel has 2}}
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] within affine_set<(d0) : (d0 >= 0)> : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// An index is one expression over the dimensions.
func.func @index_one_expression_over_dimensions(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    // expected-error @+1 {{'tc.index' op has a map of 2 dimensions and 2 results; expected 2 and 1}}
    %i = tc.index affine_map<(d0, d1) -> (d0, d1)> : i64
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// Within is over the dimensions.
func.func @within_over_dimensions(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    // expected-error @+1 {{'tc.within' op has a set of 1 dimensions; the kernel has 2}}
    %i = tc.within affine_set<(d0) : (d0 >= 0)> : i1
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// Reduced dimensions are of the kernel.
func.func @reduced_dimensions_kernel(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    // expected-error @+1 {{'tc.reduce_stage' op is over [2]; expected distinct dimensions below 2}}
    %s = tc.reduce_stage sum %v over [2] : f32 -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// Reduced dimensions are distinct.
func.func @reduced_dimensions_distinct(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    // expected-error @+1 {{'tc.reduce_stage' op is over [1, 1]; expected distinct dimensions below 2}}
    %s = tc.reduce_stage sum %v over [1, 1] : f32 -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A reduction has the results of its kind.
func.func @reduction_results_its_kind(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    // expected-error @+1 {{'tc.reduce_stage' op of kind argmax has results 'f32'; expected 'f32', 'i64'}}
    %s = tc.reduce_stage argmax %v over [1] : f32 -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A contraction multiplies equal types.
func.func @contraction_multiplies_equal_types(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %w = tc.cast %v : f32 to f64
    // expected-error @+1 {{'tc.contract_stage' op multiplies 'f32' and 'f64' to 'f32'; expected equal operands and the result 'f32'}}
    %s = tc.contract_stage %v, %w over [1] : f32, f64 -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A contraction of bf16 gives f32.
func.func @contraction_bf16_gives_f32(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %w = tc.cast %v : f32 to bf16
    // expected-error @+1 {{'tc.contract_stage' op multiplies 'bf16' and 'bf16' to 'bf16'; expected equal operands and the result 'f32'}}
    %s = tc.contract_stage %w, %w over [1] : bf16, bf16 -> bf16
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A scan is along a dimension.
func.func @scan_along_dimension(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    // expected-error @+1 {{'tc.scan_stage' op is over [2]; expected distinct dimensions below 2}}
    %s = tc.scan_stage sum %v along 2 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A sort keeps the type.
func.func @sort_keeps_type(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    // expected-error @+1 {{'tc.sort_stage' op sorts 'f32' to 'f64'}}
    %s, %i = tc.sort_stage %v along 1 : f32 -> f64, i64
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// A result has the type of its out.
func.func @result_type(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op has a result of type 'tensor<8x4xf32>' for an out of type 'tensor<4x8xf32>'}}
  %r = "tc.kernel"(%x, %y) <{name = "k", kernelClass = #tc<kernel_class pointwise>, dims = [], symbols = [], operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>):
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Arguments are bound to operands of their type.
func.func @argument_type(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op binds an operand of type 'tensor<4x8xf32>' to an argument of type 'tensor<8x4xf32>'}}
  %r = "tc.kernel"(%x, %y) <{name = "k", kernelClass = #tc<kernel_class pointwise>, dims = [], symbols = [], operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%a: tensor<8x4xf32>, %o: tensor<4x8xf32>):
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Each operand is bound.
func.func @argument_count(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op has 1 body arguments; expected one for each of its 2 operands}}
  %r = "tc.kernel"(%x, %y) <{name = "k", kernelClass = #tc<kernel_class pointwise>, dims = [], symbols = [], operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%a: tensor<4x8xf32>):
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Tensors have results, memrefs none.
func.func @result_count(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op has 0 results; expected 1}}
  "tc.kernel"(%x, %y) <{name = "k", kernelClass = #tc<kernel_class pointwise>, dims = [], symbols = [], operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>):
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}

// -----

// Tensors and memrefs do not mix.
func.func @mixed(%x: tensor<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @+1 {{'tc.kernel' op mixes tensors and memrefs; expected either}}
  tc.kernel "k" pointwise dims [] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : memref<4x8xf32>) {
  }
  return
}

// -----

// Classes are those of the enum.
func.func @kernel_class(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{no kernel class is named 'matmul'}}
  tc.kernel "k" matmul dims [] ins(%a = %x : tensor<4x8xf32>) {
  }
  return
}

// -----

// Dimensions have points, or none.
func.func @negative_dim(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.kernel' op has a dimension 'i' of size -4; expected at least 0}}
  tc.kernel "k" pointwise dims [#tc.dim<"i", reduced, -4>] ins(%a = %x : tensor<4xf32>) {
  }
  return
}

// -----

// The first point of the domain reads an element.
func.func @before_the_buffer(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : tensor<4xf32>) outs(%o = %y : tensor<4xf32>) {
    // expected-error @+1 {{'tc.read' op has index -1 for dimension 0 of a buffer, of size 4, at a corner of the kernel's domain; expected 0 to 3}}
    %v = tc.read %a[affine_map<(d0) -> (d0 - 1)>] : tensor<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  return
}

// -----

// So does any other corner.
func.func @behind_the_buffer(%x: tensor<4xf32>, %y: tensor<2x3xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 3>] ins(%a = %x : tensor<4xf32>) outs(%o = %y : tensor<2x3xf32>) {
    // expected-error @+1 {{'tc.read' op has index 4 for dimension 0 of a buffer, of size 4, at a corner of the kernel's domain; expected 0 to 3}}
    %v = tc.read %a[affine_map<(d0, d1) -> (d1 * 2 + d0)>] : tensor<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<2x3xf32>
  }
  return
}

// -----

// A reshape shows the same bytes.
func.func @buffer_reshape(%x: memref<4x8xf32>) {
  // expected-error @+1 {{'tc.buffer_reshape' op shows 128 bytes of type 'memref<4x8xf32>' as 256 bytes of type 'memref<64xf32>'; expected equally many}}
  %y = tc.buffer_reshape %x : memref<4x8xf32> -> memref<64xf32>
  return
}

// -----

// Affine symbols stand for size expressions.
func.func @affine_symbols_size_expressions(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'tc.kernel' op attribute 'symbols' failed to satisfy constraint: array of size expressions}}
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] symbols ["s0"] ins(%a = %x : tensor<4xf32>) outs(%o = %y : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  return
}

// -----

// A constant is no affine symbol.
func.func @constant_no_affine_symbol(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'tc.kernel' op has the affine symbol 3; expected a size expression that is no constant}}
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] symbols [#tc.expr<min(3, 4)>] ins(%a = %x : tensor<4xf32>) outs(%o = %y : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  return
}

// -----

// Affine symbols are distinct.
func.func @affine_symbols_distinct(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'tc.kernel' op has the affine symbol min(4, s0) twice; expected it once}}
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] symbols [#tc.expr<min(s0, 4)>, #tc.expr<min(4, s0)>] ins(%a = %x : tensor<4xf32>) outs(%o = %y : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  return
}
