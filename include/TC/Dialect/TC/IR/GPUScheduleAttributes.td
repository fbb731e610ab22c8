//===- GPUScheduleAttributes.td - Schedules for GPUs -------------*- tablegen -*-===//
//
// A schedule for each way in which kernels are emitted for a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPUSCHEDULEATTRIBUTES
#define TC_GPUSCHEDULEATTRIBUTES

include "TC/Dialect/TC/IR/ScheduleAttributes.td"

def TC_GPULoopScheduleAttr : TC_ScheduleAttr<"GPULoopSchedule", "gpu_loop_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a kernel computed point by point on the threads of a GPU";
  let description = [{
    Any kernel may have it. Consecutive threads compute consecutive vectors.

    - `vector_dim`: the dimension along which consecutive threads compute
      consecutive points; -1, the default, for none. Where it is reduced, the
      threads of a block reduce one row together.
    - `vector_width`: points of `vector_dim` that a thread computes together and
      accesses as one vector: a power of 2 from 1, the default, to 16. Where
      buffers or sizes are not aligned for it, every row has vectors of its own
      that are aligned for the results, and operands are selected from two
      aligned vectors.
    - `units`: vectors that a thread computes, whose loads are all under way
      before the first is used; from 1, the default, to 16.
    - `peel`: whether vectors away from the ends of rows, of the parts of
      concatenations and paddings, and of buffers have code of their own, which
      has no masks; true by default. Where rows are short, most warps have
      vectors of both kinds and would run both.
    - `threads`: threads of a block; a power of 2 from 32 to 1024.

    Example: `#tc.gpu_loop_schedule<vector_dim = 1, vector_width = 4, units = 2, threads = 256>`
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "-1">:$vector_dim,
                        DefaultValuedParameter<"int64_t", "1">:$vector_width,
                        DefaultValuedParameter<"int64_t", "1">:$units,
                        DefaultValuedParameter<"bool", "true">:$peel,
                        "int64_t":$threads);
}

def TC_GPURowScheduleAttr : TC_ScheduleAttr<"GPURowSchedule", "gpu_row_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a kernel of rows that threads of a GPU reduce together";
  let description = [{
    A kernel that folds along `vector_dim`, and may write along it.

    - `vector_dim`: the dimension along a row.
    - `vector_width`: points of a row that a thread accesses as one vector where
      buffers are aligned for it: a power of 2 from 1, the default, to 16.
    - `units`: vectors of a row whose loads a thread has under way together, from
      1, the default, to 32.
    - `held`: whether a thread holds its `units` vectors in registers from the
      first stage to the last, so that every element is read once. A row of more
      than `vector_width` times `units` times `threads` times `cluster` points is
      read again by each stage; a constant size is at most that. False by default.
    - `packed`: whether what a thread holds is what it loaded, as it is stored:
      each stage computes what it needs of that again, in 64 registers. False, the
      default, where it holds what it computed, too.
    - `threads`: threads of a row; a power of 2 from 1 to 1024.
    - `rows`: rows of a block, whose `threads` times `rows` threads are from 32
      to 1024; a power of 2, by default 1.
    - `cluster`: blocks of a thread-block cluster that share a row, each with
      `threads` threads of it; a power of 2 from 1, the default, to 8. More than
      1 needs sm_90, and one row a block.
    - `fits_threads`: whether the threads of a row that is held are fitted to its
      length when the kernel is launched: the fewest whole warps that hold it. A
      block of `threads` threads then has as many rows as fit, and `rows` is 1.
      False by default.
    - `blocks`: blocks that share the rows where these are fewer: each folds a
      part of a row, and the last one of a row the folds of its parts. Only for
      kernels that write what they fold, with rows that are not held; 0, the
      default, where every row has a block of its own, to 4096.
    - `shared`: whether a thread's vectors of a row are in shared memory instead
      of registers, where it copies them to (`cp.async`) and each stage loads
      them from: so a multiprocessor has more threads with loads under way. Only
      for rows of a constant length that are `packed`, and of vectors of 4 to 16
      bytes. False by default.
    - `evict_last`: whether what each row reads of its own stays in the
      second-level cache longer than what is written (`L2::evict_last`), so that
      results are written back in the order of their rows while others are read.
      Vectors of 16 bytes are loaded so. Only for rows that are held; false by
      default.

    Example: `#tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, units = 4, held = true, threads = 128>`
  }];
  let parameters = (ins "int64_t":$vector_dim,
                        DefaultValuedParameter<"int64_t", "1">:$vector_width,
                        DefaultValuedParameter<"int64_t", "1">:$units,
                        DefaultValuedParameter<"bool", "false">:$held,
                        DefaultValuedParameter<"bool", "false">:$packed,
                        "int64_t":$threads,
                        DefaultValuedParameter<"int64_t", "1">:$rows,
                        DefaultValuedParameter<"int64_t", "1">:$cluster,
                        DefaultValuedParameter<"bool", "false">:$fits_threads,
                        DefaultValuedParameter<"int64_t", "0">:$blocks,
                        DefaultValuedParameter<"bool", "false">:$shared,
                        DefaultValuedParameter<"bool", "false">:$evict_last);
  let extraClassDeclaration = [{
    /// The same with `evict_last`.
    GPURowScheduleAttr withEvictLast() const;
  }];
}

def TC_GPUSharedMemoryRowScheduleAttr : TC_ScheduleAttr<"GPUSharedMemoryRowSchedule", "gpu_shared_memory_row_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a kernel of rows that blocks of a GPU copy to shared memory";
  let description = [{
    A kernel that folds along `vector_dim`, and may write along it, whose rows
    begin anywhere in memory, or have elements at a stride. A block
    copies its rows to shared memory in bulk, as the bytes that they are
    (`cp.async.bulk`, sm_90 and later); threads take their elements from there,
    and leave results there, which are copied out in bulk, too.

    - `vector_dim`: the dimension along a row.
    - `units`: points of a row that a thread computes in straight-line code, from
      1, the default, to 64.
    - `held`: whether a thread holds its `units` points in registers from the
      first stage to the last: a constant size of the row is at most `units`
      times `threads`. False, the default, where each stage reads the row again
      from shared memory.
    - `threads`: threads of a row; a power of 2 from 1 to 1024.
    - `rows`: rows of a block, whose `threads` times `rows` threads are from 32
      to 1024; a power of 2, by default 1.
    - `bytes`: shared memory of a block for rows, from 1024 to 49152. Rows of a
      size that is not constant that take more in a call are read where they are.

    Example: `#tc.gpu_shared_memory_row_schedule<vector_dim = 1, units = 17, held = true, threads = 2, rows = 64, bytes = 17024>`
  }];
  let parameters = (ins "int64_t":$vector_dim,
                        DefaultValuedParameter<"int64_t", "1">:$units,
                        DefaultValuedParameter<"bool", "false">:$held,
                        "int64_t":$threads,
                        DefaultValuedParameter<"int64_t", "1">:$rows,
                        "int64_t":$bytes);
}

def TC_GPUColumnScheduleAttr : TC_ScheduleAttr<"GPUColumnSchedule", "gpu_column_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a kernel of columns that threads of a GPU reduce together";
  let description = [{
    A kernel whose stages fold along dimensions other than that along which its
    buffers are contiguous. Threads share the first of the folded dimensions.

    - `vector_dim`: the dimension along which buffers are contiguous; every point
      of it is a column.
    - `vector_width`: columns of a thread, accessed as one vector where buffers
      are aligned for it: a power of 2 from 1, the default, to 16.
    - `units`: points of a column whose loads are under way together; from 1, the
      default, to 16.
    - `column_threads`: threads next to each other along `vector_dim`; a power of
      2.
    - `row_threads`: threads that share the points of a column; a power of 2. A
      block has `column_threads` times `row_threads` threads, from 32 to 1024.
    - `blocks`: blocks that share the columns where these alone are fewer: each
      folds a part of some columns, and the last one of these the folds of their
      parts. Only for kernels that write what they fold; 0, the default, where
      all columns have blocks of their own, to 4096.

    Example: `#tc.gpu_column_schedule<vector_dim = 1, vector_width = 4, units = 8, column_threads = 32, row_threads = 8>`
  }];
  let parameters = (ins "int64_t":$vector_dim,
                        DefaultValuedParameter<"int64_t", "1">:$vector_width,
                        DefaultValuedParameter<"int64_t", "1">:$units,
                        "int64_t":$column_threads,
                        "int64_t":$row_threads,
                        DefaultValuedParameter<"int64_t", "0">:$blocks);
}

def TC_GPUTransposeScheduleAttr : TC_ScheduleAttr<"GPUTransposeSchedule", "gpu_transpose_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a pointwise kernel of transposed inputs on the threads of a GPU";
  let description = [{
    Blocks transpose tiles of the inputs through shared memory.

    - `vector_dim`: the dimension along which the results are contiguous.
    - `vector_width`: points of a vector of the results: a power of 2 from 1, the
      default, to 16. Where buffers or sizes are not aligned for it, each row of
      a tile begins at an aligned address before.
    - `tile`, `rows`: points of a tile along `vector_dim`, and along the dimension
      in which inputs are contiguous; powers of 2 from 16 to 128.
    - `threads`: threads of a block, from the vectors of a row of the results to
      those of a tile; a power of 2 from 32 to 1024.
    - `async_copy`: whether tiles that are all there are copied by cp.async;
      otherwise (the default) a thread first loads its share to registers.

    Example: `#tc.gpu_transpose_schedule<vector_dim = 1, vector_width = 4, tile = 64, rows = 128, threads = 512>`
  }];
  let parameters = (ins "int64_t":$vector_dim,
                        DefaultValuedParameter<"int64_t", "1">:$vector_width,
                        "int64_t":$tile,
                        "int64_t":$rows,
                        "int64_t":$threads,
                        DefaultValuedParameter<"bool", "false">:$async_copy);
}

def TC_GPUScanScheduleAttr : TC_ScheduleAttr<"GPUScanSchedule", "gpu_scan_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a scan of rows by the blocks of a GPU";
  let description = [{
    The kernel scans along one dimension. The threads of a block fold one chunk
    of a row in a tree and carry its fold to the next chunk, in the order of the
    row: the result is the same in every run.

    - `threads`: threads of a block, and elements of a chunk; a power of 2 from 32
      to 1024.
    - `segments`: parts of a row that blocks scan at the same time; from 1, the
      default, to 1024. With more than 1, a first launch folds each segment to
      workspace and a second one scans the segments, each from the fold of those
      before it; then the kernel has one scan and nothing else that folds, and
      writes vary over all dimensions.

    Example: `#tc.gpu_scan_schedule<threads = 256>`
  }];
  let parameters = (ins "int64_t":$threads,
                        DefaultValuedParameter<"int64_t", "1">:$segments);
}

def TC_GPUSortScheduleAttr : TC_ScheduleAttr<"GPUSortSchedule", "gpu_sort_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a sort of rows by the blocks of a GPU";
  let description = [{
    A first launch sorts tiles of each row in shared memory, further ones merge
    pairs of sorted runs in workspace until a row is one run, and the last writes
    what the kernel writes. Equal elements keep their order.

    - `threads`: threads of a block; a power of 2 from 32 to 1024.
    - `tile`: elements that a block sorts in shared memory; a power of 2 from 2 to
      2048.

    Example: `#tc.gpu_sort_schedule<threads = 256, tile = 1024>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$tile);
}

def TC_GPUScatterScheduleAttr : TC_ScheduleAttr<"GPUScatterSchedule", "gpu_scatter_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "writes to computed places, or that combine, on a GPU";
  let description = [{
    Each element of a destination belongs to one thread, which goes through the
    points of the domain in row-major order and does the writes to its own
    elements: the result is that of one thread, in every run.

    - `vector_dim`: an outer dimension along which threads next to each other have
      elements that are next to each other; -1, the default, for none.
    - `threads`: threads of a block; a power of 2 from 32 to 1024. A warp of 32
      that has no other strip takes 32 points at a time: lanes with different
      elements write together, those with the same one in the order of points.
    - `strips`: blocks that share the destinations of one point of the outer
      dimensions, or of the points of `vector_dim` that a block has; a power of 2
      from 1 to 1024.
    - `atomic`: whether points are computed in any order and combined by atomic
      operations. Where they replace, launches before find the last point of each
      element by atomic maxima in workspace. It is faster where many points meet
      in few elements; sums of floats may then differ from run to run in their
      last bits, everything else is the same in every run. It needs writes that
      replace, or that combine f32, f64, i32 or i64 by a sum, or these integers
      by a maximum or minimum. False, the default, is the order of the domain.

    Example: `#tc.gpu_scatter_schedule<threads = 256, strips = 8>`
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "-1">:$vector_dim,
                        "int64_t":$threads, "int64_t":$strips,
                        DefaultValuedParameter<"bool", "false">:$atomic);
}

def TC_GPUContractionScheduleAttr : TC_ScheduleAttr<"GPUContractionSchedule", "gpu_contraction_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a contraction in tiles on the tensor cores of a GPU";
  let description = [{
    A product of two matrices of bf16, f16 or floats of 8 bits, with sums in f32, or
    of i8, with sums in i32, and any pointwise epilogue. Blocks stay for several tiles of results. In each, one warp group
    brings tiles of both matrices to a ring of stages in shared memory, 128 bytes
    along what is summed over at a time (a step), and the others multiply them, 64 rows of the tile
    each. The copy engine copies a matrix that is read as it is, where its strides
    allow that; else threads of the warp group compute and store its elements.

    With `warp_products` each warp multiplies on its own (mma.sync), and the threads
    of the first warp group start the copies (cp.async): this is for all targets from
    sm_80 on, and other schedules are for sm_90a alone.

    - `vector_dim`: the last dimension of the lanes of a tile: that along which the
      results are contiguous, or, with the operands swapped, the last of the others.
      Of few rows, a tile then has no more lanes than there are; threads store the
      results.
    - `rows`: rows of a tile; 64 or 128, or, with `warp_products`, also 256. A warp
      group has 64 rows, or, with `warp_products`, 128 of a tile of 128 or 256.
    - `lanes`: lanes of a tile, of two products of the same rows together; a
      multiple of 8 up to 256, for each product; up to 128 with `warp_products` and
      more than 64 rows. Where the operand that has them is
      contiguous along them, stages have whole boxes of 64; where threads may load an
      operand, too, it is a multiple of 64.
    - `stages`: stages of the ring, at least 2, that fit into the shared memory of a
      block, 227 KiB on sm_90a, as (`rows` + `lanes`) times 128 bytes and 16 more for
      each.
    - `blocks`: most blocks of the launch; from 1 to 65536.
    - `group`: rows of tiles that are walked together; from 1 to 65536.
    - `async_store`: whether the copy engine stores the results of a tile, of 16
      bits, while the next one is multiplied; otherwise (the default) threads store
      them before. `lanes` is a multiple of 32 then, and the results wait in 256
      bytes of shared memory for each row of a tile, which stages do not have.
    - `cluster`: blocks of a thread-block cluster, 1 (the default) or 2, whose tiles
      are below each other. Each copies its part of the lanes' operand for both:
      half as many bytes come from the second-level cache. `lanes` is a multiple of
      16 then, stages have a multiple of 128 where that operand is contiguous along
      them, and `blocks` is one of `cluster`.
    - `splits`: blocks of a thread-block cluster that share a tile, 1 (the default),
      2, 4 or 8: each adds up a part of what is summed over, and then, in the order
      of the blocks, the sums of all for its part of the lanes. Every tile has
      blocks of its own then; `lanes` is a multiple of 8 times `splits`, and the
      sums take 4 bytes of shared memory for each point of a tile, which stages do
      not have. Neither with `async_store` nor with `cluster`.
    - `tail_blocks`: blocks that share the tiles of the last wave where that is not
      full, 0 (the default) for none: the steps of these tiles, one after the other, are
      cut into parts of as many, one for each of so many blocks (stream-K: Osama et
      al., 2023). A block leaves what it has of a tile that it does not end in the workspace,
      and the block that ends the tile adds that up, always in the same order. A multiple of
      `cluster`, at most `blocks` and at most 8192; neither with `splits` nor with
      `warp_products`.
    - `producer_registers`: registers of a thread of the warp group that fills
      stages, where two others multiply: 24 (the default) for starting copies, more
      for threads that load elements; a multiple of 8 up to 168. The others have
      what is left of 504, half each.
    - `promotion`: steps of what is summed over after which a thread adds the sums
      of the products to its own, 0 (the default) for none but the last: tensor cores
      add products of floats of 8 bits with about 14 bits, and one long sum of f32 rounds more
      than several short ones. `lanes` is at most 192 then, 64 with `warp_products` and over 64 `rows`.
    - `warp_products`: whether warps multiply what threads copy, without the copy
      engine; false by default. Neither with `async_store`, `cluster` nor `splits`,
      and not of floats of 8 bits.
    - `epilogue_parts`: parts of a thread's results that one piece of code computes,
      one part after the other, 1 (the default) or, with `async_store`, 2: half as
      many instructions are assembled.

    Example: `#tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 256, stages = 4, blocks = 132, group = 16>`
  }];
  let parameters = (ins "int64_t":$vector_dim, "int64_t":$rows, "int64_t":$lanes,
                        "int64_t":$stages, "int64_t":$blocks, "int64_t":$group,
                        DefaultValuedParameter<"bool", "false">:$async_store,
                        DefaultValuedParameter<"int64_t", "1">:$cluster,
                        DefaultValuedParameter<"int64_t", "1">:$splits,
                        DefaultValuedParameter<"int64_t", "0">:$tail_blocks,
                        DefaultValuedParameter<"int64_t", "24">:$producer_registers,
                        DefaultValuedParameter<"int64_t", "0">:$promotion,
                        DefaultValuedParameter<"bool", "false">:$warp_products,
                        DefaultValuedParameter<"int64_t", "1">:$epilogue_parts);
  let extraClassDeclaration = [{
    /// Rows of a tile that one warp group multiplies.
    int64_t getGroupRows() const;
    /// Registers of a thread of a warp group that only starts copies.
    static constexpr int64_t kCopyingRegisters = 24;
    /// Bytes of a row or a lane of a tile in a stage, of the results of a row that
    /// wait to be stored, and of a sum; the most stages that fit into
    /// `bytes` of shared memory.
    static constexpr int64_t kRowBytes = 128, kStoreBytes = 256, kSumBytes = 4;
    static int64_t getMostStages(int64_t bytes, int64_t rows, int64_t lanes, bool asyncStore,
                                 int64_t splits);
    /// Of the sums that blocks leave in the workspace: a tile for each block.
    int64_t getTailBytes() const { return getTailBlocks() * getRows() * getLanes() * kSumBytes; }
  }];
}

def TC_GPUAttentionScheduleAttr : TC_ScheduleAttr<"GPUAttentionSchedule", "gpu_attention_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "attention in tiles on the tensor cores of a GPU";
  let description = [{
    Scores of queries and keys of bf16 or f16, a softmax of them along the keys, and
    sums of values that it weights. A block has a tile of query rows of one batch
    point, or of few rows of several that share keys: one warp group copies blocks of
    keys and of values to two rings of stages, the others multiply 64 rows each.
    The largest score and the sum of a row are those of the keys so far; results
    are rescaled where the largest grows (online softmax: Milakov and Gimelshein,
    2018; FlashAttention: Dao et al., 2022).

    - `vector_dim`: the dimension of the values' columns.
    - `rows`: rows of a tile; 64, 128 or 192.
    - `keys`: keys of a block; a multiple of 16 up to 256.
    - `stages`: stages of each ring, at least 2.
    - `blocks`: most blocks of the launch, which draw the tiles after their first
      from a counter in global memory, up to 65536; with 0 (the default) every tile
      has a block of its own.
    - `async_store`: whether the copy engine stores the results of a tile, of 16
      bits, of one batch point; otherwise (the default) the threads that have them
      do. The columns are a multiple of 32 then, and the results wait in 128 bytes of
      shared memory for each row of a tile, or 256 for those of 96 or 128 columns.
    - `splits`: blocks of a thread-block cluster that share the keys of a tile, 1
      (the default), 2, 4 or 8: each has a range of them, and then a part of the
      results of all, which are added in the order of the blocks. The columns are a
      multiple of 8 times `splits` then; neither with `blocks` nor with
      `async_store`.
    - `resident`: blocks that share a multiprocessor, 1 (the default), or 2 of tiles
      of 64 rows: a thread that multiplies has 232 registers then as well, as those
      that copy give up theirs.
    - `warp_products`: whether warps multiply (mma.sync) what the threads of the first
      warp group copy (cp.async), on all targets from sm_80 on; false, the default, is
      for sm_90a alone. `rows` is 64 or 128 then, `keys` at most 128, and neither
      `blocks` nor `async_store` nor `splits` is given.
    - `query_stages`: tiles whose queries a block has in shared memory at once, 1
      (the default), or 2 with `blocks`: the scores of a tile's first block of keys
      are multiplied together with the last weighted values of the tile before, so
      that tensor cores have work while a tile ends.

    Example: `#tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 128, stages = 2, blocks = 132, async_store = true, query_stages = 2>`
  }];
  let parameters = (ins "int64_t":$vector_dim, "int64_t":$rows, "int64_t":$keys,
                        "int64_t":$stages,
                        DefaultValuedParameter<"int64_t", "0">:$blocks,
                        DefaultValuedParameter<"bool", "false">:$async_store,
                        DefaultValuedParameter<"int64_t", "1">:$splits,
                        DefaultValuedParameter<"int64_t", "1">:$resident,
                        DefaultValuedParameter<"bool", "false">:$warp_products,
                        DefaultValuedParameter<"int64_t", "1">:$query_stages);
}

def TC_GPUAttentionBackwardScheduleAttr : TC_ScheduleAttr<"GPUAttentionBackwardSchedule", "gpu_attention_backward_schedule", ["getVectorDim", "getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "gradients of attention in tiles on the tensor cores of a GPU (sm_90a)";
  let description = [{
    A `tc.attention_backward_stage` of bf16 or f16. A block has a tile of keys of one
    batch point and walks over the queries: one warp group copies, two others multiply
    and have the sums of half of the keys each in registers. What a block has for the
    gradients of a tile of queries is added to those in memory, in the order of the
    tiles of keys, so results are the same in every run (FlashAttention-2: Dao, 2023;
    FlashAttention-3: Shah et al., 2024).

    - `queries`: queries of a step, 64, or 128 of heads of at most 64.
    - `stages`: stages of the two rings of queries and of their gradients, at least 2.
    - `group`: batch points whose blocks run at about the same time, so that a cache
      has what they read; at least 1.
    - `blocks`: most blocks of the launch, which draw the tiles after their first
      from a counter in global memory, up to 65536; with 0 (the default) every tile
      has a block of its own.

    Example: `#tc.gpu_attention_backward_schedule<queries = 64, stages = 2, group = 8, blocks = 132>`
  }];
  let parameters = (ins "int64_t":$queries, "int64_t":$stages, "int64_t":$group,
                        DefaultValuedParameter<"int64_t", "0">:$blocks);
}

#endif // TC_GPUSCHEDULEATTRIBUTES
