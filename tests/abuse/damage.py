"""Random damage to the bytes of a file."""


def damage(original, numbers):
    """A damaged copy of some bytes, and what was done to them."""
    data = bytearray(original)
    kind = numbers.choice(["bit", "bit", "bit", "bytes", "truncated", "cut", "doubled", "header",
                           "zeros", "longer"])
    at = numbers.randrange(len(data))
    if kind == "bit":
        data[at] ^= 1 << numbers.randrange(8)
    elif kind == "header":
        at = numbers.randrange(min(64, len(data)))
        data[at] = numbers.randrange(256)
    elif kind == "bytes":
        for _ in range(numbers.randrange(1, 9)):
            data[numbers.randrange(len(data))] = numbers.randrange(256)
    elif kind == "truncated":
        del data[at:]
    elif kind == "cut":
        del data[at:at + numbers.randrange(1, 64)]
    elif kind == "doubled":
        data[at:at] = data[at:at + numbers.randrange(1, 64)]
    elif kind == "zeros":
        data[at:at + 16] = bytes(len(data[at:at + 16]))
    else:
        data += bytes(numbers.randrange(256) for _ in range(numbers.randrange(1, 32)))
    return bytes(data), f"{kind} at {at}"
