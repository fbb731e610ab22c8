// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of the attributes.

// An expression is a size.
// expected-error @+1 {{expected a size: an integer, a symbol, 'min(', 'max(' or '('}}
func.func private @expr() attributes {a = #tc.expr<s0 + >}

// -----

// One size a dimension.
// expected-error @+1 {{#tc.sizes has 1 sizes, the type has rank 2}}
func.func private @sizes_rank(tensor<?x8xf32, #tc.sizes<[s0]>>)

// -----

// A constant of the type is the same constant in the sizes.
// expected-error @+1 {{#tc.sizes gives dimension 1 the size 4, the type gives it 8}}
func.func private @sizes_constant(tensor<?x8xf32, #tc.sizes<[s0, 4]>>)

// -----

// A symbolic size is a '?' of the type.
// expected-error @+1 {{#tc.sizes gives dimension 0 the size 4, the type gives it '?'}}
func.func private @sizes_symbolic(tensor<?x8xf32, #tc.sizes<[4, 8]>>)

// -----

// Types of constant sizes have no encoding.
// expected-error @+1 {{#tc.sizes on a tensor of constant sizes: remove it}}
func.func private @sizes_of_constants(tensor<4x8xf32, #tc.sizes<[4, 8]>>)

// -----

// Symbols have names.
// expected-error @+1 {{#tc.symbol needs a name}}
func.func private @symbol_name() attributes {a = #tc.symbol<"", min = 2, max = 64>}

// -----

// The range of a symbol is not empty.
// expected-error @+1 {{#tc.symbol "s0" has the range [3, 2]; expected 0 <= min <= max}}
func.func private @symbol_range() attributes {a = #tc.symbol<"s0", min = 3, max = 2>}

// -----

// The divisor of a symbol is positive.
// expected-error @+1 {{#tc.symbol "s0" has divisor 0; expected at least 1}}
func.func private @symbol_divisor() attributes {a = #tc.symbol<"s0", min = 2, max = 64, divisor = 0>}

// -----

// What a symbol is likely to be is in its range.
// expected-error @+1 {{#tc.symbol "s0" has likely 65; expected a value from 2 to 64, or 0 for none}}
func.func private @symbol_likely() attributes {a = #tc.symbol<"s0", min = 2, max = 64, likely = 65>}

// -----

// A dimension has one of two iterators.
// expected-error @+1 {{expected 'parallel' or 'reduced', got 'sequential'}}
func.func private @dim_iterator() attributes {a = #tc.dim<"i", sequential, 4>}

// -----

// Fields of a schedule are known.
// expected-error @+1 {{duplicate or unknown struct parameter name: lanes}}
func.func private @schedule_field() attributes {a = #tc.loop_schedule<lanes = 16>}

// -----

// Vectors have lanes.
// expected-error @+1 {{#tc.loop_schedule field vector_width is 0; expected at least 1}}
func.func private @schedule_vector_width() attributes {a = #tc.loop_schedule<vector_dim = 0, vector_width = 0>}

// -----

// Vectors have a number of lanes that code generation can halve.
// expected-error @+1 {{#tc.loop_schedule field vector_width is 12; expected a power of 2}}
func.func private @schedule_uneven_width() attributes {a = #tc.loop_schedule<vector_dim = 0, vector_width = 12>}

// -----

// The unroll factor is at most 32.
// expected-error @+1 {{#tc.loop_schedule field unroll is 1000000; expected at most 32}}
func.func private @schedule_unroll() attributes {a = #tc.loop_schedule<unroll = 1000000>}

// -----

// The lanes of a vector are folded in halves.
// expected-error @+1 {{#tc.loop_schedule field unroll is 3; expected a power of 2}}
func.func private @schedule_uneven_unroll() attributes {a = #tc.loop_schedule<unroll = 3>}

// -----

// A vector has no more lanes than a register may have.
// expected-error @+1 {{#tc.loop_schedule field vector_width is 512; expected at most 64}}
func.func private @schedule_wide_vector() attributes {a = #tc.loop_schedule<vector_dim = 0, vector_width = 512>}

// -----

// Tiles have sizes.
// expected-error @+2 {{#tc.contraction_tile field lanes is 0; expected at least 1}}
// expected-error @+1 {{failed to parse TC_ContractionScheduleAttr parameter 'tile' which is to be a `::tc::ContractionTileAttr`}}
func.func private @schedule_tile() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 0, reduced = 32, block_rows = 4, block_lanes = 8>>}

// -----

// So have the tiles of calls that write few bytes.
// expected-error @+2 {{#tc.contraction_tile field reduced is 2000000; expected at most 1048576}}
// expected-error @+1 {{failed to parse TC_ContractionScheduleAttr parameter 'few_tile' which is to be a `::tc::ContractionTileAttr`}}
func.func private @schedule_few_tile() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>, few_below = 64, few_tile = <rows = 4, lanes = 8, reduced = 2000000, block_rows = 4, block_lanes = 8>>}

// -----

// A bound on the bytes written and the tile for calls below it belong together.
// expected-error @+1 {{#tc.contraction_schedule has few_below = 64 and no few_tile; expected both or neither}}
func.func private @schedule_few_below() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>, few_below = 64>}

// -----

// expected-error @+1 {{#tc.contraction_schedule field points_below is -1; expected at least 0}}
func.func private @schedule_points_below() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>, points_below = -1>}

// -----

// expected-error @+1 {{#tc.contraction_schedule field task_multiply_adds is 0; expected at least 1}}
func.func private @schedule_task_multiply_adds() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>, task_multiply_adds = 0>}

// -----

// expected-error @+1 {{#tc.attention_schedule field stack_multiply_adds is 1099511627777; expected at most 1099511627776}}
func.func private @attention_stack_multiply_adds() attributes {a = #tc.attention_schedule<multiply_adds = vector, rows = 4, key_lanes = 16, column_lanes = 64, softmax_lanes = 16, stack_multiply_adds = 1099511627777>}

// -----

// expected-error @+1 {{#tc.contraction_schedule field fetch_parts is 65; expected at most 64}}
func.func private @schedule_fetch_parts() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>, fetch_parts = 65>}

// -----

// expected-error @+1 {{#tc.contraction_schedule field fetch_parts is -1; expected at least 0}}
func.func private @schedule_negative_fetch_parts() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>, fetch_parts = -1>}

// -----

// expected-error @+1 {{#tc.contraction_schedule field fetch_points is 65; expected at most 64}}
func.func private @schedule_fetch_points() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8, panel = lanes>, fetch_points = 65>}

// -----

// expected-error @+1 {{#tc.contraction_schedule field few_below is -1; expected at least 0}}
func.func private @schedule_negative_few_below() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>, few_below = -1>}

// -----

// Each field that has no default is given.
// expected-error @+1 {{struct is missing required parameter: tile}}
func.func private @contraction_without_tile() attributes {a = #tc.contraction_schedule<vector_dim = 0, vector_width = 8>}

// -----

// Lanes of attention are whole vector registers.
// expected-error @+1 {{#tc.attention_schedule field key_lanes is 8; expected at least 16}}
func.func private @attention_lanes() attributes {a = #tc.attention_schedule<multiply_adds = vector, rows = 4, key_lanes = 8, column_lanes = 16, softmax_lanes = 16>}

// -----

// The accumulators of a tile fit vector registers.
// expected-error @+1 {{#tc.attention_schedule field rows is 9; expected at most 8}}
func.func private @attention_rows() attributes {a = #tc.attention_schedule<multiply_adds = vector, rows = 9, key_lanes = 16, column_lanes = 64, softmax_lanes = 16>}

// -----

// Tile registers have 16 rows, and three of them hold operands.
// expected-error @+1 {{#tc.attention_schedule field rows is 24; expected a multiple of 16}}
func.func private @attention_rows_of_tiles() attributes {a = #tc.attention_schedule<multiply_adds = amx, rows = 24, key_lanes = 32, column_lanes = 32, softmax_lanes = 32>}

// -----

// expected-error @+1 {{#tc.attention_schedule field rows is 32; expected at most 16}}
func.func private @attention_accumulators_of_tiles() attributes {a = #tc.attention_schedule<multiply_adds = amx, rows = 32, key_lanes = 64, column_lanes = 32, softmax_lanes = 32>}

// -----

// Tile registers multiply 32 weights at a time.
// expected-error @+1 {{#tc.attention_schedule field softmax_lanes is 16; expected at least 32}}
func.func private @attention_softmax_lanes() attributes {a = #tc.attention_schedule<multiply_adds = amx, rows = 32, key_lanes = 32, column_lanes = 32, softmax_lanes = 16>}

// -----

// The last tile of tile registers may have fewer rows that count.
// expected-error @+1 {{#tc.attention_schedule field few_rows is 2; expected at most 1}}
func.func private @attention_few_rows() attributes {a = #tc.attention_schedule<multiply_adds = amx, rows = 32, key_lanes = 32, column_lanes = 32, softmax_lanes = 32, few_rows = 2>}

// -----

// expected-error @+1 {{#tc.attention_schedule field few_below is 8; expected at most 0}}
func.func private @attention_few_below() attributes {a = #tc.attention_schedule<multiply_adds = amx, rows = 32, key_lanes = 32, column_lanes = 32, softmax_lanes = 32, few_below = 8>}

// -----

// expected-error @+1 {{#tc.attention_schedule field row_block is -1; expected at least 0}}
func.func private @attention_row_block() attributes {a = #tc.attention_schedule<multiply_adds = vector, rows = 4, key_lanes = 16, column_lanes = 64, softmax_lanes = 16, row_block = -1>}

// -----

// A square is transposed within the registers.
// expected-error @+1 {{#tc.transpose_schedule field vector_width is 32; expected at most 16}}
func.func private @transpose_width() attributes {a = #tc.transpose_schedule<vector_dim = 0, vector_width = 32, tile_rows = 32, tile_lanes = 32>}

// -----

// expected-error @+1 {{#tc.transpose_schedule field tile_rows is 0; expected at least 1}}
func.func private @transpose_tile() attributes {a = #tc.transpose_schedule<vector_dim = 0, vector_width = 8, tile_rows = 0, tile_lanes = 32>}

// -----

// expected-error @+1 {{#tc.task_schedule field tasks is 0; expected at least 1}}
func.func private @no_tasks() attributes {a = #tc.task_schedule<tasks = 0>}

// -----

// A block of a GPU has whole warps, whose threads halve until one is left.
// expected-error @+1 {{#tc.gpu_loop_schedule field threads is 96; expected a power of 2}}
func.func private @gpu_uneven_threads() attributes {a = #tc.gpu_loop_schedule<vector_dim = 0, threads = 96>}

// -----

// expected-error @+1 {{#tc.gpu_loop_schedule field threads is 2048; expected at most 1024}}
func.func private @gpu_threads() attributes {a = #tc.gpu_loop_schedule<vector_dim = 0, threads = 2048>}

// -----

// expected-error @+1 {{#tc.gpu_scan_schedule field threads is 16; expected at least 32}}
func.func private @scan_threads() attributes {a = #tc.gpu_scan_schedule<threads = 16>}

// -----

// expected-error @+1 {{#tc.gpu_scan_schedule field segments is 2000; expected at most 1024}}
func.func private @scan_segments() attributes {a = #tc.gpu_scan_schedule<threads = 32, segments = 2000>}

// -----

// A tile is in shared memory.
// expected-error @+1 {{#tc.gpu_sort_schedule field tile is 4096; expected at most 2048}}
func.func private @sort_tile() attributes {a = #tc.gpu_sort_schedule<threads = 32, tile = 4096>}

// -----

// The owner of an element is a number of bits of the element's.
// expected-error @+1 {{#tc.gpu_scatter_schedule field strips is 3; expected a power of 2}}
func.func private @scatter_strips() attributes {a = #tc.gpu_scatter_schedule<threads = 32, strips = 3>}

// -----

// expected-error @+1 {{#tc.gpu_scatter_schedule has vector_dim and atomic; expected one of them at most}}
func.func private @scatter_columns() attributes {a = #tc.gpu_scatter_schedule<vector_dim = 0, threads = 32, strips = 1, atomic = true>}

// -----

// expected-error @+1 {{#tc.loop_schedule field block is -1; expected at least 0}}
func.func private @loop_block_0() attributes {a = #tc.loop_schedule<vector_dim = 0, block = -1>}

// -----

// expected-error @+1 {{#tc.loop_schedule field block is 2147483648; expected at most 1073741824}}
func.func private @loop_block_1() attributes {a = #tc.loop_schedule<block = 2147483648>}

// -----

// expected-error @+1 {{#tc.loop_schedule field task_points is 0; expected at least 1}}
func.func private @loop_task_points_2() attributes {a = #tc.loop_schedule<task_points = 0>}

// -----

// expected-error @+1 {{#tc.loop_schedule field kept_weight is 0; expected at least 1}}
func.func private @loop_kept_weight() attributes {a = #tc.loop_schedule<kept_weight = 0>}

// -----

// expected-error @+1 {{#tc.loop_schedule field kept_points is 1000000; expected at most 131072}}
func.func private @loop_kept_points_3() attributes {a = #tc.loop_schedule<kept_points = 1000000>}

// -----

// expected-error @+1 {{#tc.loop_schedule field max_stride is 9; expected at most 8}}
func.func private @loop_max_stride_4() attributes {a = #tc.loop_schedule<max_stride = 9>}

// -----

// expected-error @+1 {{#tc.transpose_schedule field task_points is 0; expected at least 1}}
func.func private @transpose_task_points_5() attributes {a = #tc.transpose_schedule<vector_dim = 0, vector_width = 8, tile_rows = 8, tile_lanes = 8, task_points = 0>}

// -----

// expected-error @+1 {{#tc.task_schedule field task_points is 0; expected at least 1}}
func.func private @task_task_points_6() attributes {a = #tc.task_schedule<tasks = 1, task_points = 0>}

// -----

// expected-error @+1 {{#tc.library_schedule field a is -1; expected at least 0}}
func.func private @library_a() attributes {a = #tc.library_schedule<library = cublaslt, a = -1, b = 0>}

// -----

// expected-error @+1 {{#tc.library_schedule field b is -1; expected at least 0}}
func.func private @library_b() attributes {a = #tc.library_schedule<library = cublaslt, a = 0, b = -1>}

// -----

// expected-error @+1 {{#tc.library_schedule field bias is -2; expected at least -1}}
func.func private @library_bias() attributes {a = #tc.library_schedule<library = cublaslt, a = 0, b = 1, bias = -2>}

// -----

// expected-error @+1 {{#tc.library_schedule field workspace is 100; expected a multiple of 256}}
func.func private @library_workspace() attributes {a = #tc.library_schedule<library = cublaslt, a = 0, b = 1, workspace = 100>}

// -----

// expected-error @+1 {{#tc.library_schedule field workspace is 2147483648; expected at most 1073741824}}
func.func private @library_most_workspace() attributes {a = #tc.library_schedule<library = cublaslt, a = 0, b = 1, workspace = 2147483648>}

// -----

// expected-error @+1 {{#tc.library_schedule field scale is 2.000000e+00 : f64; expected an f32}}
func.func private @library_scale() attributes {a = #tc.library_schedule<library = cublaslt, a = 0, b = 1, scale = 2.0 : f64>}

// -----

// expected-error @+1 {{#tc.convolution_library_schedule field images is -1; expected at least 0}}
func.func private @library_convolution_images() attributes {a = #tc.convolution_library_schedule<library = cudnn, images = -1, filters = 0>}

// -----

// expected-error @+1 {{#tc.convolution_library_schedule field filters is -1; expected at least 0}}
func.func private @library_convolution_filters() attributes {a = #tc.convolution_library_schedule<library = cudnn, images = 0, filters = -1>}

// -----

// expected-error @+1 {{#tc.convolution_library_schedule field bias is -2; expected at least -1}}
func.func private @library_convolution_bias() attributes {a = #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = -2>}

// -----

// expected-error @+1 {{#tc.convolution_library_schedule field addend is 2; expected at most -1}}
func.func private @library_convolution_addend() attributes {a = #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, addend = 2>}

// -----

// expected-error @+1 {{#tc.convolution_library_schedule field relu is true without a bias; expected false}}
func.func private @library_convolution_relu() attributes {a = #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, relu = true>}

// -----

// expected-error @+1 {{#tc.convolution_library_schedule field workspace is 100; expected a multiple of 256}}
func.func private @library_convolution_workspace() attributes {a = #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, workspace = 100>}

// -----

// expected-error @+1 {{#tc.convolution_library_schedule field scale is 2.000000e+00 : f64; expected an f32}}
func.func private @library_convolution_scale() attributes {a = #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, scale = 2.0 : f64>}

// -----

// expected-error @+1 {{expected 'divisor' or 'likely', found 'most'}}
func.func private @symbol_field() attributes {a = #tc.symbol<"s0", min = 2, max = 64, most = 65>}
