// Kernels of symbolic sizes take smaller tiles where whole ones are large compared
// with the bytes they write: few points, sizes around the change, many points.
// RUN: tc-run %s --random-inputs=1 --size=s0=1 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=3 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=13 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=27 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=60 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=4 --check --threads=2 --target=cpu:x86-64-v3
// RUN: tc-run %s --random-inputs=1 --size=s0=300 --check --threads=2
// RUN: tc-run %s --compile-to=generate --target=cpu:znver4 | FileCheck %s

#s0 = #tc.symbol<"s0", min = 1, max = 1024>

// CHECK-LABEL: func.func @main(
// CHECK: tc.launch @[[READ:contract_0]] count <{{.*}}min((s0 * 96) floordiv 8161, 1){{.*}}> grain <max({{.*}}, ((-65536) floordiv max(1, min(16, s0) * 640)) * -1) * min((s0 * 15) floordiv 128, 1)

// Nothing is packed where there are fewer than 8192 multiply-adds, and nothing
// but 8 rows of 16 accumulators is kept where fewer than 8161 bytes are written
// or there are fewer than 16 rows.
// CHECK: func.func private @[[READ]](
// CHECK: llvm.alloca %{{.*}} x f32 {{.*}}tc.scratch_elements = #tc.expr<min((s0 * 15) floordiv 128, 1) * min((s0 * 96) floordiv 8161, 1) * min(1, s0 floordiv 16) * 768>
// CHECK: llvm.alloca %{{.*}} x f32 {{.*}}tc.scratch_elements = #tc.expr<{{.*}} + min(((s0 * -1) floordiv 4) * -4, 8) * min((s0 * 15) floordiv 128, 1) * 16>
// CHECK: scf.if
// CHECK: scf.if
// CHECK: } else {
// CHECK: } else {
func.func @main(%x: tensor<?x40xf32, #tc.sizes<[s0, 40]>>, %h: tensor<?x40xbf16, #tc.sizes<[s0, 40]>>, %half: tensor<?x40xf16, #tc.sizes<[s0, 40]>>, %w: tensor<24x40xf32>, %v: tensor<24x40xbf16>, %u: tensor<24x40xf16>, %q: tensor<?x26x8xbf16, #tc.sizes<[s0, 26, 8]>>, %k: tensor<?x26x8xbf16, #tc.sizes<[s0, 26, 8]>>)
    -> (tensor<?x24xf32, #tc.sizes<[s0, 24]>>, tensor<?x24xbf16, #tc.sizes<[s0, 24]>>, tensor<?x24xf16, #tc.sizes<[s0, 24]>>, tensor<?x24xf32, #tc.sizes<[s0, 24]>>, tensor<24x?xf32, #tc.sizes<[24, s0]>>, tensor<24x?xbf16, #tc.sizes<[24, s0]>>, tensor<?x26x8xbf16, #tc.sizes<[s0, 26, 8]>>)
    attributes {tc.symbols = [#s0]} {
  // Rows that are read in place, rows that are packed.
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<?x40xf32, #tc.sizes<[s0, 40]>>, tensor<24x40xf32> -> tensor<?x24xf32, #tc.sizes<[s0, 24]>>
  %1 = tc.contract "mk,nk->mn" %h, %v : tensor<?x40xbf16, #tc.sizes<[s0, 40]>>, tensor<24x40xbf16> -> tensor<?x24xbf16, #tc.sizes<[s0, 24]>>
  %2 = tc.contract "mk,nk->mn" %half, %u : tensor<?x40xf16, #tc.sizes<[s0, 40]>>, tensor<24x40xf16> -> tensor<?x24xf16, #tc.sizes<[s0, 24]>>
  %positive = tc.relu %x : tensor<?x40xf32, #tc.sizes<[s0, 40]>>
  %3 = tc.contract "mk,nk->mn" %positive, %w : tensor<?x40xf32, #tc.sizes<[s0, 40]>>, tensor<24x40xf32> -> tensor<?x24xf32, #tc.sizes<[s0, 24]>>
  // Panels of symbolic points.
  %4 = tc.contract "mk,nk->mn" %w, %x : tensor<24x40xf32>, tensor<?x40xf32, #tc.sizes<[s0, 40]>> -> tensor<24x?xf32, #tc.sizes<[24, s0]>>
  %5 = tc.contract "mk,nk->mn" %v, %h : tensor<24x40xbf16>, tensor<?x40xbf16, #tc.sizes<[s0, 40]>> -> tensor<24x?xbf16, #tc.sizes<[24, s0]>>
  %6 = tc.attention %q, %k, %k scale 0.5 : tensor<?x26x8xbf16, #tc.sizes<[s0, 26, 8]>>, tensor<?x26x8xbf16, #tc.sizes<[s0, 26, 8]>>, tensor<?x26x8xbf16, #tc.sizes<[s0, 26, 8]>> -> tensor<?x26x8xbf16, #tc.sizes<[s0, 26, 8]>>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?x24xf32, #tc.sizes<[s0, 24]>>, tensor<?x24xbf16, #tc.sizes<[s0, 24]>>, tensor<?x24xf16, #tc.sizes<[s0, 24]>>, tensor<?x24xf32, #tc.sizes<[s0, 24]>>, tensor<24x?xf32, #tc.sizes<[24, s0]>>, tensor<24x?xbf16, #tc.sizes<[24, s0]>>, tensor<?x26x8xbf16, #tc.sizes<[s0, 26, 8]>>
}
