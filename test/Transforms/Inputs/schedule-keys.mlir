module attributes {tc.schedules = {
  "contraction[64x64x64r](64x64xf32[d0,d2], 64x64xf32[d2,d1], 64x64xf32[d0,d1]){contract over [2]}#2197b6ca@cpu" = #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 8, reduced = 16, block_rows = 4, block_lanes = 8>>,
  "contraction[64x64x64r](64x64xf32[d0,d2], 64x64xf32[d1,d2], 64x64xf32[d0,d1]){contract over [2]}#25606ceb@cpu" = #tc.loop_schedule<vector_dim = 0, vector_width = 4>
}} {}
