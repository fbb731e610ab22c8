// RUN: tc-opt %s | FileCheck %s --check-prefix=EMPTY
// RUN: tc-opt --tc-import-pt2 %s | FileCheck %s --check-prefix=EMPTY
// RUN: tc-opt --tc-import-pt2="file=%S/../Inputs/mlp.pt2 model=model" --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s --check-prefix=MLP
// RUN: tc-opt --tc-import-pt2=file=%S/../Inputs/tied.pt2 %s | FileCheck %s --check-prefix=TIED
// RUN: tc-opt --tc-import-pt2=file=%S/../Inputs/tied-core.pt2 %s | FileCheck %s --check-prefix=CORE
// RUN: tc-opt --tc-import-pt2=file=%S/../Inputs/guarded.pt2 %s | FileCheck %s --check-prefix=GUARDED
// RUN: tc-opt --tc-import-pt2=file=%S/../Inputs/views.pt2 %s | FileCheck %s --check-prefix=VIEWS
// RUN: tc-opt --tc-import-pt2=file=%S/../Inputs/branches.pt2 %s | FileCheck %s --check-prefix=BRANCHES
// RUN: tc-opt --tc-import-pt2=file=%S/../Inputs/loop.pt2 %s | FileCheck %s --check-prefix=LOOP
// RUN: tc-opt --tc-import-pt2=file=%S/../Inputs/item.pt2 %s | FileCheck %s --check-prefix=ITEM
// RUN: tc-opt --tc-import-pt2=file=%S/../Inputs/strided.pt2 %s | FileCheck %s --check-prefix=STRIDED
// RUN: tc-opt --tc-import-pt2=file=%S/../Inputs/strided-symbolic.pt2 %s | FileCheck %s --check-prefix=SYMBOLIC

// Without a file the module stays as it is.
// EMPTY: module {
// EMPTY-NEXT: }

// Weights point into the archive; defaults are filled in; the user's line, not
// that of torch.nn, is the location.
// MLP: tc.parameter_source @layers.0.weight : tensor<16x8xf32> {file = "{{.*}}mlp.pt2", offset = {{[0-9]+}} : i64, role = "parameter"}
// MLP: func.func @main(%[[X:.*]]: tensor<2x8xf32>{{.*}}) -> tensor<2x4xf32>
// MLP-SAME: tc.signature = {input_paths = ["L['x']"], inputs = ["x"], outputs = ["softmax"], user_outputs = [0]}
// MLP: %[[W:.*]] = tc.parameter @layers.0.weight : tensor<16x8xf32>
// MLP: tc.aten "aten.linear.default"(%[[X]], %[[W]], %{{.*}}) {bias = #tc.operand<2>, input = #tc.operand<0>, weight = #tc.operand<1>}
// MLP-SAME: loc("linear"("make_inputs.py":{{[0-9]+}}:0))
// MLP: tc.aten "aten.gelu.default"{{.*}}approximate = "none"
// MLP: tc.aten "aten.softmax.int"{{.*}}{dim = -1 : i64, dtype, self = #tc.operand<0>}
module {}

// Tied weights share a source, the region without gradients is inlined,
// symbolic sizes are expressions, mutations are results of their own.
// TIED-NOT: parameter_source @second.weight
// TIED: tc.parameter_source @calls : tensor<1xf32> {{.*}}role = "buffer"
// TIED: func.func @main(%[[X:.*]]: tensor<?x4xf32, #tc.sizes<[s77, 4]>>, %[[Y:.*]]: tensor<3xf32>)
// TIED-SAME: tensor<1xf32> {tc.mutates = @calls}, tensor<3xf32> {tc.mutates = 1 : i64})
// TIED-SAME: user_outputs = [0, 1, 2, 3, 4]
// TIED-SAME: tc.symbols = [#tc.symbol<"s77", min = 2, max = 64, likely = 6>]
// TIED: tc.guard size_range(%[[X]]) {dim = 0 : i64, max = 64 : i64, min = 2 : i64, origin = "range of s77"}
// TIED: %[[CALLS:.*]] = tc.aten "aten.add.Tensor"(%{{.*}}) {alpha = 1 : i64, other = 1 : i64, self = #tc.operand<0>}
// TIED: tc.aten "aten.linear.default"
// TIED: tc.aten "aten.view.default"{{.*}}size = [#tc.expr<s77 * 2>, 2]
// TIED: %[[RELU:.*]] = tc.aten "aten.relu.default"(%[[Y]])
// TIED: return %{{.*}}, %[[RELU]], %{{.*}}, %{{.*}}, %{{.*}}, %[[CALLS]], %[[RELU]]

// A functional graph names its mutations in the signature.
// CORE: tensor<1xf32> {tc.mutates = @calls}, tensor<3xf32> {tc.mutates = 1 : i64})
// CORE: tc.aten "aten.addmm.default"
// CORE: tc.aten "aten.split_with_sizes.default"{{.*}}split_sizes = [4, 4]

// Conditions on sizes are guards that keep their text in Python.
// GUARDED: tc.guard scalar() {expr = #tc.expr<s69 * s72 - 21>, max = 9223372036854775807 : i64, min = 0 : i64, origin = "L['pair']['x'].size()[0]*L['pair']['y'].size()[1] > 20"}
// GUARDED: tc.guard scalar() {expr = #tc.expr<s69 mod 4>, max = 0 : i64, min = 0 : i64, origin = "(L['pair']['x'].size()[0] % 4) == 0"}
// GUARDED: tc.aten "aten.masked_fill.Scalar"{{.*}}value = 0xFFF0000000000000 : f64

// A write through a view is put back into its base; other views of it are
// taken again when they are next read.
// VIEWS: func.func @main(%[[X:.*]]: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32> {tc.mutates = 0 : i64})
// VIEWS: %[[COLUMN:.*]] = tc.aten "aten.select.int"(%[[X]])
// VIEWS: %[[NEW:.*]] = tc.aten "aten.mul.Tensor"(%[[COLUMN]])
// VIEWS: %[[WHOLE:.*]] = tc.aten "aten.select_scatter.default"(%[[X]], %[[NEW]]) {dim = 1 : i64, index = 2 : i64
// VIEWS: %[[PART:.*]] = tc.aten "aten.slice.Tensor"(%[[WHOLE]])
// VIEWS: %[[FILLED:.*]] = tc.aten "aten.fill.Scalar"(%[[PART]])
// VIEWS: %[[LAST:.*]] = tc.aten "aten.slice_scatter.default"(%[[WHOLE]], %[[FILLED]])
// VIEWS: %[[AGAIN:.*]] = tc.aten "aten.t.default"(%[[LAST]])
// VIEWS: %[[RESULT:.*]] = tc.aten "aten.add.Tensor"(%[[AGAIN]])
// VIEWS: return %[[RESULT]], %[[LAST]]

// BRANCHES: %[[C:.*]] = tc.aten "aten.gt.Scalar"
// BRANCHES: tc.if %[[C]] : tensor<i1> -> tensor<4xf32> {
// BRANCHES: tc.aten "aten.sin.default"
// BRANCHES: tc.yield
// BRANCHES: } else {
// BRANCHES: tc.aten "aten.cos.default"

// The carried values of a loop are arguments of both regions.
// LOOP: %[[RESULT:.*]] = tc.while carry(%[[X:.*]] = %{{.*}} : tensor<4xf32>) {
// LOOP: %[[SUM:.*]] = tc.aten "aten.sum.default"(%[[X]])
// LOOP: %[[MORE:.*]] = tc.aten "aten.lt.Scalar"(%[[SUM]])
// LOOP: tc.yield %[[MORE]] : tensor<i1>
// LOOP: } do(%[[Y:.*]]) {
// LOOP: %[[NEXT:.*]] = tc.aten "aten.add.Tensor"(%[[Y]])
// LOOP: tc.yield %[[NEXT]] : tensor<4xf32>
// LOOP: return %[[RESULT]]

// A float from the elements of a tensor is a 0-d tensor that counts as a number.
// ITEM: %[[MAX:.*]] = tc.aten "aten.max.default"
// ITEM-NEXT: %[[NUMBER:.*]] = tc.aten "aten.item.default"(%[[MAX]]) {self = #tc.operand<0>} : (tensor<f32>) -> tensor<f64>
// ITEM-NEXT: tc.aten "aten.mul.Tensor"(%{{.*}}, %[[NUMBER]]) {other = #tc.operand<1>, self = #tc.operand<0>} {numbers = array<i64: 1>} : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>

// Inputs have the strides of the example's; one row is row-major in any case.
// STRIDED: func.func @main(%arg0: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}, %arg1: tensor<8x72xf32> {tc.strides = [#tc.expr<144>, #tc.expr<2>]}, %arg2: tensor<8x72xf32> {tc.strides = [#tc.expr<1>, #tc.expr<8>]}, %arg3: tensor<1x72xf32>)
// Strides that no size gives are symbols of their own, but the step between
// neighbouring elements is that of the example; conditions on what the inputs
// are views of are left out.
// SYMBOLIC: func.func @main(%arg0: tensor<?x?xf32, #tc.sizes<[s21, s34]>> {tc.strides = [#tc.expr<s60>, #tc.expr<1>]}, %arg1: {{.*}} {tc.strides = [#tc.expr<s34 * 2>, #tc.expr<2>]}, %arg2: {{.*}} {tc.strides = [#tc.expr<1>, #tc.expr<s21>]}, %arg3: tensor<1x?xf32, #tc.sizes<[1, s34]>>)
// SYMBOLIC-SAME: #tc.symbol<"s60", min = 1, max = 9223372036854775807>]
// SYMBOLIC-NOT: _base
