//===- ScheduleAttributes.td - Schedules, one for each way of emission -*- tablegen -*-===//
//
// A schedule holds every decision of the machine model that the code generator
// follows, and the code generator reads every field. The kind of the attribute
// says which emitter computes the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULEATTRIBUTES
#define TC_SCHEDULEATTRIBUTES

include "TC/Dialect/TC/IR/TCBase.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"
include "mlir/IR/EnumAttr.td"

class TC_ScheduleAttr<string name, string attrMnemonic, list<string> methods>
    : AttrDef<TC_Dialect, name,
          [DeclareAttrInterfaceMethods<TC_ScheduleAttrInterface, methods>]> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def TC_LoopScheduleAttr : TC_ScheduleAttr<"LoopSchedule", "loop_schedule", ["withVectorDim", "verifyFor"]> {
  let summary = "a kernel computed point by point, in vectors, on a CPU";
  let description = [{
    Any kernel may have it, except one with a sort or a routine.

    - `vector_dim`: the dimension of the domain whose points are the lanes of a
      vector; -1, the default, for scalar code.
    - `vector_width`: lanes of one vector, a power of 2 from 1, the default, to
      64; 1 without a `vector_dim`.
    - `unroll`: vectors that are computed together, a power of 2 from 1, the
      default, to 32.
    - `block`: points of `vector_dim` that one iteration of the launch computes,
      rounded up to whole vectors; from 1 to 2^30, by default 4096, or 0 for all
      points. It counts where every dimension of the domain is an outer one, that
      is, divided among the iterations. An iteration of a kernel with other
      dimensions, such as a sum of columns, computes one vector.
    - `grain`: fewest iterations of the launch that one task runs; 1, the
      default, for as many as have `task_points` points together.
    - `task_points`: fewest points of the domain that one task computes; from 1
      to 2^40, by default 16384.
    - `kept_points`: most points of a row whose values a thread keeps on its
      stack for several loops; at most 2^17, by default 32768.
    - `kept_weight`: least time of an op, in additions, for its values to be kept
      for several loops rather than computed in each; a fifth of it where one
      loop would compute them for each point of another. From 1 to 1000, by
      default 20, which is the time of an exponential.
    - `max_stride`: largest stride, in elements, of lanes that are loaded as
      whole vectors, with the elements between the lanes; lanes of a larger
      stride are gathered. From 1 to 8, by default 4.
    - `nontemporal`: whether the outputs are written with non-temporal stores
      where they are aligned for them. It serves outputs that caches would evict
      before they are read.

    Example: `#tc.loop_schedule<vector_dim = 1, vector_width = 16, unroll = 4, grain = 8>`
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "-1">:$vector_dim,
                        DefaultValuedParameter<"int64_t", "1">:$vector_width,
                        DefaultValuedParameter<"int64_t", "1">:$unroll,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualBlock">:$block,
                        DefaultValuedParameter<"int64_t", "1">:$grain,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualTaskPoints">:$task_points,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualKeptPoints">:$kept_points,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualKeptWeight">:$kept_weight,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualMaxStride">:$max_stride,
                        DefaultValuedParameter<"bool", "false">:$nontemporal);
  let extraClassDeclaration = [{
    /// The same schedule with other stores.
    LoopScheduleAttr withNontemporal(bool nontemporal) const;
  }];
}

def TC_ContractionTileAttr : AttrDef<TC_Dialect, "ContractionTile"> {
  let mnemonic = "contraction_tile";
  let summary = "the sizes of a contraction's tiles";
  let description = [{
    Each size is from 1 to 2^20 points.

    - `rows`, `lanes`: the tile of results whose accumulators are registers.
    - `reduced`: points of the contracted dimensions whose operands are packed
      together.
    - `block_rows`, `block_lanes`: the block of results that one iteration of
      the launch computes, rounded up to whole tiles.

    Example: `#tc.contraction_tile<rows = 6, lanes = 64, reduced = 128, block_rows = 18, block_lanes = 64>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$lanes, "int64_t":$reduced,
                        "int64_t":$block_rows, "int64_t":$block_lanes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def TC_ContractionScheduleAttr : TC_ScheduleAttr<"ContractionSchedule", "contraction_schedule", ["withVectorDim", "verifyFor"]> {
  let summary = "a contraction computed in tiles of rows and lanes on a CPU";
  let description = [{
    - `vector_dim`: the dimension of the results whose points are lanes; exactly
      one operand varies over it.
    - `vector_width`: lanes of one vector, a power of 2 up to 64.
    - `tile`: the sizes of the tiles.
    - `few_below`: bytes. A call that writes less than this uses `few_tile`, and
      widens operands of f16 and bf16 to f32 where they are multiplied: rows are
      read in place, and panels are packed in their own type. This takes less
      memory and more time. 0, the default, means no call.
    - `few_tile`: the sizes of the tiles of these calls, present exactly where
      `few_below` is not 0. Its lanes may be fewer than `vector_width`; where
      panels are packed ahead they are those of `tile`.
    - `points_below`: multiply-adds. A call of fewer than this packs nothing, and
      computes each point of the results from operands that are read in place. 0,
      the default, means no call, and 2^63 - 1 every call. Kernels that overwrite
      an input, and those whose panels are packed ahead, compute tiles for all
      calls; tc-pack-parameters leaves them 0.
    - `task_multiply_adds`: fewest multiply-adds of a task; from 1 to 2^40.
    - `stack_multiply_adds`: multiply-adds that make a task worth its stack;
      from 1 to 2^40. Where the stacks of all tasks would take more than half
      the bytes that the kernel writes, tasks have at least so many, or are so
      few that their stacks do not take more.

    Example: `#tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 6, lanes = 64, reduced = 128, block_rows = 18, block_lanes = 64>>`
  }];
  let parameters = (ins "int64_t":$vector_dim, "int64_t":$vector_width,
                        "::tc::ContractionTileAttr":$tile,
                        DefaultValuedParameter<"int64_t", "0">:$few_below,
                        OptionalParameter<"::tc::ContractionTileAttr">:$few_tile,
                        DefaultValuedParameter<"int64_t", "0">:$points_below,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualTaskMultiplyAdds">:$task_multiply_adds,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualStackMultiplyAdds">:$stack_multiply_adds);
  let extraClassDeclaration = [{
    /// The same schedule, with other calls computed point by point.
    ContractionScheduleAttr withPointsBelow(int64_t multiplyAdds) const;
  }];
}

def TC_MultiplyAddKind : I32EnumAttr<"MultiplyAddKind", "registers that multiply and accumulate", [
  I32EnumAttrCase<"Vector", 0, "vector">, I32EnumAttrCase<"VectorBF16", 1, "vector_bf16">,
  I32EnumAttrCase<"AMX", 2, "amx">]> {
  let cppNamespace = "::tc";
  let genSpecializedAttr = 0;
}

def TC_AttentionScheduleAttr : TC_ScheduleAttr<"AttentionSchedule", "attention_schedule", ["getVectorDim", "withVectorDim", "verifyFor"]> {
  let summary = "attention computed a tile of query rows at a time on a CPU";
  let description = [{
    For each tile of query rows, code computes the scores of these rows with all
    keys, then the softmax weights, then the weighted sum of the values.

    - `multiply_adds`: `vector` for f32 in vector registers, which reads queries
      and values in place, widened to f32, and packs the keys; `vector_bf16` for
      pairs of bf16 in vector registers (AVX512-BF16); `amx` for pairs of bf16 in
      AMX tile registers. Pairs need both contractions to multiply bf16 and a
      target that has the instructions. Queries, keys and values are then packed,
      which takes more of a task's stack.
    - `rows`: query rows of a tile, whose accumulators fill at most 32 vector
      registers of 16 lanes; for `amx` a multiple of 16, with at most 1024
      accumulators.
    - `key_lanes`: lanes along the keys, in which scores are computed; a power of
      2 from 16 to 64.
    - `column_lanes`: lanes along the columns of the values; a power of 2 from 16
      to 64.
    - `softmax_lanes`: most lanes of the exponentials and of the epilogue, whose
      temporaries need registers; a power of 2 from 16 to 64, and at least 32 for
      `amx`.
    - `row_block`: query rows that one iteration of the launch computes, and for
      which it packs the keys once; 0, the default, for all rows of a head.
    - `few_rows`: query rows of the smaller tiles that compute the rows after the
      last whole tile; single rows follow them. From 1, the default, to `rows`.
      It is 1 for `amx`, where the last tile computes up to `rows` rows and
      writes those that exist.
    - `few_below`: bytes. A call that writes less than this uses tiles of at
      most `few_rows` rows, which take less of a task's stack. 0, the default,
      means no call.
    - `task_multiply_adds`, `stack_multiply_adds`: as in
      `#tc.contraction_schedule`.

    Example: `#tc.attention_schedule<multiply_adds = vector, rows = 6, key_lanes = 64, column_lanes = 64, softmax_lanes = 32, row_block = 96, few_rows = 2>`
  }];
  let parameters = (ins EnumParameter<TC_MultiplyAddKind>:$multiply_adds,
                        "int64_t":$rows, "int64_t":$key_lanes, "int64_t":$column_lanes,
                        "int64_t":$softmax_lanes,
                        DefaultValuedParameter<"int64_t", "0">:$row_block,
                        DefaultValuedParameter<"int64_t", "1">:$few_rows,
                        DefaultValuedParameter<"int64_t", "0">:$few_below,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualTaskMultiplyAdds">:$task_multiply_adds,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualStackMultiplyAdds">:$stack_multiply_adds);
}

def TC_TransposeScheduleAttr : TC_ScheduleAttr<"TransposeSchedule", "transpose_schedule", ["withVectorDim", "verifyFor"]> {
  let summary = "a pointwise kernel that transposes squares in registers on a CPU";
  let description = [{
    The writes are contiguous along one dimension and some read along another.

    - `vector_dim`: the dimension along which the writes are contiguous. Where
      its size is 2 and its elements, of 16 bits, are copied as a pair, lanes are
      pairs along the dimension whose stride in the output is 2, and the fields
      below count pairs.
    - `vector_width`: rows and lanes of the square that is transposed in
      registers; a power of 2 from 2 to 16.
    - `tile_rows`, `tile_lanes`: points that one iteration of the launch covers,
      along the dimension that is read contiguously and along the one that is
      written contiguously, rounded up to whole squares; from 1 to 2^20.
    - `task_points`: as in `#tc.loop_schedule`.
    - `nontemporal`: as in `#tc.loop_schedule`; false for pairs.

    Example: `#tc.transpose_schedule<vector_dim = 1, vector_width = 16, tile_rows = 64, tile_lanes = 64>`
  }];
  let parameters = (ins "int64_t":$vector_dim, "int64_t":$vector_width,
                        "int64_t":$tile_rows, "int64_t":$tile_lanes,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualTaskPoints">:$task_points,
                        DefaultValuedParameter<"bool", "false">:$nontemporal);
  let extraClassDeclaration = [{
    /// The same schedule with other stores.
    TransposeScheduleAttr withNontemporal(bool nontemporal) const;
  }];
}

def TC_TaskScheduleAttr : TC_ScheduleAttr<"TaskSchedule", "task_schedule", ["getVectorDim", "withVectorDim", "verifyFor"]> {
  let summary = "a sort or a routine, in tasks with a workspace, on a CPU";
  let description = [{
    A routine of a module for a GPU has it too: the host computes it.

    - `tasks`: most tasks of the launch; from 1 to 65536. Each task has workspace
      for one iteration and runs its iterations one after the other.
    - `task_points`: least work of one task, in points of a pointwise kernel; from
      1 to 2^40, by default 16384.

    Example: `#tc.task_schedule<tasks = 16>`
  }];
  let parameters = (ins "int64_t":$tasks,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualTaskPoints">:$task_points);
}

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
    - `threads`: threads of a block; a power of 2 from 32 to 1024.

    Example: `#tc.gpu_loop_schedule<vector_dim = 1, vector_width = 4, units = 2, threads = 256>`
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "-1">:$vector_dim,
                        DefaultValuedParameter<"int64_t", "1">:$vector_width,
                        DefaultValuedParameter<"int64_t", "1">:$units,
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
                        DefaultValuedParameter<"int64_t", "0">:$blocks);
}

def TC_GPUSharedMemoryRowScheduleAttr : TC_ScheduleAttr<"GPUSharedMemoryRowSchedule", "gpu_shared_memory_row_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a kernel of rows that blocks of a GPU copy to shared memory";
  let description = [{
    A kernel that folds along `vector_dim`, and may write along it, whose rows
    begin anywhere in memory, are short, or have elements at a stride. A block
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

    Example: `#tc.gpu_transpose_schedule<vector_dim = 1, vector_width = 4, tile = 64, rows = 128, threads = 256>`
  }];
  let parameters = (ins "int64_t":$vector_dim,
                        DefaultValuedParameter<"int64_t", "1">:$vector_width,
                        "int64_t":$tile,
                        "int64_t":$rows,
                        "int64_t":$threads);
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

    - `threads`: threads of a block; a power of 2 from 32 to 1024.
    - `strips`: blocks that share the destinations of one point of the outer
      dimensions; a power of 2 from 1 to 1024.
    - `atomic`: whether points are computed in any order and combined by atomic
      operations. Where they replace, launches before find the last point of each
      element by atomic maxima in workspace. It is faster where many points meet
      in few elements; sums of floats may then differ from run to run in their
      last bits, everything else is the same in every run. It needs writes that
      replace, or that combine f32, f64, i32 or i64 by a sum, or these integers
      by a maximum or minimum. False, the default, is the order of the domain.

    Example: `#tc.gpu_scatter_schedule<threads = 256, strips = 8>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$strips,
                        DefaultValuedParameter<"bool", "false">:$atomic);
}

def TC_GPUContractionScheduleAttr : TC_ScheduleAttr<"GPUContractionSchedule", "gpu_contraction_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a contraction in tiles on the tensor cores of a GPU (sm_90a)";
  let description = [{
    A product of two matrices of bf16 or f16 that are read as they are, with sums
    in f32 and any pointwise epilogue. Blocks stay for several tiles of results.
    In each, one warp group copies tiles of both matrices to a ring of stages in
    shared memory, 64 points of what is summed over at a time, and the others
    multiply them, 64 rows of the tile each.

    - `vector_dim`: the dimension along which the results are contiguous, that of
      the lanes of a tile.
    - `rows`: rows of a tile; 64 or 128.
    - `lanes`: lanes of a tile; a multiple of 8 up to 256, and one of 64 where the
      operand that has them is contiguous along them.
    - `stages`: stages of the ring, at least 2, that fit into the 227 KiB of shared
      memory of a block, as (`rows` + `lanes`) times 128 bytes and 16 more for each.
    - `blocks`: most blocks of the launch; from 1 to 65536.
    - `group`: rows of tiles that are walked together; from 1 to 65536.

    Example: `#tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 256, stages = 4, blocks = 132, group = 16>`
  }];
  let parameters = (ins "int64_t":$vector_dim, "int64_t":$rows, "int64_t":$lanes,
                        "int64_t":$stages, "int64_t":$blocks, "int64_t":$group);
  let extraClassDeclaration = [{
    /// Bytes of a row or a lane of a tile in a stage; the most stages that fit.
    static constexpr int64_t kRowBytes = 128;
    static int64_t getMostStages(int64_t rows, int64_t lanes);
  }];
}

def TC_LibraryKind : I32EnumAttr<"LibraryKind", "a library that a target may have", [
  I32EnumAttrCase<"CuBLASLt", 0, "cublaslt">]> {
  let cppNamespace = "::tc";
  let genSpecializedAttr = 0;
}

def TC_ProductActivation : I32EnumAttr<"ProductActivation", "what a library's product of matrices ends with", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Relu", 1, "relu">,
  I32EnumAttrCase<"GeluTanh", 2, "gelu_tanh">]> {
  let cppNamespace = "::tc";
  let genSpecializedAttr = 0;
}

def TC_ProductActivationParameter : EnumParameter<TC_ProductActivation> {
  let defaultValue = "::tc::ProductActivation::None";
}

def TC_LibraryScheduleAttr : TC_ScheduleAttr<"LibrarySchedule", "library_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a product of matrices that a library computes on a GPU";
  let description = [{
    The kernel is D = activation(scale * A * B + bias) for each point of its batch
    dimensions, and becomes a call of the library. The library's matrices are
    column-major: the dimension along which D is contiguous is that of its rows,
    and A is the input that varies along it.

    - `library`: `cublaslt`. The module's `tc.libraries` has it.
    - `a`, `b`: the numbers of the inputs that are A and B.
    - `transpose_a`, `transpose_b`: whether the library transposes them. A in
      memory has contiguous rows with `transpose_a` and contiguous columns
      without it, as the library counts; B likewise. False by default.
    - `bias`: the number of the input with a number for each row of D; -1, the
      default, for none.
    - `activation`: `none`, the default, `relu`, or `gelu_tanh`.
    - `scale`: what the product is multiplied by, an f32; by default 1.
    - `workspace`: bytes of memory for the library, which splits sums for it; a
      multiple of 256 from 0, the default, to 2^30.

    Example: `#tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true, bias = 2, activation = relu, workspace = 1048576>`
  }];
  let parameters = (ins EnumParameter<TC_LibraryKind>:$library,
                        "int64_t":$a, "int64_t":$b,
                        DefaultValuedParameter<"bool", "false">:$transpose_a,
                        DefaultValuedParameter<"bool", "false">:$transpose_b,
                        DefaultValuedParameter<"int64_t", "-1">:$bias,
                        TC_ProductActivationParameter:$activation,
                        OptionalParameter<"::mlir::FloatAttr">:$scale,
                        DefaultValuedParameter<"int64_t", "0">:$workspace);
  let extraClassDeclaration = [{
    /// The same schedule with other bytes of workspace.
    LibraryScheduleAttr withWorkspace(int64_t bytes) const;
  }];
}

#endif // TC_SCHEDULEATTRIBUTES
