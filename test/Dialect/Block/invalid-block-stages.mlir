// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @producers() {
  // expected-error @+1 {{'block.pipeline' op has 1025 producers; expected 1 to 1024}}
  %p = block.pipeline at 0 consumers 1 producers 1025 : !block.pipeline<1, 1024>
  return
}

// -----

func.func @load_place(%p: !block.pipeline<2, 9216>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.load_in' op loads 8 bytes at 9216; expected a multiple of 1024 in a stage of 9216 bytes}}
  %v = block.load_in %p, %s at 9216 index %i : !block.pipeline<2, 9216> -> vector<2xf32>
  return
}

// -----

func.func @stored_words(%p: !block.pipeline<2, 9216>, %s: !block.slot, %w: i32) {
  // expected-error @+1 {{'block.store_words' op has 3 words; expected 8 or 16}}
  block.store_words %w, %w, %w to %p, %s at %w : !block.pipeline<2, 9216>
  return
}

// -----

// Across, a column of the accumulator is a row of the boxes.
func.func @stored_columns(%p: !block.pipeline<1, 32768>, %s: !block.slot, %v: vector<32xf32>, %w: i32) {
  // expected-error @+1 {{'block.store_values' op stores 64 columns; expected as many as a box has rows, 128}}
  block.store_values %v to %p, %s rows 128 first %w across : vector<32xf32>, !block.pipeline<1, 32768>
  return
}

// -----

func.func @stored_rows(%p: !block.pipeline<1, 32768>, %s: !block.slot, %v: vector<32xf32>, %w: i32) {
  // expected-error @+1 {{'block.store_values' op has boxes of 32 rows; expected a multiple of 64}}
  block.store_values %v to %p, %s rows 32 first %w : vector<32xf32>, !block.pipeline<1, 32768>
  return
}

// -----

func.func @stored_bytes(%p: !block.pipeline<1, 16384>, %s: !block.slot, %v: vector<32xf32>, %w: i32) {
  // expected-error @+1 {{'block.store_values' op stores boxes of 32768 bytes; expected at most 16384, those of a stage}}
  block.store_values %v to %p, %s rows 128 first %w : vector<32xf32>, !block.pipeline<1, 16384>
  return
}

// -----

func.func @groups() {
  // expected-error @+1 {{'block.meet_groups' op is of 0 warp groups; expected 1 to 7}}
  block.meet_groups 0
  return
}

// -----

func.func @box_place(%map: !llvm.ptr, %p: !block.pipeline<1, 16384>, %s: !block.slot, %i: i32) {
  // expected-error @+1 {{'block.box_out' op has a box at 100; expected a multiple of 1024}}
  block.box_out %map[%i, %i] from %p, %s at 100 : !block.pipeline<1, 16384>
  return
}

// -----

func.func @wait_behind() {
  // expected-error @+1 {{'block.mma_wait_earlier' op waits for all but 8 products; expected 0 to 7}}
  block.mma_wait_earlier but 8
  return
}

// -----

func.func @wait_earlier(%c: !block.accumulator<64>) {
  // expected-error @+1 {{'block.mma_wait' op waits for all but 9 products; expected 0 to 7}}
  %v = block.mma_wait %c earlier 9 : !block.accumulator<64> -> vector<32xf32>
  return
}

// -----

// No more bytes come than a stage has.
func.func @acquire(%p: !block.pipeline<4, 16384>, %s: !block.slot) {
  // expected-error @+1 {{'block.acquire' op has 20480 bytes; expected 1 to 16384, those of a stage}}
  block.acquire %p, %s bytes 20480 : !block.pipeline<4, 16384>
  return
}

// -----

// A stage of words has four.
func.func @put_words(%p: !block.pipeline<1, 16>, %s: !block.slot, %n: i32) {
  // expected-error @+1 {{'block.put_words' op has 5 words; expected 1 to 4}}
  block.put_words %n, %n, %n, %n, %n to %p, %s : !block.pipeline<1, 16>
  return
}

// -----

func.func @take_words(%p: !block.pipeline<1, 16>, %s: !block.slot) {
  // expected-error @+1 {{'block.take_words' op has 5 words; expected 1 to 4}}
  %n:5 = block.take_words %p, %s : !block.pipeline<1, 16> -> i32, i32, i32, i32, i32
  return
}
