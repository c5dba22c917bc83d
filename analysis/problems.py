"""Errors that the user can correct."""

import sys


class Problem(Exception):
    """A failure at run time: exit status 1. The message names the file and the value and says what
    to do."""

    status = 1


class WrongCall(Problem):
    """A usage error: exit status 2."""

    status = 2


def need_matplotlib():
    """Whether figures can be drawn. Called before anything else is done, because measuring for
    figures that cannot be drawn takes an hour."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise Problem(f"{sys.executable} has no matplotlib ({error}); install python3-matplotlib "
                      "and use the python3 for which it is installed, usually /usr/bin/python3") \
            from error
