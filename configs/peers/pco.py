"""pcodec (pco) on a file, as `fpsynth compare --external` calls it: its wheel for Python is what there
is of it; no distribution has a library that the program could be linked with."""

import wheel

try:
    from pcodec import ChunkConfig, standalone
except ImportError as error:
    wheel.missing("pcodec", error)


def compress(words, arguments):
    config = ChunkConfig(compression_level=arguments.level, enable_8_bit=True)
    return lambda: standalone.simple_compress(words, config)


if __name__ == "__main__":
    wheel.run("pcodec", compress, standalone.simple_decompress,
              lambda parser: parser.add_argument("--level", type=int, default=8))
