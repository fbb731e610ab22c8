//===- Passes.td - Conversions between dialects -----------------*- tablegen -*-===//

#ifndef TC_CONVERSION_PASSES
#define TC_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertAtenToTCPass : Pass<"convert-aten-to-tc", "::mlir::ModuleOp"> {
  let summary = "give captured ATen calls their meaning as tc ops";
  let description = [{
    Replaces every `tc.aten` by `tc` ops. There is one conversion an overload,
    in lib/Conversion/AtenToTC, in files by theme. What PyTorch does implicitly
    becomes an op: type promotion a `tc.cast`, broadcasting a `tc.broadcast`, a
    number a `tc.full`. Results have the element types and the sizes of the
    capture. Absent arguments have their default.

    #### Input
    A module with `tc.aten` ops, as an importer makes it.

    #### Output
    The module without `tc.aten` ops.

    #### Before
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %y: tensor<8xi64>) -> tensor<4x8xf32> {
      %r = tc.aten "aten.add.Tensor"(%x, %y) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4x8xf32>, tensor<8xi64>) -> tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %y: tensor<8xi64>) -> tensor<4x8xf32> {
      %0 = tc.cast %y : tensor<8xi64> to tensor<8xf32>
      %1 = tc.broadcast %0 dims [1] : tensor<8xf32> -> tensor<4x8xf32>
      %2 = tc.add %x, %1 : tensor<4x8xf32>
      return %2 : tensor<4x8xf32>
    }
    ```

    #### Limits
    An overload without a conversion is refused by name with the user's source
    line; the same message names every other one of the module.
  }];
  let dependentDialects = ["::tc::TCDialect"];
}
include "TC/Conversion/TCToKernel/Passes.td"

def ConvertTCToVectorPass : Pass<"convert-tc-to-vector", "::mlir::ModuleOp"> {
  let summary = "convert each tc.kernel to a function of vectorised loops";
  let description = [{
    The generate phase on a CPU. Every `tc.kernel` on memrefs becomes a private
    function `(%context: !llvm.ptr, %begin: i64, %end: i64)` of scf, arith,
    vector and llvm ops, and a `tc.launch` in its place; kernels that are equal
    but for their operands and names share one function. So that the steps of a
    recurrence do, a kernel that reads one slice of an intermediate along its
    first dimension gets a view of that slice. How the domain falls on iterations
    and vector lanes is the kernel's schedule, which also says
    which emitter computes it.

    #### Input
    A bufferized module.

    #### Output
    No `tc.kernel` is left.

    #### Before
    ```mlir
    func.func @main(%x: memref<4xf32>) {
      %o = tc.output_buffer 0 : memref<4xf32>
      tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : memref<4xf32>) outs(%b = %o : memref<4xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
      }
      return
    }
    ```

    #### After
    ```mlir
    func.func @main(%arg0: memref<4xf32>) {
      %0 = tc.output_buffer 0 : memref<4xf32>
      tc.launch @neg_0 count <4> grain <16384>(%arg0, %0) : memref<4xf32>, memref<4xf32>
      return
    }
    func.func private @neg_0(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
      %c0_i64 = arith.constant 0 : i64
      %c1_i64 = arith.constant 1 : i64
      %0 = llvm.getelementptr %arg0[0] : (!llvm.ptr) -> !llvm.ptr, i64
      %1 = llvm.load %0 invariant : !llvm.ptr -> !llvm.ptr
      %2 = llvm.getelementptr %arg0[1] : (!llvm.ptr) -> !llvm.ptr, i64
      %3 = llvm.load %2 invariant : !llvm.ptr -> !llvm.ptr
      %4 = llvm.getelementptr %arg0[2] : (!llvm.ptr) -> !llvm.ptr, i64
      %5 = llvm.load %4 invariant : !llvm.ptr -> !llvm.ptr
      %c0_i64_0 = arith.constant 0 : i64
      scf.for %arg3 = %arg1 to %arg2 step %c1_i64  : i64 {
        %6 = llvm.getelementptr %3[%arg3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %7 = llvm.getelementptr %1[%arg3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %8 = llvm.load %7 {alignment = 4 : i64} : !llvm.ptr -> f32
        %9 = arith.negf %8 : f32
        llvm.store %9, %6 {alignment = 4 : i64} : f32, !llvm.ptr
      }
      return
    }
    ```

    #### Limits
    Scans and sorts have emitters of their own.
  }];
  let options = [Option<"avx512", "avx512", "bool", "false",
                        "use the AVX-512 forms of elementwise functions">,
                 Option<"bf16Dot", "bf16-dot", "bool", "false",
                        "multiply pairs of bf16 with AVX512-BF16">,
                 Option<"bf16Tiles", "bf16-tiles", "bool", "false",
                        "multiply tiles of bf16 with AMX-BF16 where the schedule's tiles fit">,
                 Option<"target", "target", "std::string", "\"\"",
                        "a CPU to take the other options from, instead: cpu or cpu:NAME">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ConvertTCToGPUPass : Pass<"convert-tc-to-gpu", "::mlir::ModuleOp"> {
  let summary = "convert each tc.kernel of a module for cuda to a gpu.module with a kernel";
  let description = [{
    The generate phase on a GPU. In a module whose `tc.target` is of kind cuda
    every `tc.kernel` on memrefs becomes a `gpu.module` of its own with one
    `gpu.func`, whose arguments are the buffers' addresses, the values of the
    symbols and the address of the status, and a `tc.launch` with `threads` in
    its place. Kernels that are equal but for their operands and names share
    one. What a kernel computes at a point is emitted as for a CPU; only how
    points fall on threads, and how threads fold what they share, is the GPU's.

    How that is follows from the kernel's `#tc.gpu_loop_schedule`. Where `vector_dim` is
    a dimension over which the kernel folds (a row), a block computes a row:
    its `threads` take every `threads`-th element each, and fold what they have
    by shuffles and through shared memory. Else each thread computes points of
    its own, and neighbours along `vector_dim` are computed by neighbours. A
    grid may have fewer blocks than there is work: threads go on with the next.
    Scans, sorts and writes that meet have `#tc.gpu_scan_schedule`,
    `#tc.gpu_sort_schedule` and `#tc.gpu_scatter_schedule`; one whose blocks wait
    for each other is launched in steps, whose number is the kernel's last size.
    Kernels with a routine stay for convert-tc-to-vector: the host computes them.
    Remarks of the category `host` say what the host does and waits for.

    #### Input
    A bufferized module. One whose `tc.target` is not of kind cuda stays as it
    is.

    #### Output
    No `tc.kernel` is left but those with a routine.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
      func.func @main(%x: memref<4xf32>) {
        %o = tc.output_buffer 0 : memref<4xf32>
        tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>] schedule #tc.gpu_loop_schedule<vector_dim = 0, threads = 32> ins(%a = %x : memref<4xf32>) outs(%b = %o : memref<4xf32>) {
          %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
          %n = tc.neg %v : f32
          tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
        }
        return
      }
    }
    ```

    #### After
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
      func.func @main(%arg0: memref<4xf32>) {
        %0 = tc.output_buffer 0 : memref<4xf32>
        tc.launch @neg_0 count <1> grain <1>(%arg0, %0) {programmatic, threads = 32 : i64} : memref<4xf32>, memref<4xf32>
        return
      }
      gpu.module @neg_0 [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
        gpu.func @neg_0(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
          %c1_i64 = arith.constant 1 : i64
          %c0_i64 = arith.constant 0 : i64
          %c4_i64 = arith.constant 4 : i64
          %c32_i64 = arith.constant 32 : i64
          %thread_id_x = gpu.thread_id  x
          %0 = arith.index_cast %thread_id_x : index to i64
          %grid_dim_x = gpu.grid_dim  x
          %1 = arith.index_cast %grid_dim_x : index to i64
          %block_id_y = gpu.block_id  y
          %2 = arith.index_cast %block_id_y : index to i64
          %3 = arith.muli %2, %1 : i64
          %block_id_x = gpu.block_id  x
          %4 = arith.index_cast %block_id_x : index to i64
          %5 = arith.addi %3, %4 : i64
          %grid_dim_y = gpu.grid_dim  y
          %6 = arith.index_cast %grid_dim_y : index to i64
          %7 = arith.muli %1, %6 : i64
          %c0_i64_0 = arith.constant 0 : i64
          nvvm.griddepcontrol  wait
          %8 = arith.muli %5, %c32_i64 : i64
          %9 = arith.addi %8, %c32_i64 : i64
          %10 = arith.minsi %9, %c4_i64 : i64
          %11 = arith.addi %8, %0 : i64
          scf.for %arg3 = %11 to %10 step %c32_i64  : i64 {
            %12 = llvm.getelementptr %arg1[%arg3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %13 = llvm.getelementptr %arg0[%arg3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %14 = llvm.load %13 {alignment = 4 : i64} : !llvm.ptr -> f32
            %15 = arith.negf %14 : f32
            llvm.store %15, %12 {alignment = 4 : i64} : f32, !llvm.ptr
          }
          gpu.return
        }
      }
    }
    ```

    #### Limits
    A row reduction is one block's work, however long the row. A fold in the
    kernel of a sort is refused by name.
  }];
  let dependentDialects = ["::tc::block::BlockDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertBlockToNVVMPass : Pass<"convert-block-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lower the block dialect to NVVM";
  let description = [{
    Each op of the block dialect becomes the instructions that it stands for, and
    what keeps these in order: proxy fences, barriers in shared memory, and text
    through which the registers of an accumulator go where products end. Slots are
    two numbers, that of the stage and the parity of the barriers' phase;
    accumulators are structs of f32.

    #### Input
    A `gpu.module` whose kernels have ops of the block dialect among those of scf,
    arith and other dialects.

    #### Output
    No ops and types of the block dialect. The dynamic shared memory is a global of
    the module.

    #### Before
    ```mlir
    gpu.module @k {
      gpu.func @k() kernel {
        block.role registers = 24
        block.mma_wait_earlier
        gpu.return
      }
    }
    ```

    #### After
    ```mlir
    module {
      gpu.module @k {
        gpu.func @k() kernel {
          nvvm.setmaxregister  decrease 24
          nvvm.wgmma.wait.group.sync.aligned 1
          gpu.return
        }
      }
    }
    ```

    #### Limits
    The chip is sm_90a. Values of the dialect's types are carried by loops and
    branches of scf alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ConvertKernelToNVVMPass : Pass<"convert-kernel-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lower the kernels of a gpu.module to the LLVM and NVVM dialects";
  let description = [{
    What `convert-kernel-to-llvm` does for kernels of a CPU, with the same
    conversion, plus that of the GPU's own ops: thread numbers, barriers,
    shuffles and the kernel itself, which becomes an `llvm.func` with the launch
    bound `nvvm.maxntid`. No function of a device library is called. An argument
    with `llvm.byval` stays one, such as a tensor map, and becomes an
    `nvvm.grid_constant`.

    #### Input
    A `gpu.module` with kernels in scf, arith, math, vector, gpu and llvm ops.

    #### Output
    The same in LLVM and NVVM ops.

    #### Before
    ```mlir
    gpu.module @k {
      gpu.func @k(%p: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
        %x = llvm.load %p : !llvm.ptr -> f32
        %y = arith.addf %x, %x : f32
        llvm.store %y, %p : f32, !llvm.ptr
        gpu.return
      }
    }
    ```

    #### After
    ```mlir
    gpu.module @k {
      llvm.func @k(%arg0: !llvm.ptr) attributes {gpu.kernel, gpu.known_block_size = array<i32: 32, 1, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 32, 1, 1>} {
        %0 = llvm.load %arg0 : !llvm.ptr -> f32
        %1 = llvm.fadd %0, %0 : f32
        llvm.store %1, %arg0 : f32, !llvm.ptr
        llvm.return
      }
    }
    ```

    #### Limits
    No memrefs.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def ConvertNVVMToPTXPass : Pass<"convert-nvvm-to-ptx", "::mlir::ModuleOp"> {
  let summary = "generate the PTX of every gpu.module";
  let description = [{
    Runs LLVM's NVPTX back end on every `gpu.module`, in parallel and in this
    process, and puts a `gpu.binary` with the PTX in its place. Assembling it
    for the GPU at hand is left to the driver.

    #### Input
    `gpu.module`s in the LLVM and NVVM dialects, each with one `#nvvm.target`.

    #### Output
    `gpu.binary`s of the same names, whose objects are PTX.

    #### Before
    ```mlir
    gpu.module @stop [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
      llvm.func @stop() attributes {nvvm.kernel} {
        llvm.return
      }
    }
    ```

    #### After
    ```mlir
    gpu.binary @stop  [#gpu.object<#nvvm.target<chip = "sm_90a", features = "+ptx86">, assembly = "//\0A// Generated by LLVM NVPTX Back-End\0A//\0A\0A.version 8.6\0A.target sm_90a\0A.address_size 64\0A\0A\09// .globl\09stop\0A\0A.visible .entry stop()\0A{\0A\0A\0A\09ret;\0A\0A}\0A">]
    ```

    #### Limits
    A module that calls a function it does not define is refused: nothing is
    linked to it later.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

def ConvertKernelToLLVMPass : Pass<"convert-kernel-to-llvm", "::mlir::func::FuncOp"> {
  let summary = "lower the body of a generated kernel function to the LLVM dialect";
  let description = [{
    Lowers loops, arithmetic, vectors and math functions of one kernel function
    to the LLVM dialect in one conversion. One pass instead of eight saves the
    set-up of a conversion eight times a kernel, which is most of what a small
    kernel costs; the patterns are MLIR's own. The function itself stays a
    `func.func`: `convert-tc-to-llvm` converts it to an `llvm.func`, because a
    pass on functions may not replace them. Public functions, which are host
    functions, and functions without a body are left alone.

    #### Input
    Functions in scf, cf, arith, math, vector, index, ub and llvm ops, with
    arguments that are LLVM types.

    #### Output
    The same functions; their bodies hold LLVM ops and a `func.return`.

    #### Before
    ```mlir
    func.func private @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
      %x = llvm.load %context : !llvm.ptr -> vector<4xf32>
      %y = arith.addf %x, %x : vector<4xf32>
      llvm.store %y, %context : vector<4xf32>, !llvm.ptr
      return
    }
    ```

    #### After
    ```mlir
    func.func private @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
      %0 = llvm.load %context : !llvm.ptr -> vector<4xf32>
      %1 = llvm.fadd %0, %0 : vector<4xf32>
      llvm.store %1, %context : vector<4xf32>, !llvm.ptr
      return
    }
    ```

    #### Limits
    No memrefs. Transfers and contractions must have been unrolled to one
    dimension.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
  let options = [Option<"target", "target", "std::string", "\"cpu\"",
                        "the CPU: without bf16 instructions, conversions become integer operations">];
}

def ConvertTCToLLVMPass : Pass<"convert-tc-to-llvm", "::mlir::ModuleOp"> {
  let summary = "write host functions out as functions of TC's C ABI";
  let description = [{
    Every public function becomes `int32_t f(tc_call *)` of
    `include/TC/Runtime/ABI.h`. It checks the call's version and counts, and the
    device, element type, rank, sizes and strides of each input; binds the
    symbols of `tc.symbols` to the sizes that are exactly them (or linear in
    them) and checks ranges, divisors and all other sizes; checks the guards;
    then allocates outputs and the arena and runs the launches in order. A
    failed check is reported through the call, with the input's name, the actual
    and the expected value, and ends the function with a status.

    A launch fills the kernel's context on the stack and calls
    `parallel_for` of the call, or the kernel itself when there is no more than
    one grain of iterations. After a launch with `may_fail` the status that
    kernels write is checked, with the launch's location; the others are covered
    by one check before the function returns.

    Kernel functions, whose bodies are already in the LLVM dialect, become
    `llvm.func`. `tc.signature` of an emitted function has, in addition to what it had,
    `input_types`, `output_types` and `symbols`.

    #### Input
    Host functions of `tc.output_buffer`, `tc.arena`, `tc.arena_view`,
    `tc.buffer_reshape`, `tc.parameter`, `tc.guard`, `tc.launch` and `return`;
    private kernel functions in the LLVM dialect.

    #### Output
    `llvm.func`s, `tc.parameter_source`s, and globals with the messages.

    #### Before
    ```mlir
    func.func private @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
      return
    }
    ```

    #### After
    ```mlir
    llvm.func @kernel(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
      llvm.return
    }
    ```

    #### Limits
    Host functions are straight-line. Inputs have to be row-major; who calls
    makes copies of others. Guards of scalars that are no sizes, and of kind
    identity, are for the caller to check.
  }];
  let dependentDialects = ["::tc::TCDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // TC_CONVERSION_PASSES
