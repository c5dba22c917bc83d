"""The words of verdicts, which are those of `query claims`."""

HOLDS, PART, NOT = "holds", "holds in part", "does not hold"
CANNOT, NOT_MEASURED = "cannot be tested here", "not measured"


def graded(full, part):
    return HOLDS if full else PART if part else NOT


def share(count, of):
    return f"{count} of {of}"
