//===- BlockWarpOps.td - What threads copy and warps multiply -*- tablegen -*-===//

#ifndef BLOCK_WARP_OPS
#define BLOCK_WARP_OPS

include "TC/Dialect/Block/IR/BlockBase.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

def Block_CopyPartOp : Block_Op<"copy_part"> {
  let summary = "start the copy of a part of 16 bytes of a row to a stage";
  let description = [{
    A thread starts the copy of `size` bytes, 4, 8 or 16, from `source` in global
    memory, a multiple of `size`, to part number `part` of so many bytes of unit
    number `unit` of row number `row`, as `block.store_in` has them. Of the bytes,
    the first `present` are read; the others become zeros. The thread runs
    `block.give_copies` behind it.

    Example: `block.copy_part %from present %n to %p, %s at 0 row %r unit %u size 16 part 0 : !block.pipeline<3, 49152>`
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<0>:$source, I32:$present, Block_PipelineType:$pipeline,
                       Block_SlotType:$slot, I64Attr:$offset, I32:$row, I32:$unit, I64Attr:$size, I64Attr:$part);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $source `present` $present `to` $pipeline `,` $slot `at` $offset `row` $row `unit` $unit
    `size` $size `part` $part attr-dict `:` type($pipeline)
  }];
}

def Block_GiveCopiesOp : Block_Op<"give_copies"> {
  let summary = "give a stage to those that read it once a thread's copies have come";
  let description = [{
    A thread runs it behind its copies and stores to the stage, and goes on. The
    stage is full once each of the pipeline's producers, which are threads, has run
    it and the copies of all have come. Warps read the stage then, by
    `block.mma_sync` for example; the copy engine and `block.mma` do not.

    Example: `block.give_copies %p, %s : !block.pipeline<3, 49152>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot);
  let assemblyFormat = "$pipeline `,` $slot attr-dict `:` type($pipeline)";
}

def Block_MmaSyncOp : Block_Op<"mma_sync", [AttrSizedOperandSegments]> {
  let summary = "the sums of products of two matrices in a stage, by warps";
  let description = [{
    The four warps of a warp group multiply a matrix of `rows` rows, 64 or 128, by
    `depth` elements, and one of `depth` by `columns`, and add the products to
    `sums`, or to zeros where there are none. Types, places and orders of the two are
    those of `block.mma`, but for floats of 8 bits, which it does not multiply, and
    f32, which threads multiply and add, each product rounded with its sum
    (`llvm.intr.fma`), in the order of the depth. The products are done when the op
    is, so the stage may be released behind it.

    A warp has a quarter of the rows, one below the other, in tiles of 16 rows.
    Thread t of it has, of each of its tiles, row t / 4 and the row 8 below, and for
    every 8 columns those at 2 * (t mod 4) and behind: of tile number r, value
    `columns` / 2 * r + 4 i + 2 h + e is of column 8 i + 2 * (t mod 4) + e, and of
    the lower row where h is 1.

    Example: `%d = block.mma_sync %p, %s rows 128 a %offset b 16384 columns 64 depth 64 type bf16 sums %c : vector<64xf32> : !block.pipeline<3, 49152> -> vector<64xf32>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot, I64Attr:$rows, I32:$a, I64Attr:$b,
                       I64Attr:$columns, I64Attr:$depth, TypeAttrOf<AnyTypeOf<[BF16, F16, I8, F32]>>:$element,
                       UnitAttr:$a_across, UnitAttr:$b_across,
                       Optional<Block_PipelineType>:$a_pipeline, Optional<Block_SlotType>:$a_slot,
                       Optional<VectorOfRankAndType<[1], [F32, I32]>>:$sums);
  let results = (outs VectorOfRankAndType<[1], [F32, I32]>:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $pipeline `,` $slot `rows` $rows `a` $a (`of` $a_pipeline^ `,` $a_slot `:` type($a_pipeline))?
    (`across` $a_across^)? `b` $b (`across` $b_across^)? `columns` $columns `depth` $depth `type` $element
    (`sums` $sums^ `:` type($sums))? attr-dict `:` type($pipeline) `->` type($result)
  }];
}

def Block_MmaSyncWordsOp : Block_Op<"mma_sync_words", [AllTypesMatch<["sums", "result"]>]> {
  let summary = "the sums of products of a matrix in registers and one in a stage, by warps";
  let description = [{
    As `block.mma_sync`, of a matrix of 64 rows whose elements, of type `type`, the
    threads have in words of two: as `block.mma_sync` gives values, so n words of
    each thread are 4 n columns, a multiple of 16 up to 256. The other matrix is at
    `b` in the stage, as `block.mma_words` has it.

    Example: `%d = block.mma_sync_words %p, %s b 0 type bf16 sums %c words %w0, %w1, %w2, %w3 : !block.pipeline<2, 2048>, vector<32xf32>`
  }];
  let arguments = (ins Block_PipelineType:$pipeline, Block_SlotType:$slot, I64Attr:$b,
                       TypeAttrOf<AnyTypeOf<[BF16, F16]>>:$element,
                       VectorOfRankAndType<[1], [F32]>:$sums, Variadic<I32>:$words);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $pipeline `,` $slot `b` $b `type` $element `sums` $sums `words` $words attr-dict
    `:` type($pipeline) `,` type($result)
  }];
}

#endif // BLOCK_WARP_OPS
