// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Schedules of products of warps.

// expected-error @+1 {{#tc.gpu_contraction_schedule has async_store and warp_products; expected one of them at most}}
func.func private @stored_by_warps() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 64, stages = 4, blocks = 108, group = 8, async_store = true, warp_products = true>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field lanes is 136; expected at most 128}}
func.func private @lanes_of_warps() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 256, lanes = 136, stages = 3, blocks = 108, group = 8, warp_products = true>}

// -----

// expected-error @+1 {{#tc.gpu_attention_schedule field blocks is 108; expected at most 0}}
func.func private @drawn_by_warps() attributes {a = #tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 64, stages = 2, blocks = 108, warp_products = true>}
