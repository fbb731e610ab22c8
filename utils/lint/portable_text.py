"""Nothing committed names one machine's folders or one network's package hosts."""

import re

from tree import Finding

# Written in parts, so that this file does not find itself.
MACHINE_PATHS = ("/" + "work/", "/" + "root/", "/" + r"home/\w", "/" + r"Users/\w", "/opt/" + "pypi",
                 "/opt/" + "wheels")
PACKAGE_HOSTS = ("files\\." + "pythonhosted", "pypi\\." + "org/simple", "--extra-" + "index-url",
                 "--find-" + "links", "art" + "ifactory", r"\.pkg\." + "dev/", "ghcr\\." + "io/",
                 "apt\\." + "llvm\\.org")
FORBIDDEN = re.compile("(?<![\\w.$}/])(?:" + "|".join(MACHINE_PATHS) + ")|" + "|".join(PACKAGE_HOSTS))


def check(tree):
    for path in tree.paths:
        if path.endswith((".png", ".pt2", ".npy", ".bin", ".svg")):
            continue
        for number, line in tree.lines(path):
            match = FORBIDDEN.search(line)
            if match:
                yield Finding(path, number, f"'{match[0]}' is of one machine or network")
