"""The words of verdicts, which are those of `query claims`."""

HOLDS, PART, NOT = "holds", "holds in part", "does not hold"
CANNOT, NOT_MEASURED = "cannot be tested here", "not measured"
