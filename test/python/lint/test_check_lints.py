"""The lints of lit tests find checks that cannot fail."""

import constraint_labels
import expected_diagnostics
import live_checks


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


def test_constraint_labels(messages):
    found = messages(constraint_labels, {
        "include/TC/A.td": "// - (add_c1) same sizes\n// - (add_c2) same dtype\n",
        "test/invalid-add.mlir": "func.func @add_c1() {}\n", "test/ops-add.mlir": "add_c2\n"})
    assert "A.td:2: no negative test names add_c2" in found and "add_c1" not in found
