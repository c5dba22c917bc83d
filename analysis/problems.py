"""Errors that the user can correct."""

import importlib
import sys


class Problem(Exception):
    """A failure at run time: exit status 1. The message names the file and the value and says what
    to do."""

    status = 1


class WrongCall(Problem):
    """A usage error: exit status 2."""

    status = 2


def exit_with(main, name):
    """Ends the process with the status that main(arguments) returns, or of its Problem, which is
    printed behind the program's name."""
    try:
        sys.exit(main(sys.argv[1:]))
    except Problem as problem:
        print(f"{name}: {problem}", file=sys.stderr)
        sys.exit(problem.status)
    except KeyboardInterrupt:
        sys.exit(130)


def need_matplotlib():
    """Raises Problem if figures cannot be drawn."""
    try:
        importlib.import_module("matplotlib")
    except ImportError as error:
        raise Problem(f"{sys.executable} has no matplotlib ({error}); install python3-matplotlib "
                      "and use the python3 for which it is installed, usually /usr/bin/python3") \
            from error
