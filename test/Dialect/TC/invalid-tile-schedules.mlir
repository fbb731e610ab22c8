// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of the schedules of tiles on a GPU.

// The copy engine stores boxes of 32 or 64 lanes, and results that wait take memory of stages.
// expected-error @+1 {{#tc.gpu_contraction_schedule field lanes is 80; expected a multiple of 32}}
func.func private @stored_lanes() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 80, stages = 4, blocks = 132, group = 16, async_store = true>}

// -----

// Registers are passed on where the copy engine stores what is computed of them.
// expected-error @+1 {{#tc.gpu_contraction_schedule field epilogue_parts is 2; expected at most 1}}
func.func private @parts_of_threads() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 4, blocks = 132, group = 16, epilogue_parts = 2>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field stages is 7; expected at most 6}}
func.func private @stored_stages() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 7, blocks = 132, group = 16, async_store = true>}

// -----

// Blocks of a cluster have halves of the lanes.
// expected-error @+1 {{#tc.gpu_contraction_schedule field lanes is 72; expected a multiple of 16}}
func.func private @shared_lanes() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 72, stages = 4, blocks = 132, group = 16, cluster = 2>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field cluster is 3; expected at most 2}}
func.func private @cluster() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 4, blocks = 132, group = 16, cluster = 3>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field blocks is 131; expected a multiple of 2}}
func.func private @blocks() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 4, blocks = 131, group = 16, cluster = 2>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field splits is 2; expected at most 1}}
func.func private @stored_splits() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 4, blocks = 132, group = 16, async_store = true, splits = 2>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field tail_blocks is 133; expected at most 132}}
func.func private @tail_blocks() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 4, blocks = 132, group = 16, tail_blocks = 133>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field tail_blocks is 132; expected at most 0}}
func.func private @split_tail() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 64, stages = 4, blocks = 132, group = 16, splits = 2, tail_blocks = 132>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field lanes is 72; expected a multiple of 32}}
func.func private @split_lanes() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 72, stages = 4, blocks = 132, group = 16, splits = 4>}

// -----

// A thread has its sums twice.
// expected-error @+1 {{#tc.gpu_contraction_schedule field lanes is 256; expected at most 192}}
func.func private @promoted_lanes() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 256, stages = 4, blocks = 132, group = 16, promotion = 1>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field promotion is -1; expected at least 0}}
func.func private @promotion() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 4, blocks = 132, group = 16, promotion = -1>}

// -----

// expected-error @+1 {{#tc.gpu_contraction_schedule field stages is 6; expected at most 5}}
func.func private @split_stages() attributes {a = #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 6, blocks = 132, group = 16, splits = 2>}

// -----

// expected-error @+1 {{#tc.gpu_row_schedule field evict_last is 1; expected at most 0}}
func.func private @evict_last() attributes {a = #tc.gpu_row_schedule<vector_dim = 1, threads = 128, evict_last = true>}

// -----

// expected-error @+1 {{#tc.gpu_attention_schedule field blocks is 65537; expected at most 65536}}
func.func @f() attributes {a = #tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 128, stages = 2, blocks = 65537>} { return }

// -----

// expected-error @+1 {{#tc.gpu_attention_schedule field splits is 2; expected at most 1}}
func.func @f() attributes {a = #tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 128, stages = 2, blocks = 132, splits = 2>} { return }

// -----

// expected-error @+1 {{#tc.gpu_attention_schedule field splits is 2; expected at most 1}}
func.func @f() attributes {a = #tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 128, stages = 2, async_store = true, splits = 2>} { return }

// -----

// expected-error @+1 {{#tc.gpu_attention_schedule field splits is 3; expected a power of 2}}
func.func @f() attributes {a = #tc.gpu_attention_schedule<vector_dim = 2, rows = 64, keys = 64, stages = 2, splits = 3>} { return }

// -----

// expected-error @+1 {{#tc.gpu_attention_schedule field resident is 2; expected at most 1}}
func.func @f() attributes {a = #tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 64, stages = 2, resident = 2>} { return }

// -----

// Blocks that stay have the queries of the tile that follows.
// expected-error @+1 {{#tc.gpu_attention_schedule field query_stages is 2; expected at most 1}}
func.func private @query_stages() attributes {a = #tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 128, stages = 2, query_stages = 2>}
