"""Programs that several tests compile."""

from pathlib import Path

# The archives of make_inputs.py.
PT2 = Path(__file__).resolve().parents[2] / "Frontend/Inputs"

SCALE = """
func.func @main(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %y: tensor<8xf32>) -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>],
                tc.signature = {inputs = ["x", "y"]}} {
  %b = tc.broadcast %y dims [1] : tensor<8xf32> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %0 = tc.mul %x, %b : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return %0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
}
"""

TWO_FUNCTIONS = """
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tc.add %x, %x : tensor<4xf32>
  %1 = tc.neg %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tc.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def unary(op, type_text):
    return f"""
func.func @main(%x: tensor<{type_text}>) -> tensor<{type_text}> {{
  %0 = tc.{op} %x : tensor<{type_text}>
  return %0 : tensor<{type_text}>
}}
"""


MUTATES = """
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {tc.mutates = 0 : i64}) {
  %0 = tc.neg %x : tensor<4xf32>
  %1 = tc.add %x, %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""
