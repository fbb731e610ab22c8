//===- AtenTable.h - the conversion of each overload ------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_ATENTABLE_H
#define TC_LIB_CONVERSION_ATENTOTC_ATENTABLE_H

#include "AtenCall.h"

#include "llvm/ADT/StringMap.h"

#include <initializer_list>

namespace tc::aten {

/// Converts one call; it replaces the call or emits an error and fails.
using AtenConversion = llvm::LogicalResult (*)(AtenCall &call);

/// Conversions by overload, without the "aten." ("add.Tensor").
class AtenTable {
public:
  /// Starts a theme, to which the conversions added from now on belong.
  void startTheme(llvm::StringRef name) { theme = name; }
  /// An overload that has a conversion already keeps it, and getError() says
  /// which themes add it.
  void add(std::initializer_list<llvm::StringLiteral> overloads,
           AtenConversion conversion) {
    for (llvm::StringRef overload : overloads)
      add(overload, conversion);
  }
  void add(llvm::StringRef overload, AtenConversion conversion);
  /// Converts calls that have an elementwise row but need more than the row
  /// says; replaces the row's conversion, which must exist.
  void addOverRow(std::initializer_list<llvm::StringLiteral> overloads,
                  AtenConversion conversion);
  /// Converts calls with complex operands; the others keep their conversion.
  void addComplex(std::initializer_list<llvm::StringLiteral> overloads,
                  AtenConversion conversion) {
    for (llvm::StringRef overload : overloads)
      complexConversions[overload] = conversion;
  }
  /// The first conversion that could not be added, or nothing.
  llvm::StringRef getError() const { return error; }

  /// The conversion of a call, of which `isComplex` says whether an operand is
  /// complex; null for none.
  AtenConversion find(llvm::StringRef overload, bool isComplex = false) const {
    if (auto conversion = complexConversions.lookup(overload);
        conversion && isComplex)
      return conversion;
    return conversions.lookup(overload).conversion;
  }
  /// Prints a line "theme: overload" for each overload, sorted.
  void print(llvm::raw_ostream &os) const;

private:
  struct Row {
    AtenConversion conversion = nullptr;
    llvm::StringRef theme;
  };
  llvm::StringMap<Row> conversions;
  llvm::StringMap<AtenConversion> complexConversions;
  llvm::StringRef theme; // whose rows are being added
  std::string error;
};

/// The theme of addElementwiseRows.
inline constexpr llvm::StringLiteral kElementwiseRows = "Elementwise rows";

// One function a theme, each in the file of its name.
void addActivations(AtenTable &table);
/// Takes the conversions of other themes: comes last.
void addAliases(AtenTable &table);
void addAntialiasing(AtenTable &table);
void addArithmetic(AtenTable &table);
void addBackwards(AtenTable &table);
void addComplex(AtenTable &table);
void addComposites(AtenTable &table);
void addContractions(AtenTable &table);
void addConvolutions(AtenTable &table);
void addDataDependentSizes(AtenTable &table);
void addDiagonals(AtenTable &table);
void addDistances(AtenTable &table);
void addEinsum(AtenTable &table);
void addElementwiseRows(AtenTable &table);
void addEmbeddingBags(AtenTable &table);
void addFactories(AtenTable &table);
void addFactorizations(AtenTable &table);
void addFourier(AtenTable &table);
void addGrids(AtenTable &table);
void addGroupedProducts(AtenTable &table);
void addIndexing(AtenTable &table);
void addJoins(AtenTable &table);
void addLinearAlgebra(AtenTable &table);
void addLosses(AtenTable &table);
void addMarginLosses(AtenTable &table);
void addNeuralNetworks(AtenTable &table);
void addNormalizations(AtenTable &table);
void addPooling(AtenTable &table);
void addDropout(AtenTable &table);
void addRandomNumbers(AtenTable &table);
void addRecurrent(AtenTable &table);
void addReductions(AtenTable &table);
void addScatters(AtenTable &table);
void addSelections(AtenTable &table);
void addShapes(AtenTable &table);
void addSortsAndScans(AtenTable &table);
void addSpecialFunctions(AtenTable &table);
void addStatistics(AtenTable &table);
void addUnpooling(AtenTable &table);
void addViews(AtenTable &table);
void addWindows(AtenTable &table);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_ATENTABLE_H
