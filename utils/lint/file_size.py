"""Files stay small: 500 lines for code, 400 for tests."""

from tree import Finding

CODE_LINES = 500
TEST_LINES = 400


def check(tree):
    for path in tree.files(".cpp", ".h", ".c", ".td", ".py", ".mlir", ".test"):
        if "/Inputs/" in path:
            continue
        is_test = path.startswith("test/")
        limit = TEST_LINES if is_test else CODE_LINES
        count = len(tree.lines(path))
        if count > limit:
            yield Finding(path, limit + 1, f"{count} lines, the limit for "
                          f"{'a test' if is_test else 'code'} is {limit}; split it by theme")
