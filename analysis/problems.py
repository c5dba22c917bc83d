"""Errors that the user can correct."""


class Problem(Exception):
    """A failure at run time: exit status 1. The message names the file and the value and says what
    to do."""

    status = 1


class WrongCall(Problem):
    """A usage error: exit status 2."""

    status = 2
