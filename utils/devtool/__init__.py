"""The parts of `./dev`: one module a concern, only the standard library."""
