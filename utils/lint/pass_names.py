"""A pass's flag, source file and test follow from its def.

`TCFuseElementwisePass` in include/TC/Transforms/Fuse.td has the flag
`tc-fuse-elementwise`, the file lib/Transforms/Fuse/FuseElementwise.cpp and the
test test/Transforms/fuse-elementwise.mlir, and fuse-elementwise-errors.mlir when
the file emits errors. `ConvertAtenToTCPass` has the flag `convert-aten-to-tc`,
the file lib/Conversion/AtenToTC/AtenToTC.cpp and tests in
test/Conversion/AtenToTC. A TC pass starts with one of the verbs below."""

import re

from registry import passes
from tree import Finding, kebab_case

VERBS = ("convert", "decompose", "fold", "eliminate", "propagate", "hoist", "fuse", "tile",
         "pack", "assign", "plan", "specialize", "bufferize", "outline", "vectorize", "import",
         # Of kernels: what they are, and their dimensions.
         "classify", "collapse", "split",
         "emit", "verify",
         # The two passes around each phase.
         "begin", "end")


def check(tree):
    for record in passes(tree):
        for message in complaints(tree, record):
            yield Finding(record.path, record.line, message)


def complaints(tree, record):
    match = re.fullmatch(r"(TC|Convert)(\w+)Pass", record.name)
    if not match:
        yield f"{record.name}: a pass is called TC<Verb><Object>Pass or Convert<A>To<B>Pass"
        return
    stem = match[2]
    converts = match[1] == "Convert"
    flag = ("convert-" if converts else "tc-") + kebab_case(stem)
    actual = record.fields["argument"]
    if actual != flag:
        yield f"{record.name}: the flag is {actual}, by its name it should be {flag}"
    if not converts and kebab_case(stem).split("-")[0] not in VERBS:
        yield f"{record.name}: a pass starts with a verb of the table: {', '.join(VERBS)}"

    folder, definitions = record.path.removeprefix("include/TC/").rsplit("/", 1)
    room = folder
    if converts:
        folder = room = f"Conversion/{stem}"
    elif folder == "Transforms":
        # The passes around each phase are in Passes.td, those of a phase in its own.
        room += "/Phases" if definitions == "Passes.td" else "/" + definitions.removesuffix(".td")
    source = f"lib/{room}/{stem}.cpp"
    if not tree.exists(source):
        yield f"{record.name}: there is no {source}"
    if converts:
        if not any(path.startswith(f"test/{folder}/") for path in tree.lit_tests):
            yield f"{record.name}: there is no test in test/{folder}"
        return
    test = f"test/{folder}/{kebab_case(stem)}"
    if not tree.exists(test + ".mlir"):
        yield f"{record.name}: there is no {test}.mlir"
    emits = tree.exists(source) and re.search(r"\bemit(Op)?Error\b", tree.text(source))
    if emits and not tree.exists(test + "-errors.mlir"):
        yield f"{record.name}: it emits errors, but there is no {test}-errors.mlir"
