"""The input of the lints: the files of a checkout, its ODS records, its RUN lines."""

import json
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

LLVM_BIN = Path("/usr/lib/llvm-22/bin")
LLVM_INCLUDE = Path("/usr/lib/llvm-22/include")


@dataclass(frozen=True)
class Finding:
    """One complaint: where it is (path relative to the root) and what to do."""

    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Record:
    """A TableGen record: its name, the classes it derives from, its fields."""

    name: str
    classes: tuple
    fields: dict
    path: str
    line: int


@dataclass(frozen=True)
class RunLine:
    """A RUN line with its continuations joined."""

    path: str
    line: int
    command: str


class TableGenError(Exception):
    pass


class Tree:
    """A checkout; paths are strings relative to its root, with slashes."""

    def __init__(self, root, build=None):
        self.root = Path(root).resolve()
        self.build = Path(build) if build else self.root / "build"
        self._texts = {}

    @cached_property
    def paths(self):
        """Every file that is tracked, or new and not ignored; sorted."""
        if (self.root / ".git").exists():
            listing = subprocess.run(
                ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                cwd=self.root, capture_output=True, text=True, check=True).stdout
            found = set(filter(None, listing.split("\0")))
        else:  # a fixture of the lints' own tests
            found = {str(path.relative_to(self.root)) for path in self.root.rglob("*")}
        return sorted(path for path in found if (self.root / path).is_file())

    def files(self, *suffixes, under=""):
        """The paths with one of these suffixes below the folder `under`."""
        prefix = under and under.rstrip("/") + "/"
        return [path for path in self.paths
                if path.startswith(prefix) and path.endswith(suffixes)]

    def exists(self, path):
        return (self.root / path).exists()

    def text(self, path):
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(errors="replace")
        return self._texts[path]

    def lines(self, path):
        """The file's lines, numbered from 1."""
        return list(enumerate(self.text(path).splitlines(), start=1))

    @cached_property
    def lit_tests(self):
        return [path for path in self.files(".mlir", ".test", under="test")
                if "/Inputs/" not in path]

    @cached_property
    def run_lines(self):
        """The RUN lines of all lit tests."""
        return [run for path in self.lit_tests for run in parse_run_lines(path, self.text(path))]

    @cached_property
    def records(self):
        """The records that the .td files of the tree define themselves."""
        definitions = self.files(".td")
        included = {name.rsplit("/", 1)[-1] for path in definitions
                    for name in re.findall(r'^include\s+"([^"]+)"', self.text(path), re.M)
                    if name.startswith("TC/") or "/" not in name}
        records = {}
        for root in definitions:
            if root.rsplit("/", 1)[-1] in included and not root.endswith("Passes.td"):
                continue
            for record in self._dump(root):
                records.setdefault((record.path, record.name), record)
        return list(records.values())

    def records_of(self, class_name):
        return [record for record in self.records if class_name in record.classes]

    def _dump(self, path):
        folder = str((self.root / path).parent)
        result = subprocess.run(
            [LLVM_BIN / "llvm-tblgen", "--dump-json", f"-I{LLVM_INCLUDE}",
             f"-I{self.root / 'include'}", f"-I{folder}", self.root / path],
            capture_output=True, text=True)
        if result.returncode != 0:
            raise TableGenError(f"llvm-tblgen refuses {path}:\n{result.stderr}")
        dump = json.loads(result.stdout)
        own = {}
        for candidate in self.files(".td"):
            own.setdefault(candidate.rsplit("/", 1)[-1], []).append(candidate)
        for name, fields in dump.items():
            if name.startswith("!") or fields["!anonymous"] or not fields["!locs"]:
                continue
            file, line = fields["!locs"][0].rsplit(":", 1)
            file = file.rsplit("/", 1)[-1]
            if file not in own:
                continue
            # Several folders have a Passes.td; the dumped one goes first.
            source = path if path.endswith("/" + file) else own[file][0]
            resolved = {key: resolve(value, dump) for key, value in fields.items()
                        if not key.startswith("!")}
            yield Record(name, tuple(fields["!superclasses"]), resolved, source, int(line))


def resolve(value, dump):
    """Lists of references become lists of the records' own fields."""
    if isinstance(value, list):
        return [dump[item["def"]] if isinstance(item, dict) and item.get("kind") == "def"
                else item for item in value]
    return value


def parse_run_lines(path, text):
    runs, continued = [], None
    for number, line in enumerate(text.splitlines(), start=1):
        match = re.search(r"\bRUN:\s*(.*)$", line)
        if not match:
            continue
        command = match[1].rstrip()
        if continued:
            continued = (continued[0], continued[1] + " " + command)
        else:
            continued = (number, command)
        if continued[1].endswith("\\"):
            continued = (continued[0], continued[1][:-1].rstrip())
        else:
            runs.append(RunLine(path, *continued))
            continued = None
    if continued:
        runs.append(RunLine(path, *continued))
    return runs


def flag_pattern(flag):
    """Matches a pass or pipeline by its whole name, as a flag or in a pipeline's text."""
    return re.compile(rf"(?<![\w-])-{{0,2}}{re.escape(flag)}(?![\w-])")


def kebab_case(name):
    """FuseElementwise -> fuse-elementwise, AtenToTC -> aten-to-tc."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1-\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", name).lower()


def offline_text(text):
    """C++ text in which comments and literals are blanks; line breaks stay."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\''
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S)
