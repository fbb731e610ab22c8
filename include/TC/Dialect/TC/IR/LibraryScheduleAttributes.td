//===- LibraryScheduleAttributes.td - Convolutions of libraries -*- tablegen -*-===//
//
// Few files read these, so they have a header of their own
// (LibraryScheduleAttributes.h), which TCDialect.h does not include.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIBRARYSCHEDULEATTRIBUTES
#define TC_LIBRARYSCHEDULEATTRIBUTES

include "TC/Dialect/TC/IR/ScheduleBase.td"
include "mlir/IR/EnumAttr.td"

def TC_ConvolutionLibraryKind : I32EnumAttr<"ConvolutionLibraryKind", "a library of convolutions that a target may have", [
  I32EnumAttrCase<"CuDNN", 0, "cudnn">]> {
  let cppNamespace = "::tc";
  let genSpecializedAttr = 0;
}

def TC_ConvolutionLibraryScheduleAttr : TC_ScheduleAttr<"ConvolutionLibrarySchedule", "convolution_library_schedule", ["getDeviceKind", "withVectorDim", "verifyFor"]> {
  let summary = "a convolution that a library computes on a GPU";
  let description = [{
    The kernel is `result = relu(scale * convolution(images, filters) + addend +
    bias)`, of which only the convolution has to be there, and becomes a call of
    the library.

    - `library`: `cudnn`. The module's `tc.libraries` has it.
    - `images`, `filters`: the numbers of the inputs that these are.
    - `bias`: the number of the input with a number for each filter; -1, the
      default, for none.
    - `addend`: the number of the input with a number for each result, in their
      order; -1, the default, for none. There is a bias with it.
    - `relu`: whether negative results become 0; false by default, and true only
      with a bias, as the library has it.
    - `scale`: what the convolution is multiplied by, an f32; by default 1.
    - `channels_last`: whether images, filters and results have their channels
      as the last index; false, the default, where they are the second one.
    - `workspace`: bytes of memory for the library; a multiple of 256 from 0, the
      default, to 2^30. It runs the fastest of its algorithms that needs no more.

    Example: `#tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8388608>`
  }];
  let parameters = (ins EnumParameter<TC_ConvolutionLibraryKind>:$library,
                        "int64_t":$images, "int64_t":$filters,
                        DefaultValuedParameter<"int64_t", "-1">:$bias,
                        DefaultValuedParameter<"int64_t", "-1">:$addend,
                        DefaultValuedParameter<"bool", "false">:$relu,
                        OptionalParameter<"::mlir::FloatAttr">:$scale,
                        DefaultValuedParameter<"bool", "false">:$channels_last,
                        DefaultValuedParameter<"int64_t", "0">:$workspace);
  let extraClassDeclaration = [{
    /// The same schedule with other bytes of workspace.
    ConvolutionLibraryScheduleAttr withWorkspace(int64_t bytes) const;
  }];
}

#endif // TC_LIBRARYSCHEDULEATTRIBUTES
