// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of the block dialect.

// A pipeline has stages.
// expected-error @+1 {{a pipeline has 0 stages; expected at least 1}}
func.func private @no_stages(!block.pipeline<0, 1024>)

// -----

// Stages hold boxes with a swizzle of 128 bytes.
// expected-error @+1 {{a stage has 1000 bytes; expected 16 or a multiple of 1024}}
func.func private @odd_stage(!block.pipeline<2, 1000>)

// -----

// A pipeline fits into shared memory.
// expected-error @+1 {{a pipeline of 5 stages of 49152 bytes is larger than the shared memory of a block; expected at most 232448 bytes}}
func.func private @large(!block.pipeline<5, 49152>)

// -----

// wgmma has up to 256 columns, in steps of 8.
// expected-error @+1 {{an accumulator has 260 columns; expected a multiple of 8 up to 256}}
func.func private @columns(!block.accumulator<260>)

// -----

// expected-error @+1 {{an accumulator is of 'bf16'; expected f32 or i32}}
func.func private @element(!block.accumulator<64, bf16>)

// -----

// Instructions for integers have fewer numbers of columns.
// expected-error @+1 {{an accumulator of i32 has 200 columns; expected 8, 24 or a multiple of 16}}
func.func private @columns_of_integers(!block.accumulator<200, i32>)

// -----

// setmaxnreg takes multiples of 8.
func.func @registers() {
  // expected-error @+1 {{'block.role' op has 20 registers; expected a multiple of 8 from 24 to 256}}
  block.role registers = 20
  return
}

// -----

// Warps release stages.
func.func @consumers() {
  // expected-error @+1 {{'block.pipeline' op has 0 consumers; expected 1 to 32}}
  %p = block.pipeline at 0 consumers 0 : !block.pipeline<2, 1024>
  return
}

// -----

// A pipeline begins where boxes can be.
func.func @place() {
  // expected-error @+1 {{'block.pipeline' op has a pipeline at 512; expected a multiple of 1024}}
  %p = block.pipeline at 512 consumers 4 : !block.pipeline<2, 1024>
  return
}

// -----

// One of words begins where a vector of them can be.
func.func @place_of_words() {
  // expected-error @+1 {{'block.pipeline' op has a pipeline at 520; expected a multiple of 16}}
  %p = block.pipeline at 520 consumers 4 : !block.pipeline<1, 16>
  return
}

// -----

// A pipeline ends in shared memory.
func.func @end() {
  // expected-error @+1 {{'block.pipeline' op has a pipeline of 2080 bytes at 231424; expected it to end at 232448 at most}}
  %p = block.pipeline at 231424 consumers 4 : !block.pipeline<2, 1024>
  return
}

// -----

// The copy engine knows 5 dimensions.
func.func @coordinates(%map: !llvm.ptr, %p: !block.pipeline<2, 1024>, %s: !block.slot) {
  // expected-error @+1 {{'block.copy_in' op has 0 coordinates; expected 1 to 5}}
  block.copy_in %map[] to %p, %s at 0 bytes 1024 : !block.pipeline<2, 1024>
  return
}

// -----

// A window is over the dimensions between images and channels.
func.func @under(%map: !llvm.ptr, %i: i32, %p: !block.pipeline<2, 1024>, %s: !block.slot) {
  // expected-error @+1 {{'block.copy_in' op has 1 distances under a window and 2 coordinates; expected two less}}
  block.copy_in %map[%i, %i] under [%i] to %p, %s at 0 bytes 1024 : !block.pipeline<2, 1024>
  return
}

// -----

// A box has elements.
func.func @box(%map: !llvm.ptr, %i: i32, %p: !block.pipeline<2, 1024>, %s: !block.slot) {
  // expected-error @+1 {{'block.copy_in' op has a box of 0 bytes; expected at least 1}}
  block.copy_in %map[%i] to %p, %s at 0 bytes 0 : !block.pipeline<2, 1024>
  return
}

// -----

// A box is inside of its stage.
func.func @box_end(%map: !llvm.ptr, %i: i32, %p: !block.pipeline<2, 1024>, %s: !block.slot) {
  // expected-error @+1 {{'block.copy_in' op has a box of 2048 bytes at 0; expected it to end at 1024 at most}}
  block.copy_in %map[%i] to %p, %s at 0 bytes 2048 : !block.pipeline<2, 1024>
  return
}

// -----

// An instruction multiplies 16 elements of the depth.
func.func @depth(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32) {
  // expected-error @+1 {{'block.mma' op has a depth of 72; expected a multiple of 16 up to 64}}
  %c = block.mma %p, %s a %a b 16384 depth 72 type bf16 : !block.pipeline<4, 49152> -> !block.accumulator<256>
  return
}

// -----

// Or 32 of 8 bits.
func.func @depth_of_8_bits(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32) {
  // expected-error @+1 {{'block.mma' op has a depth of 16; expected a multiple of 32 up to 128}}
  %c = block.mma %p, %s a %a b 16384 depth 16 type f8E4M3FN : !block.pipeline<4, 49152> -> !block.accumulator<256>
  return
}

// -----

// Of which both matrices have rows along the sum.
func.func @across_of_8_bits(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32) {
  // expected-error @+1 {{'block.mma' op has a matrix of 'i8' across; expected rows along the sum}}
  %c = block.mma %p, %s a %a b 16384 across depth 128 type i8 : !block.pipeline<4, 49152> -> !block.accumulator<256, i32>
  return
}

// -----

func.func @two_types(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32) {
  // expected-error @+1 {{'block.mma' op multiplies 'bf16' by 'f8E5M2'; expected another type for floats of 8 bits alone}}
  %c = block.mma %p, %s a %a b 16384 depth 64 type bf16 by f8E5M2 : !block.pipeline<4, 49152> -> !block.accumulator<256>
  return
}

// -----

// Sums of integers are integers.
func.func @type_of_sums(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32) {
  // expected-error @+1 {{'block.mma' op multiplies 'i8' to 'f32'; expected sums of i32}}
  %c = block.mma %p, %s a %a b 16384 depth 128 type i8 : !block.pipeline<4, 49152> -> !block.accumulator<256>
  return
}

// -----

// Rows along the columns are those of whole boxes.
func.func @partial_box(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32) {
  // expected-error @+1 {{'block.mma' op has a matrix of 16384 bytes at 40960; expected it to end at 49152 at most}}
  %c = block.mma %p, %s a %a b 40960 across depth 64 type bf16 : !block.pipeline<4, 49152> -> !block.accumulator<96>
  return
}

// -----

// Sums are added to sums of the same size.
func.func @accumulator(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32, %c: !block.accumulator<64>) {
  // expected-error @+1 {{'block.mma' op adds to '!block.accumulator<64>' and gives '!block.accumulator<256>'; expected the same}}
  %d = block.mma %p, %s a %a b 16384 depth 64 type bf16 accumulate %c : !block.accumulator<64> : !block.pipeline<4, 49152> -> !block.accumulator<256>
  return
}

// -----

// Both matrices are in the stage.
func.func @matrix_end(%p: !block.pipeline<4, 16384>, %s: !block.slot, %a: i32) {
  // expected-error @+1 {{'block.mma' op has a matrix of 32768 bytes at 8192; expected it to end at 16384 at most}}
  %c = block.mma %p, %s a %a b 8192 depth 64 type bf16 : !block.pipeline<4, 16384> -> !block.accumulator<256>
  return
}

// -----

// A thread has half as many values as there are columns.
func.func @values(%c: !block.accumulator<64>) {
  // expected-error @+1 {{'block.mma_wait' op gives 'vector<64xf32>'; expected 32 values of 'f32'}}
  %v = block.mma_wait %c : !block.accumulator<64> -> vector<64xf32>
  return
}

// -----

// A thread has two elements of each 8 columns and of two rows.
func.func @words(%map: !llvm.ptr, %i: i32, %there: i1) {
  // expected-error @+1 {{'block.copy_out' op has 2 words; expected 8 or 16}}
  block.copy_out %map[%i, %i] via %i behind 1 if %there words %i, %i
  return
}

// -----

func.func @behind(%map: !llvm.ptr, %w: i32, %there: i1) {
  // expected-error @+1 {{'block.copy_out' op is behind -1 copies; expected 0 or more}}
  block.copy_out %map[%w, %w] via %w behind -1 if %there words %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w
  return
}

// -----

func.func @out_coordinates(%map: !llvm.ptr, %w: i32, %there: i1) {
  // expected-error @+1 {{'block.copy_out' op has 0 coordinates; expected 1 to 5}}
  block.copy_out %map[] via %w behind 0 if %there words %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w
  return
}

// -----

// Every block of the cluster has its part of the stage.
func.func @shared_end(%p: !block.pipeline<4, 16384, cluster 2>, %s: !block.slot, %map: !llvm.ptr, %i: i32) {
  // expected-error @+1 {{'block.copy_in' op has a box of 32768 bytes at 0; expected it to end at 16384 at most}}
  block.copy_in %map[%i] to %p, %s at 0 bytes 16384 shared : !block.pipeline<4, 16384, cluster 2>
  return
}

// -----

func.func @shared_place(%p: !block.pipeline<4, 16384, cluster 2>, %s: !block.slot, %map: !llvm.ptr, %i: i32) {
  // expected-error @+1 {{'block.copy_in' op has a shared box of 512 bytes; expected a multiple of 1024}}
  block.copy_in %map[%i] to %p, %s at 0 bytes 512 shared : !block.pipeline<4, 16384, cluster 2>
  return
}

// -----

// expected-error @+1 {{a pipeline has a cluster of 4 blocks; expected 1 or 2}}
func.func private @cluster_blocks(%p: !block.pipeline<4, 16384, cluster 4>)

// -----

func.func @sums_count(%v: vector<6xf32>) {
  // expected-error @+1 {{'block.put_sums' op has 6 sums; expected a multiple of 4}}
  block.put_sums %v at 0 threads 128 : vector<6xf32>
  return
}

// -----

func.func @sums_place(%v: vector<8xf32>) {
  // expected-error @+1 {{'block.put_sums' op is at 8; expected a multiple of 16 bytes}}
  block.put_sums %v at 8 threads 128 : vector<8xf32>
  return
}

// -----

func.func @sums_threads(%v: vector<8xf32>) {
  // expected-error @+1 {{'block.put_sums' op is of 0 threads; expected 1 to 1024}}
  block.put_sums %v at 0 threads 0 : vector<8xf32>
  return
}

// -----

func.func @sums_blocks() -> vector<8xf32> {
  // expected-error @+1 {{'block.take_sums' op is of 16 blocks; expected 1 to 8}}
  %sums = block.take_sums at 0 threads 128 of 16 : vector<8xf32>
  return %sums : vector<8xf32>
}

// -----

func.func @peer_block() -> vector<4xf32> {
  // expected-error @+1 {{'block.peer_sums' op is of block 8; expected 0 to 7}}
  %sums = block.peer_sums at 0 threads 128 block 8 : vector<4xf32>
  return %sums : vector<4xf32>
}

// -----

func.func @peer_place() -> vector<4xf32> {
  // expected-error @+1 {{'block.peer_sums' op is at 8; expected a multiple of 16 bytes}}
  %sums = block.peer_sums at 8 threads 128 block 0 : vector<4xf32>
  return %sums : vector<4xf32>
}

// -----

// A pipeline and a slot of it say together where the first matrix is.
func.func @other_pipeline(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32) {
  // expected-error @+1 {{'block.mma' op has a pipeline or a slot of the first matrix; expected both or neither}}
  %c = "block.mma"(%p, %s, %a, %p) <{b = 16384 : i64, depth = 64 : i64, element = bf16, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>}> : (!block.pipeline<4, 49152>, !block.slot, i32, !block.pipeline<4, 49152>) -> !block.accumulator<256>
  return
}

// -----

// Products are added under a condition to an accumulator.
func.func @condition_alone(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32, %if: i1) {
  // expected-error @+1 {{'block.mma' op has a condition of adding without an accumulator; expected both or no condition}}
  %c = "block.mma"(%p, %s, %a, %if) <{b = 16384 : i64, depth = 64 : i64, element = bf16, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 0>}> : (!block.pipeline<4, 49152>, !block.slot, i32, i1) -> !block.accumulator<256>
  return
}

// -----

// An instruction takes four words of a thread.
func.func @words(%p: !block.pipeline<2, 16384>, %s: !block.slot, %c: !block.accumulator<64>, %w: i32) {
  // expected-error @+1 {{'block.mma_words' op has 3 words of each thread, 12 columns; expected a multiple of 16 up to 256}}
  %d = block.mma_words %p, %s b 0 type bf16 accumulate %c words %w, %w, %w : !block.pipeline<2, 16384>, !block.accumulator<64>
  return
}

// -----

// Rows that are multiplied are some of those that boxes have.
func.func @words_of_boxes(%p: !block.pipeline<2, 4096>, %s: !block.slot, %c: !block.accumulator<64>, %w: i32) {
  // expected-error @+1 {{'block.mma_words' op has boxes of 8 rows; expected a multiple of 8 from the 16 that are multiplied on}}
  %d = block.mma_words %p, %s b 0 box_rows 8 type bf16 accumulate %c words %w, %w, %w, %w : !block.pipeline<2, 4096>, !block.accumulator<64>
  return
}

// -----

// 16 rows of two boxes.
func.func @words_end(%p: !block.pipeline<2, 2048>, %s: !block.slot, %c: !block.accumulator<80>, %w: i32) {
  // expected-error @+1 {{'block.mma_words' op has a matrix of 4096 bytes at 0; expected it to end at 2048 at most}}
  %d = block.mma_words %p, %s b 0 type bf16 accumulate %c words %w, %w, %w, %w : !block.pipeline<2, 2048>, !block.accumulator<80>
  return
}

// -----

// Sums of products that go on are not read.
func.func @earlier(%p: !block.pipeline<2, 2048>, %s: !block.slot, %c: !block.accumulator<64>, %w: i32) {
  %d = block.mma_words %p, %s b 0 type bf16 accumulate %c words %w, %w, %w, %w : !block.pipeline<2, 2048>, !block.accumulator<64>
  // expected-error @+1 {{'block.mma_wait' op reads sums that the last products are added to; expected those of an earlier block.mma}}
  %v = block.mma_wait %d earlier 1 : !block.accumulator<64> -> vector<32xf32>
  return
}

// -----

func.func @values(%v: vector<16xf32>) {
  // expected-error @+1 {{'block.accumulator' op takes 'vector<16xf32>'; expected 32 values of 'f32'}}
  %c = block.accumulator %v : vector<16xf32> -> !block.accumulator<64>
  return
}

// -----

func.func @too_many_bytes(%p: !block.pipeline<4, 16384>, %s: !block.slot) {
  // expected-error @+1 {{'block.expect' op has 32768 bytes; expected 1 to 16384, those of a stage}}
  block.expect %p, %s bytes 32768 : !block.pipeline<4, 16384>
  return
}

// -----

func.func @store_place(%p: !block.pipeline<4, 16384>, %s: !block.slot, %v: vector<8xi16>, %i: i32) {
  // expected-error @+1 {{'block.store_in' op has a box at 512; expected a multiple of 1024}}
  block.store_in %v to %p, %s at 512 row %i unit %i : vector<8xi16>, !block.pipeline<4, 16384>
  return
}
