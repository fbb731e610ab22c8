//===- Schedule.td - The end of the phase fuse -------------*- tablegen -*-===//

#ifndef TC_TRANSFORMS_SCHEDULE
#define TC_TRANSFORMS_SCHEDULE

include "mlir/Pass/PassBase.td"

def TCAssignSchedulesPass : Pass<"tc-assign-schedules", "::mlir::ModuleOp"> {
  let summary = "give every kernel a schedule: its own, a library's, or the machine model's";
  let description = [{
    How a kernel's domain is divided into tasks and vector lanes, and which
    emitter computes it, is an attribute, of one kind for each emitter:
    `#tc.loop_schedule`, `#tc.contraction_schedule`, `#tc.attention_schedule`,
    `#tc.transpose_schedule`, `#tc.task_schedule`, `#tc.gpu_loop_schedule`. A
    schedule that the kernel has already is kept. Otherwise the pass looks the
    kernel's key up in `tc.schedules`, a dictionary from keys to schedules, of the
    module in the file `schedules`. Otherwise the machine model of the module's
    `tc.target` chooses one: lanes along the dimension with most contiguous bytes,
    as many as a register holds, and a grain of at least 16 KiB of work a thread.

    A key consists of the class, the sizes of the dimensions (`r`: reduced), the
    types of the buffers with the index maps of their accesses, the stages, a
    hash of the whole body and the kind of the target, for example
    `contraction[64x48x32r](64x32xf32[d0,d2], 32x48xf32[d2,d1],
    64x48xf32[d0,d1]){contract over [2]}#0123abcd@cpu`. Names are not part of it.
    A remark says where the schedule comes from, and the kernel's key.

    #### Input
    Classified kernels.

    #### Output
    The same, each with a schedule that fits it.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8192xf32>) -> tensor<8192xf32> {
      %e = tc.empty : tensor<8192xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8192>] ins(%a = %x : tensor<8192xf32>) outs(%o = %e : tensor<8192xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8192xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8192xf32>
      }
      return %0 : tensor<8192xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<8192xf32>) -> tensor<8192xf32> {
      %e = tc.empty : tensor<8192xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8192>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, unroll = 4> ins(%a = %x : tensor<8192xf32>) outs(%o = %e : tensor<8192xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8192xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8192xf32>
      }
      return %0 : tensor<8192xf32>
    }
    ```

    #### Limits
    A key holds the exact sizes: kernels of other sizes have other keys.
  }];
  let options = [Option<"schedules", "schedules", "std::string", "\"\"", "file of a module with tc.schedules">];
  let dependentDialects = ["::tc::TCDialect"];
}

def TCVerifyFusePass : Pass<"tc-verify-fuse", "::mlir::ModuleOp"> {
  let summary = "check what the phase fuse promises";
  let description = [{
    After the phase only kernels, reshapes, parameters, constants, empty
    destinations and control flow remain, and each kernel has a schedule and the
    class of its body. A note names the pass that establishes what is missing.

    #### Input
    Any module.

    #### Output
    The same module.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      return %x : tensor<8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      return %x : tensor<8xf32>
    }
    ```

    #### Limits
    The normal form itself is checked by `tc.kernel`'s verifier.
  }];
}

#endif // TC_TRANSFORMS_SCHEDULE
