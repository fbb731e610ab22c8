// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-nvvm-to-ptx

// A module without a target is not for any GPU.
// expected-error @below {{'gpu.module' op has no target, expected one #nvvm.target, as convert-tc-to-gpu gives it}}
gpu.module @nothing {
}

// -----

// Nothing is linked later, so that a function of libdevice, for one, is refused.
// expected-error @below {{'gpu.module' op 'calls' calls '__nv_expf', which it does not define}}
gpu.module @calls [#nvvm.target<chip = "sm_90a">] {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @calls(%p: !llvm.ptr) attributes {nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr -> f32
    %y = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr
    llvm.return
  }
}
