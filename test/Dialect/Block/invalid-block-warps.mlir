// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @size(%from: !llvm.ptr, %p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.copy_part' op copies 2 bytes; expected 4, 8 or 16}}
  block.copy_part %from present %i to %p, %s at 0 row %i unit %i size 2 part 0 : !block.pipeline<2, 24576>
  return
}

// -----

func.func @part(%from: !llvm.ptr, %p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.copy_part' op copies part 2 of 2; expected 0 to 1}}
  block.copy_part %from present %i to %p, %s at 0 row %i unit %i size 8 part 2 : !block.pipeline<2, 24576>
  return
}

// -----

func.func @place(%from: !llvm.ptr, %p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.copy_part' op has a box at 100; expected a multiple of 1024}}
  block.copy_part %from present %i to %p, %s at 100 row %i unit %i size 16 part 0 : !block.pipeline<2, 24576>
  return
}

// -----

func.func @rows(%p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.mma_sync' op has 96 rows; expected 64 or 128}}
  %v = block.mma_sync %p, %s rows 96 a %i b 16384 columns 64 depth 64 type bf16 : !block.pipeline<2, 24576> -> vector<48xf32>
  return
}

// -----

func.func @columns(%p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.mma_sync' op has 12 columns; expected a multiple of 8 up to 256}}
  %v = block.mma_sync %p, %s rows 64 a %i b 16384 columns 12 depth 64 type bf16 : !block.pipeline<2, 24576> -> vector<6xf32>
  return
}

// -----

func.func @values(%p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.mma_sync' op gives 'vector<32xf32>'; expected 64 values}}
  %v = block.mma_sync %p, %s rows 128 a %i b 16384 columns 64 depth 64 type bf16 : !block.pipeline<2, 24576> -> vector<32xf32>
  return
}

// -----

func.func @sums(%p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32, %c: vector<32xf32>) {
  // expected-error @+1 {{'block.mma_sync' op adds to 'vector<32xf32>' and gives 'vector<64xf32>'; expected the same}}
  %v = block.mma_sync %p, %s rows 128 a %i b 16384 columns 64 depth 64 type bf16 sums %c : vector<32xf32> : !block.pipeline<2, 24576> -> vector<64xf32>
  return
}

// -----

func.func @integers(%p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.mma_sync' op multiplies 'i8' to 'f32'; expected sums of i32}}
  %v = block.mma_sync %p, %s rows 128 a %i b 16384 columns 64 depth 64 type i8 : !block.pipeline<2, 24576> -> vector<64xf32>
  return
}

// -----

func.func @depth(%p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.mma_sync' op has a depth of 72; expected a multiple of 16 up to 64}}
  %v = block.mma_sync %p, %s rows 128 a %i b 16384 columns 64 depth 72 type bf16 : !block.pipeline<2, 24576> -> vector<64xf32>
  return
}

// -----

func.func @matrix(%p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.mma_sync' op has a matrix of 16384 bytes at 16384; expected it to end at 24576 at most}}
  %v = block.mma_sync %p, %s rows 128 a %i b 16384 columns 128 depth 64 type bf16 : !block.pipeline<2, 24576> -> vector<128xf32>
  return
}

// -----

func.func @words(%p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32, %c: vector<32xf32>) {
  // expected-error @+1 {{'block.mma_sync_words' op has 3 words of each thread, 12 columns; expected a multiple of 16 up to 256}}
  %v = block.mma_sync_words %p, %s b 0 type bf16 sums %c words %i, %i, %i : !block.pipeline<2, 24576>, vector<32xf32>
  return
}

// -----

func.func @values_of_words(%p: !block.pipeline<2, 24576>, %s: !block.slot, %i: i32, %c: vector<30xf32>) {
  // expected-error @+1 {{'block.mma_sync_words' op gives 'vector<30xf32>'; expected 4 values for every 8 columns, at most 128}}
  %v = block.mma_sync_words %p, %s b 0 type bf16 sums %c words %i, %i, %i, %i : !block.pipeline<2, 24576>, vector<30xf32>
  return
}
