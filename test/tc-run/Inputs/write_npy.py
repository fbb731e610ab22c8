"""Writes the matrix 0, 1, 2, 3; 4, ... of 3 rows as an .npy file: PATH, then c or f for the order of its elements."""

import struct
import sys

ROWS, COLUMNS = 3, 4

path, order = sys.argv[1:]
places = [(i, j) for i in range(ROWS) for j in range(COLUMNS)]
if order == "f":
    places.sort(key=lambda place: place[::-1])
header = str({"descr": "<f4", "fortran_order": order == "f", "shape": (ROWS, COLUMNS)}).ljust(117) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{len(places)}f", *(i * COLUMNS + j for i, j in places)))
