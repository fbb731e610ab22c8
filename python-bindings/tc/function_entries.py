"""What a function with guards says of its entries: compiled here, or loaded from an artefact."""

from __future__ import annotations

from typing import Any

from .library import native


class Entries(native.Dispatcher):
    """Runs, of the entries, the first whose guards hold for a call."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[tuple[Any, str]] = []  # entries in the order of compilation, and their guards

    def append_entry(self, entry: Any, guards: str) -> None:
        """Adds an entry, which is tried first."""
        self.add_entry(entry)
        self._texts.append((entry, guards))

    def forget_entries(self) -> None:
        """Removes all of them."""
        self.clear_entries()
        self._texts.clear()

    def guards(self) -> str:
        """The guards of each entry, a function of MLIR each, in the order of compilation."""
        return "\n".join(text for _, text in self._texts)

    @property
    def entry_count(self) -> int:
        """How often the function has been compiled."""
        return len(self._texts)

    @property
    def hits(self) -> tuple[int, ...]:
        """How many calls each entry has served."""
        return tuple(entry.hits for entry, _ in self._texts)

    def explain_miss(self, *arguments: Any, **keywords: Any) -> str:
        """Why no entry takes a call with these arguments: a line for each entry, with the first guard
        of it that misses; empty where an entry takes the call."""
        misses = [entry.explain_miss(arguments, keywords) for entry, _ in self._texts]
        return "" if "" in misses else "\n".join(f"entry {number}: {why}" for number, why in enumerate(misses))
