"""Files that are whole or not there."""

import os

from analysis.problems import Problem


def make(folder):
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Problem(f"{folder}: {error.strerror}; name another folder") from error


def put(path, content):
    """Writes text or bytes."""
    half = path + ".part"
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        try:
            with open(half, "wb") as stream:
                stream.write(data)
            os.replace(half, path)
        except OSError:
            if os.path.exists(half):
                os.remove(half)
            raise
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}; make room, or name another folder") from error


def clean(folder, stems, endings, keep):
    """Removes files of earlier calls: those with a stem or a stem and more behind a dash, and an
    ending, but not those to keep. What others put there stays."""
    for name in sorted(os.listdir(folder)):
        stem, ending = os.path.splitext(name)
        ours = ending in endings and any(stem == one or stem.startswith(one + "-")
                                         for one in stems)
        path = os.path.join(folder, name)
        if ours and path not in keep and os.path.isfile(path):
            try:
                os.remove(path)
            except OSError as error:
                raise Problem(f"{path}: {error.strerror}; it is of an earlier call, remove it") \
                    from error
