"""Writes files such that they are complete or do not exist."""

import os

from analysis.problems import Problem


def make(folder):
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Problem(f"{folder}: {error.strerror}; name another folder") from error


def put(path, content):
    """Writes text or bytes to a file."""
    temporary = path + ".part"
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        try:
            with open(temporary, "wb") as stream:
                stream.write(data)
            os.replace(temporary, path)
        except OSError:
            if os.path.exists(temporary):
                os.remove(temporary)
            raise
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}; free some space, or name another folder") \
            from error


def clean(folder, stems, endings, keep):
    """Removes files of earlier calls except those in `keep`: files with one of the endings whose
    name is one of the stems or begins with a stem and a dash. Other files are kept."""
    for name in sorted(os.listdir(folder)):
        stem, ending = os.path.splitext(name)
        ours = ending in endings and any(stem == one or stem.startswith(one + "-")
                                         for one in stems)
        path = os.path.join(folder, name)
        if ours and path not in keep and os.path.isfile(path):
            try:
                os.remove(path)
            except OSError as error:
                raise Problem(f"{path}: {error.strerror}; an earlier call wrote this file, remove "
                              "it") from error
