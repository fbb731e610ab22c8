//===- Recurrent.cpp - LSTM, GRU and plain recurrent layers ---------------===//
//
// A layer is unrolled: one cell after another, in the order of the steps. One
// matrix product computes the inputs of the cells of all steps.
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// More steps than this would take minutes to compile.
static constexpr int64_t kMostSteps = 1024;

namespace {
enum class CellKind { Lstm, Gru, Tanh, Relu };

/// The parameters of one direction of a layer; biases and the projection may
/// be null.
struct CellWeights {
  Value input, hidden, inputBias, hiddenBias, projection;
};

/// The state that a cell passes to the next step, in f32 at least.
struct CellState {
  Value hidden;
  Value cell; ///< of an LSTM alone
};

/// A stack of layers, as the call describes it.
struct Stack {
  CellKind kind;
  SmallVector<CellWeights> weights; ///< of each layer's directions
  SmallVector<CellState> states;    ///< before the first step, in that order
  int64_t layers, directions;
};
} // namespace

/// x times the transposed weight, plus the bias if there is one.
static Value multiply(AtenCall &call, Value x, Value weight, Value bias) {
  StringRef spec = rankOf(x) == 3 ? "abk,nk->abn" : "bk,nk->bn";
  Value product = call.contract(spec, x, weight);
  if (!bias)
    return product;
  return call.binary<AddOp>(product, call.broadcast(bias, sizesOf(product)));
}

/// Part `index` of `count` equal parts of the last dimension.
static Value getGate(AtenCall &call, Value gates, int64_t index,
                     int64_t count) {
  SizeExpr size = sizesOf(gates).back().floorDiv(call.constant(count));
  return call.slice(gates, rankOf(gates) - 1, size.mul(index), size);
}

static Value sigmoid(AtenCall &call, Value x) {
  return call.unary<SigmoidOp>(x);
}

static CellState runLstm(AtenCall &call, Value gates, CellState state,
                         Value projection) {
  Value input = sigmoid(call, getGate(call, gates, 0, 4)),
        forget = sigmoid(call, getGate(call, gates, 1, 4)),
        fresh = call.unary<TanhOp>(getGate(call, gates, 2, 4)),
        output = sigmoid(call, getGate(call, gates, 3, 4));
  Value cell = call.binary<AddOp>(call.binary<MulOp>(forget, state.cell),
                                  call.binary<MulOp>(input, fresh));
  Value hidden = call.binary<MulOp>(output, call.unary<TanhOp>(cell));
  if (projection)
    hidden = call.widen(multiply(call, call.cast(hidden, elementOf(projection)),
                                 projection, Value()));
  return {hidden, cell};
}

static CellState runGru(AtenCall &call, Value fromInput, Value fromHidden,
                        CellState state) {
  auto sum = [&](int64_t index) {
    return call.binary<AddOp>(getGate(call, fromInput, index, 3),
                              getGate(call, fromHidden, index, 3));
  };
  Value reset = sigmoid(call, sum(0)), update = sigmoid(call, sum(1));
  Value fresh = call.unary<TanhOp>(call.binary<AddOp>(
      getGate(call, fromInput, 2, 3),
      call.binary<MulOp>(reset, getGate(call, fromHidden, 2, 3))));
  Value change =
      call.binary<MulOp>(update, call.binary<SubOp>(state.hidden, fresh));
  return {call.binary<AddOp>(fresh, change), Value()};
}

/// One step; `fromInput` is the input times its weight, plus its bias.
static CellState runCell(AtenCall &call, CellKind kind, Value fromInput,
                         CellState state, const CellWeights &weights) {
  Value hidden = call.cast(state.hidden, elementOf(weights.hidden));
  Value fromHidden =
      call.widen(multiply(call, hidden, weights.hidden, weights.hiddenBias));
  fromInput = call.widen(fromInput);
  if (kind == CellKind::Gru)
    return runGru(call, fromInput, fromHidden, state);
  Value gates = call.binary<AddOp>(fromInput, fromHidden);
  if (kind == CellKind::Lstm)
    return runLstm(call, gates, state, weights.projection);
  return {kind == CellKind::Tanh ? call.unary<TanhOp>(gates)
                                 : call.unary<ReluOp>(gates),
          Value()};
}

/// Entry `index` of the first dimension, which goes.
static Value getEntry(AtenCall &call, Value x, int64_t index) {
  Sizes sizes = sizesOf(x);
  sizes.erase(sizes.begin());
  return call.reshape(call.slice(x, 0, call.constant(index), call.constant(1)),
                      sizes);
}

/// The values one after another along a new first dimension.
static Value stack(AtenCall &call, SmallVector<Value> parts) {
  for (Value &part : parts) {
    Sizes sizes = sizesOf(part);
    sizes.insert(sizes.begin(), call.constant(1));
    part = call.reshape(part, sizes);
  }
  return call.concat(parts, 0);
}

/// One direction of a layer over all steps of x, [steps, batch, features];
/// `state` is that after the last step afterwards.
static Value runDirection(AtenCall &call, CellKind kind, Value x,
                          const CellWeights &weights, CellState &state,
                          bool isBackward) {
  Value fromInput = multiply(call, x, weights.input, weights.inputBias);
  int64_t steps = *sizesOf(x)[0].getConstant();
  SmallVector<Value> outputs(steps);
  for (int64_t step = 0; step < steps; ++step) {
    int64_t at = isBackward ? steps - 1 - step : step;
    state = runCell(call, kind, getEntry(call, fromInput, at), state, weights);
    outputs[at] = call.cast(state.hidden, elementOf(x));
  }
  return stack(call, outputs);
}

static LogicalResult runStack(AtenCall &call, Stack &net, Value x) {
  bool batchFirst = call.getBool("batch_first");
  if (batchFirst)
    x = call.transpose(x, {1, 0, 2});
  std::optional<int64_t> steps = sizesOf(x)[0].getConstant();
  if (!steps || *steps < 1 || *steps > kMostSteps)
    return call.refuse("a number of steps that is symbolic, zero or over " +
                       Twine(kMostSteps) +
                       "; cut the sequence, or export it "
                       "with one length");
  for (int64_t layer = 0; layer < net.layers; ++layer) {
    SmallVector<Value> outputs;
    for (int64_t direction = 0; direction < net.directions; ++direction) {
      int64_t index = layer * net.directions + direction;
      outputs.push_back(runDirection(call, net.kind, x, net.weights[index],
                                     net.states[index], direction == 1));
    }
    x = call.concat(outputs, 2);
  }
  if (batchFirst)
    x = call.transpose(x, {1, 0, 2});
  SmallVector<Value> hidden, cells, results{x};
  for (const CellState &state : net.states) {
    hidden.push_back(state.hidden);
    cells.push_back(state.cell);
  }
  results.push_back(stack(call, hidden));
  if (net.kind == CellKind::Lstm)
    results.push_back(stack(call, cells));
  return call.hasFailed() ? failure() : call.replace(results);
}

/// Splits the flat list of parameters; false when it has another length.
static bool readWeights(AtenCall &call, Stack &net, bool hasProjection) {
  SmallVector<Value> params = call.getTensors("params");
  bool hasBiases = call.getBool("has_biases");
  size_t each = 2 + (hasBiases ? 2 : 0) + (hasProjection ? 1 : 0);
  if (params.size() != each * net.states.size())
    return false;
  for (size_t first = 0; first < params.size(); first += each) {
    CellWeights weights{params[first], params[first + 1], Value(), Value(),
                        Value()};
    if (hasBiases) {
      weights.inputBias = params[first + 2];
      weights.hiddenBias = params[first + 3];
    }
    if (hasProjection)
      weights.projection = params[first + each - 1];
    net.weights.push_back(weights);
  }
  return true;
}

// Pattern: aten.lstm(x, hx, params) -> a cell for each step, unrolled
template <CellKind kind> static LogicalResult convertLayers(AtenCall &call) {
  constexpr bool isLstm = kind == CellKind::Lstm;
  Value x = call.getTensor("input");
  SmallVector<Value> initial =
      isLstm ? call.getTensors("hx") : SmallVector<Value>{call.getTensor("hx")};
  Stack net{kind,
            {},
            {},
            call.getInteger("num_layers"),
            call.getBool("bidirectional") ? 2 : 1};
  if (call.getBool("train") && call.getReal("dropout") != 0.0)
    return call.refuse("dropout; use eval()");
  if (call.hasFailed() || rankOf(x) != 3 || initial.size() != (isLstm ? 2 : 1))
    return call.hasFailed() ? failure() : call.refuse("these inputs");
  for (int64_t index = 0; index < net.layers * net.directions; ++index)
    net.states.push_back(
        {call.widen(getEntry(call, initial[0], index)),
         isLstm ? call.widen(getEntry(call, initial[1], index)) : Value()});
  bool hasProjection =
      isLstm && sizesOf(initial[0]).back() != sizesOf(initial[1]).back();
  if (!readWeights(call, net, hasProjection))
    return call.refuse("this number of parameters");
  return runStack(call, net, x);
}

// Pattern: aten.gru_cell(x, hx, w_ih, w_hh) -> two tc.contract and the gates
template <CellKind kind> static LogicalResult convertCell(AtenCall &call) {
  constexpr bool isLstm = kind == CellKind::Lstm;
  Value x = call.getTensor("input");
  CellState state;
  if (isLstm) {
    SmallVector<Value> initial = call.getTensors("hx");
    if (initial.size() != 2)
      return call.refuse("these states");
    state = {initial[0], initial[1]};
  } else {
    state = {call.getTensor("hx"), Value()};
  }
  CellWeights weights{call.getTensor("w_ih"), call.getTensor("w_hh"),
                      call.getTensor("b_ih"), call.getTensor("b_hh"), Value()};
  if (rankOf(x) != 2 || rankOf(state.hidden) != 2)
    return call.refuse("an input of rank " + Twine(rankOf(x)));
  Value fromInput = multiply(call, x, weights.input, weights.inputBias);
  state.hidden = call.widen(state.hidden);
  state.cell = isLstm ? call.widen(state.cell) : Value();
  state = runCell(call, kind, fromInput, state, weights);
  if (call.hasFailed())
    return failure();
  if (isLstm)
    return call.replace({state.hidden, state.cell});
  return call.replace(state.hidden);
}

void addRecurrent(AtenTable &table) {
  table.add({"lstm.input"}, convertLayers<CellKind::Lstm>);
  table.add({"gru.input"}, convertLayers<CellKind::Gru>);
  table.add({"rnn_tanh.input"}, convertLayers<CellKind::Tanh>);
  table.add({"rnn_relu.input"}, convertLayers<CellKind::Relu>);
  table.add({"lstm_cell.default"}, convertCell<CellKind::Lstm>);
  table.add({"gru_cell.default"}, convertCell<CellKind::Gru>);
  table.add({"rnn_tanh_cell.default"}, convertCell<CellKind::Tanh>);
  table.add({"rnn_relu_cell.default"}, convertCell<CellKind::Relu>);
}

} // namespace tc::aten
