//===- BlockResultOps.td - Ops on what has been multiplied -*- tablegen -*-===//

#ifndef BLOCK_RESULT_OPS
#define BLOCK_RESULT_OPS

include "TC/Dialect/Block/IR/BlockBase.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

def Block_CopyOutOp : Block_Op<"copy_out", [AttrSizedOperandSegments]> {
  let summary = "copy a warp's part of an accumulator to a tensor";
  let description = [{
    The threads of a warp have 16 rows of 32 or 64 elements of 16 bits, in 8 or 16
    words of two: word 2 i + h of thread t is of columns 8 i + 2 * (t mod 4) and
    behind, in row t / 4 mod 8 + 8 h, as `block.mma_wait` gives them. The copy
    engine stores them as a box of the tensor map `map`, which has a swizzle of as
    many bytes as a row of the box, where `if` is true; what is out of the tensor is
    not stored. Coordinates are from the outermost dimension.

    The box waits in shared memory at `via`, a multiple of 1024 that a warp has in
    common, from the beginning of the block's: 1024 or 2048 bytes. The warp first waits
    until no more than `behind` of its copies before read theirs. There is no
    branch, so it may stand between products.

    Example: `block.copy_out %map[%row, %column] via %place behind 1 if %there words %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7, %w8, %w9, %w10, %w11, %w12, %w13, %w14, %w15`
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<0>:$map, Variadic<I32>:$coordinates,
                       I32:$via, I64Attr:$behind, I1:$condition, Variadic<I32>:$words);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $map `[` $coordinates `]` `via` $via `behind` $behind `if` $condition `words` $words attr-dict
  }];
}

def Block_CopyOutWaitOp : Block_Op<"copy_out_wait"> {
  let summary = "wait until the copies of results have read shared memory";
  let description = [{
    A warp's own, or a thread's. A block that ends before would take the memory away
    from them. With `written` it waits until they have written the tensor as well, as
    the thread sees it.

    Example: `block.copy_out_wait`
  }];
  let arguments = (ins UnitAttr:$written);
  let assemblyFormat = "(`written` $written^)? attr-dict";
}

def Block_BoxOutOp : Block_Op<"box_out"> {
  let summary = "copy a box of a stage to a tensor, or add it";
  let description = [{
    The thread that runs it starts the copy of the box that is `offset` bytes, a
    multiple of 1024, in the stage, which is full, to the tensor map `map`. With `add`
    the elements, of f32, are added to those of the tensor. What is out of the tensor
    is not written. Coordinates are from the outermost dimension.

    Example: `block.box_out %map[%row, %column] from %p, %s at 0 add : !block.pipeline<1, 32768>`
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<0>:$map, Variadic<I32>:$coordinates,
                       Block_PipelineType:$pipeline, Block_SlotType:$slot, I64Attr:$offset, UnitAttr:$add);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $map `[` $coordinates `]` `from` $pipeline `,` $slot `at` $offset (`add` $add^)? attr-dict `:` type($pipeline)
  }];
}

def Block_AwaitTurnOp : Block_Op<"await_turn"> {
  let summary = "wait until it is a block's turn";
  let description = [{
    The thread that runs it waits until the number of 32 bits at `counter`, which all
    blocks of the launch see, is `turn`. What the copy engine has written for the
    blocks before is there then.

    Example: `block.await_turn %counter is %turn`
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<0>:$counter, I32:$turn);
  let assemblyFormat = "$counter `is` $turn attr-dict";
}

def Block_EndTurnOp : Block_Op<"end_turn"> {
  let summary = "end a block's turn";
  let description = [{
    Behind `block.copy_out_wait written`: the number at `counter` grows by one, and
    is 0 behind `last`.

    Example: `block.end_turn %counter last %last`
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<0>:$counter, I32:$last);
  let assemblyFormat = "$counter `last` $last attr-dict";
}

//===----------------------------------------------------------------------===//
// Sums that blocks share
//===----------------------------------------------------------------------===//

def Block_PutSumsOp : Block_Op<"put_sums"> {
  let summary = "leave a thread's sums where other blocks find them";
  let description = [{
    Stores a vector of f32 or i32, a multiple of 4, to the block's shared memory. The last
    `threads` threads of a block have such vectors. Four values after each other of
    neighbouring threads are neighbours in memory, from `at` bytes behind the
    beginning of the block's dynamic shared memory on.

    Example: `block.put_sums %sums at 131072 threads 128 : vector<64xf32>`
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32, I32]>:$sums, I64Attr:$at, I64Attr:$threads);
  let hasVerifier = 1;
  let assemblyFormat = "$sums `at` $at `threads` $threads attr-dict `:` type($sums)";
}

def Block_TakeSumsOp : Block_Op<"take_sums"> {
  let summary = "add up the sums of a cluster's blocks";
  let description = [{
    Of the vectors that the thread's like in each of the `blocks` blocks of the
    cluster have left by `block.put_sums`, block number r of them has the r-th of
    as many parts of equal length: the sum of all, in the order of the blocks.

    Example: `%sums = block.take_sums at 131072 threads 128 of 4 : vector<16xf32>`
  }];
  let arguments = (ins I64Attr:$at, I64Attr:$threads, I64Attr:$blocks);
  let results = (outs VectorOfRankAndType<[1], [F32, I32]>:$sums);
  let hasVerifier = 1;
  let assemblyFormat = "`at` $at `threads` $threads `of` $blocks attr-dict `:` type($sums)";
}

def Block_PeerSumsOp : Block_Op<"peer_sums"> {
  let summary = "the sums that a block of the cluster has left";
  let description = [{
    Those of the thread's like in block number `block` of the cluster, as
    `block.put_sums` has left them.

    Example: `%sums = block.peer_sums at 131072 threads 128 block 3 : vector<4xf32>`
  }];
  let arguments = (ins I64Attr:$at, I64Attr:$threads, I64Attr:$block);
  let results = (outs VectorOfRankAndType<[1], [F32, I32]>:$sums);
  let hasVerifier = 1;
  let assemblyFormat = "`at` $at `threads` $threads `block` $block attr-dict `:` type($sums)";
}

#endif // BLOCK_RESULT_OPS
