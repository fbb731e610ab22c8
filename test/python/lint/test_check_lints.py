"""The lints of lit tests find checks that cannot fail."""

import expected_diagnostics
import live_checks
import tested_constraints
import tested_refusals


def test_check_lines_without_filecheck(messages):
    found = messages(live_checks, {"test/a.mlir": "// RUN: tc-opt %s\n// CHECK: x\n"})
    assert "test/a.mlir:2: no FileCheck reads the lines with CHECK" in found


def test_check_lines_of_another_prefix(messages):
    text = "// RUN: tc-opt %s | FileCheck %s --check-prefix=GPU\n// GPU: x\n// CPU-NEXT: y\n"
    found = messages(live_checks, {"test/a.mlir": text})
    assert "a.mlir:3: no FileCheck reads the lines with CPU" in found and "GPU" not in found


def test_misspelt_directive(messages):
    text = "// RUN: tc-opt %s | FileCheck %s\n// CHECK: x\n// CHECK-NXT: y\n// CHECK-NEXT z\n"
    found = messages(live_checks, {"test/a.mlir": text})
    assert "CHECK-NXT" in found and "a.mlir:4: a check without a colon" in found


def test_filecheck_without_lines(messages):
    text = "// RUN: tc-opt %s \\\n// RUN:   | FileCheck %s --check-prefixes=A,B\n// A: x\n"
    assert "a.mlir:1: FileCheck finds no line with B" in messages(live_checks, {"test/a.mlir": text})


def test_expected_error_that_nobody_verifies(messages):
    text = "// RUN: tc-opt %s\n// expected-error @+1 {{a whole message}}\n"
    assert "without --verify-diagnostics" in messages(live_checks, {"test/a.mlir": text})


def test_live_checks_accepts(messages):
    text = ("// RUN: tc-opt %s -verify-diagnostics | FileCheck %s\n// CHECK-LABEL: f\n"
            "// NOTE: why\n// expected-error {{x y z}}\n// CHECK-COUNT-2: g\n")
    assert not messages(live_checks, {"test/a.mlir": text})


def test_expected_diagnostics(messages):
    text = ("// expected-error @+1 {{bad type}}\n"
            "// expected-error-re {{expected {{.*}} but got i32}}\n"
            "// expected-error @below {{'tc.add' op sizes differ: 4 and 8}}\n")
    found = messages(expected_diagnostics, {"test/a.mlir": text})
    assert "a.mlir:1: 'bad type' is too short" in found
    assert "a.mlir:2: quote the whole message" in found
    assert "a.mlir:3" not in found


def test_tested_constraints(messages):
    source = ('return emitOpError("has size ") << size\n    << "; expected at "\n       "most 4";\n'
              'return emitOpError("has a ") << (c ? "left" : "right") << " side";\n')
    test = "// expected-error @+1 {{'tc.a' op has size 5; expected at most 4}}\n"
    files = {"lib/Dialect/TC/IR/A.cpp": source, "test/invalid-a.mlir": test}
    found = messages(tested_constraints, files)
    assert found == "lib/Dialect/TC/IR/A.cpp:4: no test expects the error \"has a ... side\""
    files["unittests/ATest.cpp"] = 'EXPECT_EQ(error, "\'tc.a\' op has a left "\n          "side");\n'
    assert not messages(tested_constraints, files)


def test_tested_constraints_of_phases(messages):
    source = 'op->emitOpError("is left after the phase");\n'
    assert "Fuse/VerifyA.cpp:1: no test" in messages(
        tested_constraints, {"lib/Transforms/Fuse/VerifyA.cpp": source})
    assert not messages(tested_constraints, {"lib/Transforms/FuseA.cpp": source})


def test_tested_refusals(messages):
    source = ('return refuse("a row of " + Twine(row) + " elements does not "\n      "stay on chip");\n'
              'return refuse("they differ");\n')
    found = messages(tested_refusals, {
        "lib/Transforms/FuseA.cpp": source,
        "test/a.mlir": "// CHECK: did not fuse 'a' into 'b': a row of 8 elements does not stay on chip\n"
                       "// they differ\n"})
    assert found == "lib/Transforms/FuseA.cpp:3: no test quotes the reason \"they differ\""
