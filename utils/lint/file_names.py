"""Files are named for what they hold: no Utils, Misc, Helpers or Common."""

import re

from tree import Finding

VAGUE = re.compile(r"(?:^|(?<=[a-z_-]))(?:utils?|misc|helpers?|common|uncategorized)$", re.I)


def check(tree):
    for path in tree.files(".cpp", ".h", ".td", ".py"):
        stem = path.rsplit("/", 1)[-1].split(".")[0]
        if VAGUE.search(stem):
            yield Finding(path, 1, f"'{stem}' does not say what the file holds")
