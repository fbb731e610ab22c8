"""Each lint of sizes, names and prose finds its bad fixture and accepts the good one."""

import clang_format
import cmake_lists
import diagnostic_text
import file_names
import file_size
import function_size
import links
import pattern_comments
import portable_text
import view_of_temporary


def function(lines, name="f"):
    return f"int {name}(int x) {{\n" + "  x += 1;\n" * (lines - 2) + "}\n"


def test_clang_format(messages):
    assert "a.cpp:2: not formatted" in messages(clang_format, {"a.cpp": "int a;\nint   b;\n"})
    assert not messages(clang_format, {"a.cpp": "int a;\nint b;\n"})


def test_cmake_lists(messages):
    found = messages(cmake_lists, {"lib/A/CMakeLists.txt": "add(A Foo.cpp)\nfile(GLOB x *)\n",
                                   "lib/A/Foo.cpp": "", "lib/A/OtherFoo.cpp": ""})
    assert "lib/A/OtherFoo.cpp:1: no CMakeLists.txt" in found
    assert "CMakeLists.txt:2: name the sources" in found
    assert "lib/A/Foo.cpp" not in found


def test_modules_of_the_package_are_named(messages):
    found = messages(cmake_lists, {"python-bindings/CMakeLists.txt": "set(package_files named.py)\n", "python-bindings/tc/named.py": "",
                                   "python-bindings/tc/other.py": "", "test/python/test_a.py": ""})
    assert found == "python-bindings/tc/other.py:1: no CMakeLists.txt above names this file"


def test_file_names(messages):
    assert "Utils" in messages(file_names, {"lib/FusionUtils.cpp": ""})
    assert "helpers" in messages(file_names, {"utils/test_helpers.py": ""})
    assert not messages(file_names, {"lib/Fusion.cpp": "", "utils/Commoner.py": ""})


def test_file_size(messages):
    assert "501 lines" in messages(file_size, {"lib/a.cpp": "\n" * 501})
    assert "401 lines" in messages(file_size, {"test/a.mlir": "\n" * 401})


def test_file_size_accepts_the_limit(messages):
    assert not messages(file_size, {"lib/a.cpp": "\n" * 500, "test/a.mlir": "\n" * 400,
                                    "test/Inputs/golden.mlir": "\n" * 900})


def test_function_size(messages):
    long = "namespace tc {\nclass A : B {\npublic:\n" + function(81) + "};\n}\n"
    assert "lib/a.cpp:4: f has 81 lines" in messages(function_size, {"lib/a.cpp": long})
    assert not messages(function_size, {"lib/a.cpp": function(80) * 3})


def test_function_size_with_initialisers_and_lambdas(messages):
    body = "  auto g = [](int y) {\n    return y; // }\n  };\n" + "  x();\n" * 90
    text = 'A::A(int x) : b{x}, c("}") {\n' + body + "}\n"
    found = messages(function_size, {"lib/a.cpp": text})
    assert found.count("lines,") == 1 and "A::A" in found and "a.cpp:1:" in found


def test_function_size_in_python(messages):
    assert "f has 82 lines" in messages(function_size, {"a.py": "def f():\n" + "  x = 1\n" * 81})


def test_links(messages):
    found = messages(links, {"README.md": "[a](docs/b.md) [c](docs/a.md#nothing)\n`lib/Gone.cpp`\n",
                             "docs/a.md": "# A heading\n", "lib/Here.cpp": ""})
    assert "docs/b.md leads nowhere" in found
    assert "no heading #nothing" in found
    assert "README.md:2: there is no lib/Gone.cpp" in found


def test_page_without_a_link(messages):
    found = messages(links, {"README.md": "[a](docs/a.md)", "docs/a.md": "[self](a.md)", "docs/b.md": ""})
    assert "docs/b.md:1: no other page links here" in found and "docs/a.md" not in found


def test_links_accepts(messages):
    assert not messages(links, {
        "README.md": "[a](docs/a.md#a-heading) [b](https://x.y) `lib/Here.cpp:3` `lib/*.cpp`\n"
                     "`lib/<Name>.cpp`\n```\n`lib/Gone.cpp`\n```\n",
        "docs/a.md": "# A heading\n", "lib/Here.cpp": ""})


def test_pattern_comments(messages):
    bare = "struct Fold : OpRewritePattern<AddOp> {\n};\n"
    assert "Fold has no" in messages(pattern_comments, {"lib/a.cpp": bare})
    vague = "// Pattern: folds\n" + bare
    assert "no '->'" in messages(pattern_comments, {"lib/a.cpp": vague})
    good = "// Pattern: add(x, 0) -> x\ntemplate <typename T>\n" + bare
    assert not messages(pattern_comments, {"lib/a.cpp": good})


def test_portable_text(messages):
    home = "/" + "home/someone/tc"
    assert "notes.md:2:" in messages(portable_text, {"notes.md": f"a\nsee {home}\n"})
    host = "pypi." + "org/simple"
    assert "network" in messages(portable_text, {"a.txt": f"https://{host}"})
    assert not messages(portable_text, {"notes.md": "test/work/a.mlir and build/root/b\n"})


def test_diagnostic_text(messages):
    source = ('return op.emitOpError("Expects; x.");\nemitError(loc) << "the size is " << n\n'
              '    << " too large.";\nemitError(loc, "IR of size 3.5") << "one. two " << n;\n')
    found = messages(diagnostic_text, {"lib/a.cpp": source})
    assert "a.cpp:1: a diagnostic starts in lower case" in found
    assert "a.cpp:1: a diagnostic ends without a period" in found
    assert "a.cpp:2: a diagnostic ends without a period" in found
    assert "a.cpp:4" not in found


def test_view_of_temporary(messages):
    bad = "void f() {\n  for (int x : llvm::ArrayRef(names(1)).drop_front())\n    use(x);\n}\n"
    assert "a.cpp:2: name 'names(1)' before the loop" in messages(view_of_temporary, {"a.cpp": bad})
    bits = "for (unsigned dim : getDims(kernel, f(1)).set_bits())\n  use(dim);\n"
    assert "a.cpp:1: name 'getDims(kernel, f(1))' before the loop" in messages(view_of_temporary, {"a.cpp": bits})
    good = "for (unsigned dim : values.written().set_bits()) use(dim);\nfor (int x : ArrayRef(named).drop_front()) use(x);\nfor (int x : llvm::enumerate(names(1))) use(x);\n"
    assert not messages(view_of_temporary, {"a.cpp": good})
