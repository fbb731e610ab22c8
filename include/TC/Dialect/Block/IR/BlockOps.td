//===- BlockOps.td - Ops of the block dialect --------------*- tablegen -*-===//

#ifndef BLOCK_OPS
#define BLOCK_OPS

include "TC/Dialect/Block/IR/BlockBase.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

def Block_WarpOp : Block_Op<"warp", [Pure]> {
  let summary = "the number of a thread's warp in its block";
  let description = [{
    The assembler knows that a warp has it in common: what is computed of it, such
    as an address in shared memory, takes no register of each thread.

    Example: `%w = block.warp : i32`
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Block_RoleOp : Block_Op<"role"> {
  let summary = "what a warp group is for: the registers of its threads";
  let description = [{
    From here on each thread of the warp group has `registers` registers: a
    multiple of 8 from 24 to 256. Those that only start copies give up what those
    that multiply take. Every thread of the warp group runs it once.

    Example: `block.role registers = 240 more`
  }];
  let arguments = (ins I64Attr:$registers, UnitAttr:$more);
  let hasVerifier = 1;
  let assemblyFormat = "`registers` `=` $registers (`more` $more^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

def Block_PipelineOp : Block_Op<"pipeline"> {
  let summary = "make a pipeline in shared memory";
  let description = [{
    The stages are at `offset`, a multiple of 1024, or of 16 where they are words,
    of the dynamic shared memory of the block; all are empty. A stage is full once
    its producer, one thread, has
    armed it and the bytes of the stage have come. It is empty again once each of
    `consumers` warps has released it, of each block of the cluster. With
    `producers` n other than 1 (the default) n warps fill it, and it is full once
    each has run `block.give`, or n threads, which run `block.give_copies`. All threads of the cluster's blocks run it, and wait
    for each other.

    Example: `%p = block.pipeline at 0 consumers 8 : !block.pipeline<4, 49152>`
  }];
  let arguments = (ins I64Attr:$offset, I64Attr:$consumers, DefaultValuedOptionalAttr<I64Attr, "1">:$producers);
  let results = (outs Block_PipelineType:$result);
  let hasVerifier = 1;
  let assemblyFormat = "`at` $offset `consumers` $consumers (`producers` $producers^)? attr-dict `:` type($result)";
}

def Block_FirstSlotOp : Block_Op<"first_slot", [Pure]> {
  let summary = "the first stage, the first time";
  let description = [{
    Example: `%s = block.first_slot : !block.slot`
  }];
  let results = (outs Block_SlotType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Block_NextSlotOp : Block_Op<"next_slot", [Pure]> {
  let summary = "the stage that follows in the ring";
  let description = [{
    Example: `%n = block.next_slot %p, %s : !block.pipeline<4, 49152>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot);
  let results = (outs Block_SlotType:$result);
  let assemblyFormat = "$pipeline `,` $slot attr-dict `:` type($pipeline)";
}

def Block_AcquireOp : Block_Op<"acquire"> {
  let summary = "wait for an empty stage and arm it";
  let description = [{
    The one thread that produces waits until all consumers have released the
    stage, and says how many bytes will come: those of a stage, or `bytes` where
    boxes do not fill it. Copies of so many bytes follow.

    Example: `block.acquire %p, %s bytes 45056 : !block.pipeline<4, 49152>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot, OptionalAttr<I64Attr>:$bytes);
  let hasVerifier = 1;
  let assemblyFormat = "$pipeline `,` $slot (`bytes` $bytes^)? attr-dict `:` type($pipeline)";
}

def Block_CopyInOp : Block_Op<"copy_in", [AttrSizedOperandSegments]> {
  let summary = "copy a box of a tensor into a stage";
  let description = [{
    The one thread that acquired the stage starts the copy of a box of the tensor
    map `map` to `bytes` bytes from `offset`, a multiple of 1024, on in the stage:
    rows as wide as the map's swizzle, which those of the box need not fill. The
    coordinates of the box are from the outermost dimension of the map.
    Elements out of the tensor are zeros, and count.

    With `under` the map has a window: the box is of the pixels that are so far,
    along each dimension of pixels, from the places of the window from the
    coordinates on.

    With `shared` the box is a part of what all blocks of the pipeline's cluster
    need: it goes to the stage of each of them, as many times `bytes` bytes behind
    `offset` as the block has before it in the cluster.

    Example: `block.copy_in %map[%row, %k] to %p, %s at 0 bytes 16384 : !block.pipeline<4, 49152>`
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<0>:$map, Variadic<I32>:$coordinates, Variadic<I32>:$under,
                       Block_PipelineType:$pipeline, Block_SlotType:$slot,
                       I64Attr:$offset, I64Attr:$bytes, UnitAttr:$shared);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $map `[` $coordinates `]` (`under` `[` $under^ `]`)? `to` $pipeline `,` $slot `at` $offset `bytes` $bytes
    (`shared` $shared^)? attr-dict `:` type($pipeline)
  }];
}

def Block_AwaitEmptyOp : Block_Op<"await_empty"> {
  let summary = "wait for an empty stage";
  let description = [{
    Each thread of a warp group that fills the stage waits until all consumers
    have released it.

    Example: `block.await_empty %p, %s : !block.pipeline<4, 49152>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot);
  let assemblyFormat = "$pipeline `,` $slot attr-dict `:` type($pipeline)";
}

def Block_ExpectOp : Block_Op<"expect"> {
  let summary = "say how many bytes of copies come to a stage that threads fill";
  let description = [{
    One thread of those that fill the stage runs it, and starts copies of `bytes`
    bytes then. The stage is full once these have come and `block.publish` has
    been run.

    Example: `block.expect %p, %s bytes 16384 : !block.pipeline<4, 49152>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot, I64Attr:$bytes);
  let hasVerifier = 1;
  let assemblyFormat = "$pipeline `,` $slot `bytes` $bytes attr-dict `:` type($pipeline)";
}

def Block_StoreInOp : Block_Op<"store_in"> {
  let summary = "store 16 bytes into a stage";
  let description = [{
    A thread stores 8 elements of 16 bits, 16 of 8, or 4 of f32, where a box with a swizzle of 128 bytes,
    `offset` bytes, a multiple of 1024, in the stage, has unit number `unit`, from 0
    to 7, of row number `row`.

    Example: `block.store_in %v to %p, %s at 0 row %r unit %u : vector<8xbf16>, !block.pipeline<4, 49152>`
  }];
  let arguments = (ins AnyTypeOf<[VectorOfLengthAndType<[8], [I16, BF16, F16]>,
                                  VectorOfLengthAndType<[16], [I8]>, VectorOfLengthAndType<[4], [F32]>]>:$values,
                       Block_PipelineType:$pipeline,
                       Block_SlotType:$slot, I64Attr:$offset, I32:$row, I32:$unit);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $values `to` $pipeline `,` $slot `at` $offset `row` $row `unit` $unit attr-dict
    `:` type($values) `,` type($pipeline)
  }];
}

def Block_StoreWordsOp : Block_Op<"store_words"> {
  let summary = "store a warp's part of an accumulator, rounded, into a stage";
  let description = [{
    The threads of a warp have 16 rows of 32 or 64 elements of 16 bits, in 8 or 16
    words of two, as for `block.copy_out`. They are stored as rows of a box with a
    swizzle of as many bytes as a row has, from `place` bytes in the stage on, a
    multiple of 1024 that a warp has in common.

    Example: `block.store_words %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7 to %p, %s at %place : !block.pipeline<2, 16384>`
  }];
  let arguments = (ins Variadic<I32>:$words, Block_PipelineType:$pipeline, Block_SlotType:$slot, I32:$place);
  let hasVerifier = 1;
  let assemblyFormat = "$words `to` $pipeline `,` $slot `at` $place attr-dict `:` type($pipeline)";
}

def Block_StoreValuesOp : Block_Op<"store_values"> {
  let summary = "store a warp's part of an accumulator into a stage";
  let description = [{
    The values of a thread of a warp group, as `block.mma_wait` gives them, are
    stored in boxes, one after the other, with a swizzle of 128 bytes: `rows` rows of
    32 elements. The warp group has the rows of the boxes from number `first` on, or,
    `across`, the elements of the rows: `first` is a multiple of 64 that a warp has in
    common then, counted through all boxes.

    Example: `block.store_values %v to %p, %s rows 64 first %f across : vector<32xf32>, !block.pipeline<1, 32768>`
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32]>:$values, Block_PipelineType:$pipeline,
                       Block_SlotType:$slot, I64Attr:$rows, I32:$first, UnitAttr:$across);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $values `to` $pipeline `,` $slot `rows` $rows `first` $first (`across` $across^)? attr-dict
    `:` type($values) `,` type($pipeline)
  }];
}

def Block_GiveOp : Block_Op<"give"> {
  let summary = "give a warp's part of a stage to those that read it";
  let description = [{
    All threads of a warp run it behind what they have stored into the stage, which
    the copy engine and tensor cores read then. The stage is full once each of the
    pipeline's producers has.

    Example: `block.give %p, %s : !block.pipeline<1, 32768>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot);
  let assemblyFormat = "$pipeline `,` $slot attr-dict `:` type($pipeline)";
}

def Block_MeetGroupsOp : Block_Op<"meet_groups"> {
  let summary = "the warp groups that multiply wait for each other";
  let description = [{
    All threads of `groups` warp groups run it. Tensor cores read what any of them
    has stored to shared memory before.

    Example: `block.meet_groups 2`
  }];
  let arguments = (ins I64Attr:$groups);
  let hasVerifier = 1;
  let assemblyFormat = "$groups attr-dict";
}

def Block_PublishOp : Block_Op<"publish"> {
  let summary = "give a stage that threads have filled to those that multiply";
  let description = [{
    All threads of the warp group that fills the stage run it, behind what each of
    them stores. One warp group of a block does so at most.

    Example: `block.publish %p, %s : !block.pipeline<4, 49152>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot);
  let assemblyFormat = "$pipeline `,` $slot attr-dict `:` type($pipeline)";
}

def Block_PutWordsOp : Block_Op<"put_words"> {
  let summary = "tell numbers to those that wait for a stage";
  let description = [{
    The one thread that produces waits until all consumers have released the
    stage, and gives it to them with up to 4 `values` in it; no copies come.

    Example: `block.put_words %n to %p, %s : !block.pipeline<1, 16>`
  }];
  let arguments = (ins Variadic<I32>:$values, Block_PipelineType:$pipeline, Block_SlotType:$slot);
  let hasVerifier = 1;
  let assemblyFormat = "$values `to` $pipeline `,` $slot attr-dict `:` type($pipeline)";
}

def Block_TakeWordsOp : Block_Op<"take_words"> {
  let summary = "the numbers that a stage was given with";
  let description = [{
    Waits until the stage is full. The warp releases it behind that.

    Example: `%n:2 = block.take_words %p, %s : !block.pipeline<1, 16> -> i32, i32`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot);
  let results = (outs Variadic<I32>:$values);
  let hasVerifier = 1;
  let assemblyFormat = "$pipeline `,` $slot attr-dict `:` type($pipeline) `->` type($values)";
}

def Block_WaitFullOp : Block_Op<"wait_full"> {
  let summary = "wait until a stage is full";
  let description = [{
    Example: `block.wait_full %p, %s : !block.pipeline<4, 49152>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot);
  let assemblyFormat = "$pipeline `,` $slot attr-dict `:` type($pipeline)";
}

def Block_LoadInOp : Block_Op<"load_in"> {
  let summary = "load f32 from a stage";
  let description = [{
    From a stage that is full: neighbours, 2 or 4 of them, from number `index`, a
    multiple of so many, of those that a box without a swizzle has, `offset` bytes
    in the stage.

    Example: `%v = block.load_in %p, %s at 0 index %i : !block.pipeline<4, 49152> -> vector<2xf32>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot, I64Attr:$offset, I32:$index);
  let results = (outs VectorOfLengthAndType<[2, 4], [F32]>:$values);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $pipeline `,` $slot `at` $offset `index` $index attr-dict `:` type($pipeline) `->` type($values)
  }];
}

def Block_ReleaseOp : Block_Op<"release"> {
  let summary = "give a stage back";
  let description = [{
    All threads of a warp, or its first one alone, run it once nothing that the warp
    does reads the stage: products of it are done. It has no branch, so it may stand
    between products.

    Example: `block.release %p, %s : !block.pipeline<4, 49152>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot);
  let assemblyFormat = "$pipeline `,` $slot attr-dict `:` type($pipeline)";
}

def Block_LeaveOp : Block_Op<"leave"> {
  let summary = "wait until no block of the cluster needs this one's memory";
  let description = [{
    All threads of the blocks of a cluster run it at their end: until then others
    copy to a block's stages and arrive at its barriers. In a cluster of one block
    it does nothing.

    Example: `block.leave %p : !block.pipeline<4, 49152, cluster 2>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline);
  let assemblyFormat = "$pipeline attr-dict `:` type($pipeline)";
}

def Block_MeetOp : Block_Op<"meet"> {
  let summary = "wait until all threads of the cluster are there";
  let description = [{
    What they have written to shared memory before is seen by all behind it. Each
    thread of each block of the cluster runs one, wherever in the code.

    Example: `block.meet`
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def Block_MmaOp : Block_Op<"mma", [AttrSizedOperandSegments]> {
  let summary = "add the products of two matrices in a stage";
  let description = [{
    A warp group begins to add the product of a matrix of 64 rows by `depth`
    elements and one of `depth` by as many columns as the accumulator has, of
    bf16, f16, f8E4M3FN, f8E5M2 or signed i8, to `accumulator`, or to zeros where
    there is none or `adds`, which a warp group has in common, is false: of i32 for i8, of f32 otherwise. The second may be `by` another
    of the two types of f8. `depth` is a multiple of 32 bytes up to 128. The matrices are in a stage that is full and stays
    so until the products are done: the first `a` bytes (a value, which a warp
    group has in common) from its beginning, the second at `b` and, with `shift`,
    so many bytes (another value) behind that, all multiples of
    1024. The first one may be in a stage of another pipeline, `of` which it is
    then.

    Each matrix is what boxes with a swizzle of 128 bytes have become: rows along
    the dimension that is summed over, or, with `a_across` or `b_across`, which
    elements of 8 bits cannot have, rows along the other dimension, and, where there
    are more of these, one box after the other, the last of which may have more
    elements than the matrix. Where rows are along the sum, a `depth` below
    that of a row is that of its first elements.

    Example: `%d = block.mma %p, %s a %offset b 16384 depth 64 type bf16 accumulate %c : !block.pipeline<4, 49152>, !block.accumulator<256>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot, I32:$a, I64Attr:$b,
                       I64Attr:$depth, TypeAttrOf<AnyTypeOf<[BF16, F16, F8E4M3FN, F8E5M2, I8]>>:$element,
                       OptionalAttr<TypeAttrOf<AnyTypeOf<[F8E4M3FN, F8E5M2]>>>:$b_element,
                       UnitAttr:$a_across, UnitAttr:$b_across,
                       Optional<Block_PipelineType>:$a_pipeline, Optional<Block_SlotType>:$a_slot,
                       Optional<Block_AccumulatorType>:$accumulator, Optional<I1>:$adds,
                       Optional<I32>:$shift);
  let results = (outs Block_AccumulatorType:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $pipeline `,` $slot `a` $a (`of` $a_pipeline^ `,` $a_slot `:` type($a_pipeline))? (`across` $a_across^)? `b` $b (`shift` $shift^)? (`across` $b_across^)? `depth` $depth `type` $element (`by` $b_element^)?
    (`accumulate` $accumulator^ (`if` $adds^)? `:` type($accumulator))? attr-dict `:` type($pipeline) `->` type($result)
  }];
}

def Block_MmaWordsOp : Block_Op<"mma_words", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "add the products of a matrix in registers and one in a stage";
  let description = [{
    As `block.mma`, of a matrix of 64 rows whose elements, of type `type`, the
    threads of the warp group have in words of two: as `block.mma_wait` gives
    values, so n words of each thread are 4 n columns, a multiple of 16 up to 256.
    The other matrix, of as many rows, is at `b` in the stage: boxes of rows of 64
    elements along the columns of the accumulator, one box after the other. Boxes
    have as many rows, or `box_rows`, a multiple of 8, of which these are a part.
    The words stay in their registers until a `block.mma_wait` keeps them.

    Example: `%d = block.mma_words %p, %s b 0 type bf16 accumulate %c words %w0, %w1, %w2, %w3 : !block.pipeline<2, 2048>, !block.accumulator<64>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot, I64Attr:$b,
                       TypeAttrOf<AnyTypeOf<[BF16, F16]>>:$element, Block_AccumulatorType:$accumulator,
                       Variadic<I32>:$words, OptionalAttr<I64Attr>:$box_rows);
  let results = (outs Block_AccumulatorType:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $pipeline `,` $slot `b` $b (`box_rows` $box_rows^)? `type` $element `accumulate` $accumulator `words` $words attr-dict
    `:` type($pipeline) `,` type($result)
  }];
}

def Block_AccumulatorOp : Block_Op<"accumulator", [Pure]> {
  let summary = "an accumulator of the values that threads have";
  let description = [{
    Takes the values as `block.mma_wait` gives them.

    Example: `%c = block.accumulator %v : vector<64xf32> -> !block.accumulator<128>`
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32]>:$values);
  let results = (outs Block_AccumulatorType:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$values attr-dict `:` type($values) `->` type($result)";
}

def Block_MmaWaitEarlierOp : Block_Op<"mma_wait_earlier"> {
  let summary = "wait for all products but those of the last ones";
  let description = [{
    Of the warp group: but those of the last `block.mma` or `block.mma_words`, or
    of as many of them as it is `but`. The stages of these products may be released
    then. Words that they read stay in their registers until here where they are
    `kept`.

    Example: `block.mma_wait_earlier`, and with one after two more `block.mma_wait_earlier but 2`
  }];
  let arguments = (ins DefaultValuedOptionalAttr<I64Attr, "1">:$behind, Variadic<I32>:$kept);
  let hasVerifier = 1;
  let assemblyFormat = "(`but` $behind^)? (`kept` $kept^)? attr-dict";
}

def Block_MmaWaitOp : Block_Op<"mma_wait"> {
  let summary = "wait for all products, and read an accumulator";
  let description = [{
    The values of a thread. Thread t of the warp group has, of row t / 32 * 16 + t
    mod 32 / 4 and of the row 8 below, for every 8 columns those at 2 * (t mod 4)
    and behind: value 4 i + 2 h + e is of column 8 i + 2 * (t mod 4) + e, and of the
    lower row where h is 1.

    With `earlier` n it waits for all products but those of the last n
    `block.mma` or `block.mma_words`, which are added to other accumulators. Words
    that products read stay in their registers until here where they are `kept`.

    Example: `%v = block.mma_wait %c : !block.accumulator<256> -> vector<128xf32>`
  }];
  let arguments = (ins Block_AccumulatorType:$accumulator,
                       DefaultValuedOptionalAttr<I64Attr, "0">:$earlier, Variadic<I32>:$kept);
  let results = (outs VectorOfRankAndType<[1], [F32, I32]>:$values);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $accumulator (`earlier` $earlier^)? (`kept` $kept^)? attr-dict
    `:` type($accumulator) `->` type($values)
  }];
}

include "TC/Dialect/Block/IR/BlockResultOps.td"
include "TC/Dialect/Block/IR/BlockWarpOps.td"

#endif // BLOCK_OPS
