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


def test_class_over_files(messages):
    found = messages(definitions, {
        "lib/A/Importer.h": "class Importer {\npublic:\n  void run();\n  void importLoop();\n};\n",
        "lib/A/Importer.cpp": "void Importer::run() { importLoop(); }\n",
        "lib/A/Loops.cpp": "\nvoid Importer::importLoop() {}\n"})
    assert found == ("lib/A/Loops.cpp:2: 'Importer::importLoop' is declared in Importer.h; "
                     "split the class by idea, or define it there")
