"""Blosc2's frames with bitshuffle and zstd -9 on a file, as `fpsynth compare --external` calls it, in blocks
of its own choice; its wheel, because distributions have the library of Blosc 1 alone."""

import wheel

try:
    import blosc2
    import numpy
except ImportError as error:
    wheel.missing("blosc2", error)


def compress(words, arguments):
    settings = {"codec": blosc2.Codec.ZSTD, "clevel": arguments.level, "nthreads": 1,
                "typesize": words.itemsize, "filters": [blosc2.Filter.BITSHUFFLE]}
    return lambda: blosc2.SChunk(chunksize=max(len(words), 1) * words.itemsize, data=words,
                                 cparams=settings).to_cframe()


def decompress(data):
    frame = blosc2.schunk_from_cframe(data)
    frame.dparams = blosc2.DParams(nthreads=1)
    return numpy.frombuffer(frame[:], "u1")


if __name__ == "__main__":
    wheel.run("blosc2", compress, decompress,
              lambda parser: parser.add_argument("--level", type=int, default=9))
