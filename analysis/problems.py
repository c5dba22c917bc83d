"""What the user can mend."""


class Problem(Exception):
    """A failure at run time: exit status 1. The message names the file, the value, the way out."""

    status = 1


class WrongCall(Problem):
    """A wrong call: exit status 2."""

    status = 2
