#!/usr/bin/env python3
"""Computes the vectors of RRE, ZEC, REC, CLOG, RLP and TCMS from their definitions in components/README.md, word
by word, with none of the project's code, and adds them to components.json beside this file:

    python3 tests/vectors/later.py
"""
import json
from pathlib import Path

FILE = Path(__file__).parent / "components.json"
LEAST, MOST_LEVELS = 8, 3
# Longer than the other inputs, so that bitmaps have all their levels; for ZEC and REC alone.
LEVELS = "1/levels"


def little(number, size):
    return number.to_bytes(size, "little")


def padded(data, size):
    return data + bytes(-len(data) % size)


def bitmap(bits):
    return b"".join(little(sum(bit << i for i, bit in enumerate(bits[at:at + 8])), 1)
                    for at in range(0, len(bits), 8))


def shrunk(level):
    """The last level, then the bytes of the levels before it that differ from the byte before."""
    behind = b""
    for _ in range(MOST_LEVELS):
        if len(level) < LEAST:
            break
        differs = [a != b for a, b in zip(level, b"\0" + level)]
        behind = bytes(byte for byte, kept in zip(level, differs) if kept) + behind
        level = bitmap(differs)
    return level + behind


def kept_words(words, kept, size, bitmap_bytes):
    return padded(bitmap_bytes, size) + b"".join(
        little(word, size) for word, one in zip(words, kept) if one)


def nonzero(words):
    return [word != 0 for word in words]


def changed(words):
    return [i == 0 or word != words[i - 1] for i, word in enumerate(words)]


def rre(words, size):
    return kept_words(words, changed(words), size, bitmap(changed(words)))


def zec(words, size):
    return kept_words(words, nonzero(words), size, shrunk(bitmap(nonzero(words))))


def rec(words, size):
    return kept_words(words, changed(words), size, shrunk(bitmap(changed(words))))


def clog(words, size):
    groups = [words[at:at + 32] for at in range(0, len(words), 32)]
    bits = [max(group).bit_length() for group in groups]
    planes = b""
    in_tile = min(8 * size, 32)
    for group, count in zip(groups, bits):
        for at in range(0, len(group), in_tile):
            tile = group[at:at + in_tile]
            length = (len(tile) + 7) // 8
            for bit in reversed(range(count)):
                text = "".join(str(word >> bit & 1) for word in tile)
                planes += little(int(text.ljust(8 * length, "0"), 2), length)
    return padded(bytes(bits), size) + padded(planes, size)


def rlp(words, size):
    runs = []
    for word in words:
        if runs and runs[-1][1] == word and not (size == 1 and runs[-1][0] == 255):
            runs[-1][0] += 1
        else:
            runs.append([0, word])
    return b"".join(little(run[part], size) for part in (0, 1) for run in runs)


def tcms(words, size):
    def magnitude_and_sign(word):
        value = int.from_bytes(little(word, size), "little", signed=True)
        return 2 * value if value >= 0 else -2 * value - 1
    return b"".join(little(magnitude_and_sign(word), size) for word in words)


def main():
    document = json.loads(FILE.read_text())
    # Sparse at first, then dense, then zeros: bytes of the bitmap that repeat, and that do not.
    document["inputs"][LEVELS] = bytes(
        0 if i % 64 > (i // 900) ** 2 or i > 3000 else (i * 37 + i // 7) % 251 for i in range(4200)).hex()
    names = {"RRE": rre, "ZEC": zec, "REC": rec, "CLOG": clog, "RLP": rlp, "TCMS": tcms}
    vectors = [one for one in document["vectors"] if one["component"] not in names]
    for name, component in names.items():
        for key, text in document["inputs"].items():
            if key == LEVELS and name not in ("ZEC", "REC"):
                continue
            size, case = key.split("/")
            size, data = int(size), bytes.fromhex(text)
            words = [int.from_bytes(data[at:at + size], "little") for at in range(0, len(data), size)]
            vectors.append({"component": name, "word_bytes": size, "case": case,
                            "output": component(words, size).hex()})
    document["vectors"] = vectors
    FILE.write_text(json.dumps(document, separators=(",", ":")))


if __name__ == "__main__":
    main()
