//===- ScheduleAttributes.td - Schedules, one for each way of emission -*- tablegen -*-===//
//
// A schedule holds every decision of the machine model that the code generator
// follows, and the code generator reads every field. The kind of the attribute
// says which emitter computes the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULEATTRIBUTES
#define TC_SCHEDULEATTRIBUTES

include "TC/Dialect/TC/IR/ScheduleBase.td"
include "mlir/IR/EnumAttr.td"

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

def TC_PanelKind : I32EnumAttr<"PanelKind", "how tiles read the operand with the lanes", [
  I32EnumAttrCase<"Packed", 0, "packed">, I32EnumAttrCase<"Lanes", 1, "lanes">,
  I32EnumAttrCase<"Points", 2, "points">]> {
  let cppNamespace = "::tc";
  let genSpecializedAttr = 0;
}

def TC_PanelKindParameter : EnumParameter<TC_PanelKind> {
  let defaultValue = "::tc::PanelKind::Packed";
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
    - `panel`: how the tile reads the operand with the lanes. `packed`, the
      default, reads panels: they are packed ahead, or the call packs them.
      `lanes` reads vectors of contiguous lanes in place, point after point.
      `points` reads vectors of contiguous reduced points in place: each of the
      `rows` by `lanes` accumulators is a vector register that holds parts of one
      result, and is added up after the last point. All reduced points are then
      one block, and `lanes` are at most a register's.
    - `panel_blocks`: blocks of `reduced` points of a panel that is packed at a
      time, where rows are read in place: a tile multiplies them one after the
      other, so that it reads longer runs of each row. 1 is the default. Other
      tiles have one block in a panel, whatever this says.

    Example: `#tc.contraction_tile<rows = 6, lanes = 64, reduced = 128, block_rows = 18, block_lanes = 64>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$lanes, "int64_t":$reduced,
                        "int64_t":$block_rows, "int64_t":$block_lanes,
                        TC_PanelKindParameter:$panel,
                        DefaultValuedParameter<"int64_t", "1">:$panel_blocks);
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
    - `fetch_parts`: parts of the next panel that tiles fetch while they multiply
      the one before: at each reduced point, tile number t of a panel's rows asks
      for the point's share of part t mod `fetch_parts`, in whole cache lines, to
      be in the core's cache. It serves tiles of few rows, whose panels come from
      main memory about as fast as they are multiplied. From 1, where each tile
      fetches the whole panel, to 64; 0, the default, for none. Only panels that
      are packed ahead are fetched, and the lanes of a tile after those of a tile
      with `panel = points`.
    - `fetch_points`: how many reduced points ahead a tile with `panel = lanes`
      asks for its lanes to be in the core's cache; from 1 to 64, or 0, the
      default, for none.

    Example: `#tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 6, lanes = 64, reduced = 128, block_rows = 18, block_lanes = 64>>`
  }];
  let parameters = (ins "int64_t":$vector_dim, "int64_t":$vector_width,
                        "::tc::ContractionTileAttr":$tile,
                        DefaultValuedParameter<"int64_t", "0">:$few_below,
                        OptionalParameter<"::tc::ContractionTileAttr">:$few_tile,
                        DefaultValuedParameter<"int64_t", "0">:$points_below,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualTaskMultiplyAdds">:$task_multiply_adds,
                        DefaultValuedParameter<"int64_t", "::tc::kUsualStackMultiplyAdds">:$stack_multiply_adds,
                        DefaultValuedParameter<"int64_t", "0">:$fetch_parts,
                        DefaultValuedParameter<"int64_t", "0">:$fetch_points);
  let extraClassDeclaration = [{
    /// The same schedule, with other calls computed point by point.
    ContractionScheduleAttr withPointsBelow(int64_t multiplyAdds) const;
    /// Whether some calls read the operand with the lanes in place.
    bool readsPanelsInPlace() const {
      auto isInPlace = [](ContractionTileAttr tile) {
        return tile && tile.getPanel() != PanelKind::Packed;
      };
      return isInPlace(getTile()) || isInPlace(getFewTile());
    }
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
