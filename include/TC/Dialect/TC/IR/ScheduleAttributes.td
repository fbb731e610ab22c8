//===- ScheduleAttributes.td - Schedules, one for each way of emission -*- tablegen -*-===//
//
// A schedule holds every decision that the code generator follows, and nothing
// that it does not read. The attribute itself says which emitter computes the
// kernel.
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
    Any kernel but a sort or a routine may have it.

    - `vector_dim`: the dimension of the domain whose points are the lanes of a
      vector; -1, the default, for code of scalars.
    - `vector_width`: lanes of one vector, a power of 2 up to 64; 1 without a
      `vector_dim`.
    - `unroll`: vectors that are computed together, a power of 2 up to 32.
    - `block`: points of `vector_dim` that one iteration of the launch computes,
      rounded up to whole vectors, where all dimensions are outer ones; 0 for all
      points, at most 2^30, by default 4096. An iteration of a kernel that walks
      other dimensions, as the sum of columns does, computes one vector.
    - `grain`: fewest iterations of the launch that one task gets; 1, the
      default, for as many as come to `task_points`.
    - `task_points`: points of the domain that are worth a task; from 1 to 2^40,
      by default 16384.
    - `kept_points`: most points of a row whose values are kept on the stack of a
      thread for several loops; at most 2^17, by default 32768.
    - `kept_weight`: additions that an op takes as long as, at least, for its
      values to be kept for several loops rather than computed in each; a fifth
      of it where one loop computes them again for each point of another. From 1
      to 1000, by default 20, which an exponential takes.
    - `max_stride`: widest stride, in elements, of lanes that are loaded in whole
      vectors together with what is between them; lanes of a wider one are
      gathered. From 1 to 8, by default 4.
    - `nontemporal`: the outputs are written with non-temporal stores where
      their alignment allows it: right for outputs that no cache would hold
      until they are read.

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
    Each from 1 to 2^20 points.

    - `rows`, `lanes`: the tile of results that registers accumulate.
    - `reduced`: reduced points whose operands are packed together.
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
    - `vector_dim`: the dimension of the results whose points are lanes; one
      operand alone varies over it.
    - `vector_width`: lanes of one vector, a power of 2 up to 64.
    - `tile`: the sizes of the tiles.
    - `few_below`: bytes; calls that write less use `few_tile` instead, and
      leave operands of f16 and bf16 as they are: rows are read in place, panels
      packed in their type, and both are widened to f32 where they are
      multiplied, which takes less memory and more time. 0, the default, is for
      no call.
    - `few_tile`: the sizes for these calls; present where `few_below` is. Its
      lanes may be less than `vector_width`; of panels that are packed ahead
      they are those of `tile`.
    - `points_below`: multiply-adds; calls of fewer pack nothing and compute
      each point of the results from the operands where they are. 0, the
      default, is for no call. Kernels that write over an input, and those whose
      panels are packed ahead, compute tiles for all calls.
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
    Of each tile's rows the scores with all keys are computed, then their
    weights, then the weighted sum of the values.

    - `multiply_adds`: `vector` for those of f32 in vector registers, which read
      queries and values in place, widened, and pack the keys; `vector_bf16` for
      pairs of bf16 in vector registers (AVX512-BF16), `amx` for pairs of bf16 in
      AMX tile registers. Pairs need both contractions to multiply bf16, a target
      that has the instructions, and packed queries, keys and values, which take
      more of a task's stack.
    - `rows`: query rows of a tile, whose accumulators fill at most 32 vector
      registers of 16 lanes; of `amx` a multiple of 16, with at most 1024
      accumulators.
    - `key_lanes`: lanes along the keys, of the scores; a power of 2 from 16 to
      64.
    - `column_lanes`: lanes along the columns of the values; the same.
    - `softmax_lanes`: most lanes of the exponentials and of what follows the
      weighted sum, whose temporaries need registers; the same, and at least 32
      for `amx`.
    - `row_block`: query rows that one iteration of the launch computes, which
      packs the keys for them; 0, the default, for all rows of a head.
    - `few_rows`: query rows of the tiles that take what whole tiles leave over,
      before single rows do; from 1, the default, to `rows`. 1 for `amx`, whose
      last tile may have fewer rows that count.
    - `few_below`: bytes; calls that write less compute no tiles of more than
      `few_rows` rows, which take less of a task's stack. 0, the default, is for
      no call.
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
    Some read is contiguous along another dimension than the writes.

    - `vector_dim`: the dimension along which the writes are contiguous. Where
      it is one of two elements of 16 bits that are copied as a pair, lanes run
      along the next one, and a pair counts as one element below.
    - `vector_width`: rows and lanes of the square that is transposed in
      registers; a power of 2 from 2 to 16.
    - `tile_rows`, `tile_lanes`: points along the dimension that is read and
      along the one that is written which one iteration of the launch covers,
      rounded up to whole squares; from 1 to 2^20.
    - `task_points`: as in `#tc.loop_schedule`.
    - `nontemporal`: as in `#tc.loop_schedule`; not for pairs.

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
    - `tasks`: most tasks of the launch, each of which has workspace for one
      iteration and takes its iterations one after the other; from 1 to 65536.
    - `task_points`: work that is worth a thread, in points of a pointwise
      kernel; from 1 to 2^40, by default 16384.

    Example: `#tc.task_schedule<tasks = 16>`
  }];
  let parameters = (ins "int64_t":$tasks,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualTaskPoints">:$task_points);
}

def TC_GPULoopScheduleAttr : TC_ScheduleAttr<"GPULoopSchedule", "gpu_loop_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a kernel computed point by point on the threads of a GPU";
  let description = [{
    - `vector_dim`: the dimension that neighbouring threads go along; -1, the
      default, for none. Where it is reduced, the threads of a block share a row.
    - `threads`: threads of a block, a power of 2 from 32 to 1024.

    Example: `#tc.gpu_loop_schedule<vector_dim = 1, threads = 256>`
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "-1">:$vector_dim,
                        "int64_t":$threads);
}

#endif // TC_SCHEDULEATTRIBUTES
