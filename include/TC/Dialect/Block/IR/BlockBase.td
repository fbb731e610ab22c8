//===- BlockBase.td - The block dialect and its types ------*- tablegen -*-===//

#ifndef BLOCK_BASE
#define BLOCK_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Block_Dialect : Dialect {
  let name = "block";
  let cppNamespace = "::tc::block";
  let summary = "What the threads of a block on a GPU do together with tensor cores and the copy engine";
  let description = [{
    A thin layer between `tc.kernel` and NVVM for kernels whose operands are
    copied to shared memory by the tensor memory accelerator (TMA) and multiplied
    by warp groups (wgmma), or, before sm_90a, copied by threads (cp.async) and
    multiplied by warps (mma.sync). Ops are per thread and explicit, and nothing is
    inferred: an emitter says which threads run an op, with what, and where in
    shared memory. What can go wrong without a diagnostic is either unwritable,
    because types do not allow it, or refused by a verifier; the order of memory
    accesses and the form of descriptors are up to the lowering,
    `convert-block-to-nvvm`, which decides nothing else.
  }];
  let useDefaultTypePrinterParser = 1;
}

class Block_Type<string name, string typeMnemonic> : TypeDef<Block_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Block_PipelineType : Block_Type<"Pipeline", "pipeline"> {
  let summary = "a ring of stages in shared memory";
  let description = [{
    `stages` parts of `bytes` bytes each, a multiple of 1024, or 16 for up to 4
    words (`block.put_words`), and two barriers for each: one that a stage is full,
    one that it is empty. Each of the `cluster`
    blocks of a thread-block cluster, 1 or 2, has such a ring; a stage is empty
    where it is so in all of them, as blocks copy into each other's.

    Example: `!block.pipeline<4, 49152, cluster 2>`
  }];
  let parameters = (ins "int64_t":$stages, "int64_t":$bytes, DefaultValuedParameter<"int64_t", "1">:$cluster);
  let assemblyFormat = "`<` $stages `,` $bytes (`,` `cluster` $cluster^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of shared memory of the stages and their barriers.
    int64_t getSharedBytes() const;
    /// Bytes from the first stage to the barriers that tell that stages are
    /// full, and that they are empty.
    int64_t getFullOffset() const;
    int64_t getEmptyOffset() const;
  }];
}

def Block_SlotType : Block_Type<"Slot", "slot"> {
  let summary = "a stage of a pipeline, and how often the ring was walked";
  let description = [{
    Producers and consumers walk the stages in the same order, each with a slot of
    its own.

    Example: `!block.slot`
  }];
  let builderCall = "::tc::block::SlotType::get($_builder.getContext())";
}

def Block_AccumulatorType : Block_Type<"Accumulator", "accumulator"> {
  let summary = "sums of products in the registers of a warp group";
  let description = [{
    64 rows of `columns` f32 or i32, a multiple of 8 up to 256, or of i32 8, 24 or a
    multiple of 16. Products are added to it
    while other instructions run, so no op but `block.mma_wait` gives its values.

    Example: `!block.accumulator<256>`, of f32, and `!block.accumulator<256, i32>`
  }];
  let parameters = (ins "int64_t":$columns,
                        DefaultValuedParameter<"::mlir::Type", "::mlir::Float32Type::get($_ctxt)">:$element);
  let assemblyFormat = "`<` $columns (`,` $element^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Values of a thread: for each 8 columns, two neighbours of a row and two of
    /// the row 8 below.
    int64_t getThreadValues() const { return getColumns() / 2; }
  }];
}

class Block_Op<string mnemonic, list<Trait> traits = []> : Op<Block_Dialect, mnemonic, traits>;

#endif // BLOCK_BASE
