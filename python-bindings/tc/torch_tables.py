"""How the tables of decompositions are filled."""

from __future__ import annotations

from typing import Any, Callable


def registers(table: dict[Any, Callable]) -> Callable:
    """A decorator with operators for arguments, which enters a function for each of them into a table."""
    def of(*operators: Any) -> Callable:
        def register(function: Callable) -> Callable:
            table.update(dict.fromkeys(operators, function))
            return function

        return register

    return of
