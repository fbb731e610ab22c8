"""Makes a folder that is a root with programs, files and the shared libraries that the programs need, each at its
own path, and nothing else. Prints the names of all files, those of libraries without what follows their names.

usage: make_root.py FOLDER PROGRAM FILE...
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path


def libraries_of(program):
    """The paths that the loader resolves, its own among them."""
    found = subprocess.run(["ldd", program], check=True, capture_output=True, text=True, env={}).stdout
    return re.findall(r"^\s*(?:\S+ => )?(/\S+) \(", found, re.MULTILINE)


def main():
    root, program, *files = sys.argv[1:]
    for library in libraries_of(program):
        place = Path(root, library.lstrip("/"))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, place)
    for file in (program, *files):
        shutil.copy(file, root)
    print("root has:", *sorted(re.sub(r"\.so\b.*", "", path.name) for path in Path(root).rglob("*") if path.is_file()))


if __name__ == "__main__":
    main()
