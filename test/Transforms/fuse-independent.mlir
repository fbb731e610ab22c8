// RUN: tc-opt %s --tc-assign-target=target=cuda:sm_90a --tc-fuse-independent | FileCheck %s
// RUN: tc-opt %s --tc-assign-target=target=cpu:x86-64-v3 --tc-fuse-independent | FileCheck %s --check-prefix=CPU

// Three updates that have nothing in common are one launch.
// CHECK-LABEL: func @updates
// CHECK: %[[ALL:.*]]:3 = tc.kernel "neg_exp_neg" pointwise
// CHECK-SAME: ins(%{{.*}} = %arg0 : {{.*}}, %{{.*}} = %arg1 : {{.*}}, %{{.*}} = %arg2 : {{.*}})
// CHECK-NOT: tc.kernel
// CHECK: return %[[ALL]]#0, %[[ALL]]#1, %[[ALL]]#2
func.func @updates(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %y : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.exp %v : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %2 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %z : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Numbers, such as the steps that an optimizer counts.
// CHECK-LABEL: func @numbers
// CHECK: :2 = tc.kernel "neg" pointwise dims []
// CHECK-NOT: tc.kernel
func.func @numbers(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %e = tc.empty : tensor<f32>
  %0 = tc.kernel "neg" pointwise dims [] ins(%a = %x : tensor<f32>) outs(%o = %e : tensor<f32>) {
    %v = tc.read %a[affine_map<() -> ()>] : tensor<f32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<() -> ()>] : f32, tensor<f32>
  }
  %1 = tc.kernel "neg" pointwise dims [] ins(%a = %y : tensor<f32>) outs(%o = %e : tensor<f32>) {
    %v = tc.read %a[affine_map<() -> ()>] : tensor<f32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<() -> ()>] : f32, tensor<f32>
  }
  return %0, %1 : tensor<f32>, tensor<f32>
}

// 512 KiB take less time than a launch of a GPU, and more than one of a CPU.
// CHECK-LABEL: func @middle
// CHECK: :2 = tc.kernel "neg"
// CHECK-NOT: tc.kernel
// CPU-LABEL: func @middle
// CPU: %{{[0-9]+}} = tc.kernel "neg"
// CPU: %{{[0-9]+}} = tc.kernel "neg"
func.func @middle(%x: tensor<131072xf32>, %y: tensor<131072xf32>) -> (tensor<131072xf32>, tensor<131072xf32>) {
  %e = tc.empty : tensor<131072xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 131072>] ins(%a = %x : tensor<131072xf32>) outs(%o = %e : tensor<131072xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<131072xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<131072xf32>
  }
  %1 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 131072>] ins(%a = %y : tensor<131072xf32>) outs(%o = %e : tensor<131072xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<131072xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<131072xf32>
  }
  return %0, %1 : tensor<131072xf32>, tensor<131072xf32>
}

// What takes longer than a launch stays alone, and so do other domains.
// CHECK-LABEL: func @long
// CHECK: %{{[0-9]+}} = tc.kernel "neg"
// CHECK: %{{[0-9]+}} = tc.kernel "neg"
// CHECK: %{{[0-9]+}} = tc.kernel "neg"
func.func @long(%x: tensor<67108864xf32>, %y: tensor<67108864xf32>, %z: tensor<7xf32>) -> (tensor<67108864xf32>, tensor<67108864xf32>, tensor<7xf32>) {
  %e = tc.empty : tensor<67108864xf32>
  %s = tc.empty : tensor<7xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 67108864>] ins(%a = %x : tensor<67108864xf32>) outs(%o = %e : tensor<67108864xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<67108864xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<67108864xf32>
  }
  %1 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 67108864>] ins(%a = %y : tensor<67108864xf32>) outs(%o = %e : tensor<67108864xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<67108864xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<67108864xf32>
  }
  %2 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 7>] ins(%a = %z : tensor<7xf32>) outs(%o = %s : tensor<7xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<7xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<7xf32>
  }
  return %0, %1, %2 : tensor<67108864xf32>, tensor<67108864xf32>, tensor<7xf32>
}

// What nothing uses is left to others: merged, it would be no kernel.
// CHECK-LABEL: func @unused
// CHECK-COUNT-3: tc.kernel
func.func @unused(%x: tensor<8xf32>) {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.exp %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %2 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return
}
