//===- AtenTableTest.cpp - one conversion an overload ---------------------===//

#include "AtenTable.h"

#include "TC/Conversion/AtenToTC/AtenToTC.h"

#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace tc::aten;

static llvm::LogicalResult convertOne(AtenCall &) { return llvm::success(); }
static llvm::LogicalResult convertOther(AtenCall &) { return llvm::failure(); }

// The compiler's own table.
TEST(AtenTable, HasOneConversionAnOverload) {
  llvm::Error error = tc::printAtenOverloads(llvm::nulls());
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
}

// Whoever asks has no operands yet, so what calls with complex ones alone have
// counts as well.
TEST(AtenTable, ConvertsOverloadsOfComplexNumbersAlone) {
  EXPECT_TRUE(tc::convertsAtenOverload("view_as_real.default"));
  EXPECT_TRUE(tc::convertsAtenOverload("_conj.default"));
  EXPECT_TRUE(tc::convertsAtenOverload("addmm.default"));
  EXPECT_FALSE(tc::convertsAtenOverload("geqrf.default"));
}

TEST(AtenTable, NamesBothThatWantAnOverload) {
  AtenTable table;
  table.startTheme(kElementwiseRows);
  table.add("floor.default", convertOne);
  table.startTheme("Arithmetic");
  table.add({"mul.Tensor", "floor.default"}, convertOther);
  EXPECT_EQ(table.getError(),
            "'floor.default' is converted by 'Elementwise rows' and by "
            "'Arithmetic'; leave it to one of them");
  EXPECT_EQ(table.find("floor.default"), convertOne);
}

TEST(AtenTable, ReplacesRowsAlone) {
  AtenTable table;
  table.startTheme(kElementwiseRows);
  table.add("floor.default", convertOne);
  table.startTheme("Arithmetic");
  table.addOverRow({"floor.default"}, convertOther);
  EXPECT_EQ(table.find("floor.default"), convertOther);
  EXPECT_EQ(table.getError(), "");
  table.startTheme("Shapes");
  table.addOverRow({"floor.default"}, convertOne);
  EXPECT_EQ(table.getError(), "'floor.default' of 'Shapes' is over "
                              "'Arithmetic', expected an elementwise row");
}

TEST(AtenTable, ReplacesNoRowThatIsMissing) {
  AtenTable table;
  table.startTheme("Arithmetic");
  table.addOverRow({"flor.default"}, convertOne);
  EXPECT_EQ(table.getError(), "'flor.default' of 'Arithmetic' is over "
                              "'nothing', expected an elementwise row");
}
