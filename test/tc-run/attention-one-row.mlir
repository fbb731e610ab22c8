// Attention whose dimension of rows has one point: it has no smaller tiles for
// where little is written.
// RUN: tc-run %s --random-inputs=1 --size=s0=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --random-inputs=1 --size=s0=3 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=200 --check --benchmark_min_time=0.01 --threads=2

#queries = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
#keys = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
#values = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
#results = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>

module attributes {tc.phase = "bufferize"} {

func.func @main(%q: memref<?x1x8xf32, #tc.sizes<[s0, 1, 8]>>, %k: memref<?x26x8xf32, #tc.sizes<[s0, 26, 8]>>) attributes {tc.result_types = [tensor<?x1x8xf32, #tc.sizes<[s0, 1, 8]>>], tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
  %0 = tc.output_buffer 0 : memref<?x1x8xf32, #tc.sizes<[s0, 1, 8]>>
  tc.kernel "attention" attention dims [#tc.dim<"b", parallel, s0>, #tc.dim<"q", parallel, 1>, #tc.dim<"v", parallel, 8>, #tc.dim<"k", reduced, 26>, #tc.dim<"d", reduced, 8>] schedule #tc.attention_schedule<multiply_adds = vector, rows = 1, key_lanes = 32, column_lanes = 16, softmax_lanes = 32, row_block = 96> ins(%i = %q : memref<?x1x8xf32, #tc.sizes<[s0, 1, 8]>>, %j = %k : memref<?x26x8xf32, #tc.sizes<[s0, 26, 8]>>) outs(%o = %0 : memref<?x1x8xf32, #tc.sizes<[s0, 1, 8]>>) {
    %query = tc.read %i[#queries] : memref<?x1x8xf32, #tc.sizes<[s0, 1, 8]>> -> f32
    %key = tc.read %j[#keys] : memref<?x26x8xf32, #tc.sizes<[s0, 26, 8]>> -> f32
    %score = tc.contract_stage %query, %key over [4] : f32, f32 -> f32
    %largest = tc.reduce_stage max %score over [3] : f32 -> f32
    %difference = tc.sub %score, %largest : f32
    %weight = tc.exp %difference : f32
    %sum = tc.reduce_stage sum %weight over [3] : f32 -> f32
    %value = tc.read %j[#values] : memref<?x26x8xf32, #tc.sizes<[s0, 26, 8]>> -> f32
    %weighted = tc.contract_stage %weight, %value over [3] : f32, f32 -> f32
    %result = tc.div %weighted, %sum : f32
    tc.write %result, %o[#results] : f32, memref<?x1x8xf32, #tc.sizes<[s0, 1, 8]>>
  }
  return
}

}
