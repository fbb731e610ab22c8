"""The lint of definitions finds functions that are not in the .cpp of their header's name."""

import definitions


def test_function_in_another_file(messages):
    found = messages(definitions, {
        "include/A/Shapes.h": "namespace a {\nint area(int x);\nint edge(int x);\n}\n",
        "lib/A/Shapes.cpp": "int a::edge(int x) { return x; }\n",
        "lib/A/Colours.cpp": "int a::area(int x) {\n  return x * x;\n}\n"})
    assert found == ("lib/A/Colours.cpp:1: 'area' is declared in Shapes.h; "
                     "declare it in Colours.h, or define it there")


def test_function_that_names_its_file(messages):
    assert not messages(definitions, {
        "lib/A/Table.h": "void addPooling(Table &table);\n",
        "lib/A/Pooling.cpp": "void addPooling(Table &table) { table.add(); }\n"})


def test_what_no_header_declares(messages):
    assert not messages(definitions, {
        "lib/A/Shapes.h": "inline int area(int x) { return x; }\n",
        "lib/A/Colours.cpp": "static int area(int x) { return x; }\n"
                             "namespace {\nint edge(int x) { return area(x); }\n} // namespace\n"})


def class_over(count):
    files = {"lib/A/Importer.h": "class Importer {\npublic:\n"
                                 + "".join(f"  void import{n}();\n" for n in range(count)) + "};\n"}
    for n in range(count):
        files[f"lib/A/Part{n}.cpp"] = f"void Importer::import{n}() {{}}\n"
    return files


def test_class_over_many_files(messages):
    assert "the methods of Importer are in 5 files, the limit is 4" in messages(definitions, class_over(5))
    assert not messages(definitions, class_over(4))
