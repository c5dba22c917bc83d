"""OpenZL on a file, as `fpsynth compare --external` calls it: its wheel for Python is what there is of
it. The wheel cannot train, so --fit SECONDS does it here: graphs of OpenZL's nodes are grown on parts
of the file, from round to round from those that are smallest."""

import time

import wheel

try:
    from openzl import ext
except ImportError as error:
    wheel.missing("openzl", error)

PARTS, PART = 4, 1 << 16  # what a graph is fitted on: so many parts of so many words
WIDTH = 8  # graphs that are changed in a round
DEEPEST = 8  # nodes one behind another
GAIN = 0.999  # a graph that is not smaller by a thousandth is not worth its time
# The ends of graphs, and the nodes with the kinds of their outputs, by the kind of the input.
ENDS = {"numbers": ["Compress", "FieldLz", "Entropy", "Bitpack"],
        "records": ["Compress", "FieldLz"],
        "bytes": ["Compress", "Zstd", "Entropy", "Bitpack"]}
NODES = {"numbers": {"DeltaInt": ["numbers"], "Zigzag": ["numbers"], "RangePack": ["numbers"],
                     "DivideBy": ["numbers"], "TokenizeNumeric": ["numbers", "numbers"],
                     "Float32Deconstruct": ["records", "bytes"], "ConvertNumToStructLE": ["records"],
                     "ConvertNumToSerialLE": ["bytes"]},
         "records": {"TransposeSplit": ["bytes"]},
         "bytes": {}}
OPTIONS = {"TokenizeNumeric": {"sort": True}}


def compressor_of(graph):
    """The compressor of a graph: the name of an end, or (node, [graphs of its outputs])."""
    compressor = ext.Compressor()
    compressor.set_parameter(ext.CParam.FormatVersion, ext.MAX_FORMAT_VERSION)

    def built(one):
        if isinstance(one, str):
            return getattr(ext.graphs, one)()(compressor)
        name, successors = one
        return getattr(ext.nodes, name)(**OPTIONS.get(name, {}))(
            compressor, *[built(successor) for successor in successors])
    compressor.select_starting_graph(built(graph))
    return compressor


def compressed(compressor, words):
    context = ext.CCtx()
    context.ref_compressor(compressor)
    return context.compress([ext.Input(ext.Type.Numeric, words)])


def size_of(graph, parts):
    """The bytes of all parts; infinite for a graph that does not take them."""
    try:
        compressor = compressor_of(graph)
        return sum(len(compressed(compressor, part)) for part in parts)
    except RuntimeError:
        return float("inf")


def changes(graph, kind, depth=0):
    """All graphs that have another end, or a node before an end, in one place."""
    if isinstance(graph, str):
        yield from (end for end in ENDS[kind] if end != graph)
        if depth < DEEPEST:
            for name, outputs in NODES[kind].items():
                yield name, ["Compress"] * len(outputs)
        return
    name, successors = graph
    for place, (successor, output) in enumerate(zip(successors, NODES[kind][name])):
        for changed in changes(successor, output, depth + 1):
            yield name, [*successors[:place], changed, *successors[place + 1:]]


def fitted(words, seconds):
    """The best graph that is found in so many seconds and takes all words: of each round's graphs the
    WIDTH smallest are changed in the next, until three rounds have found nothing better."""
    end = time.monotonic() + seconds
    step = max(PART, len(words) // PARTS)
    parts = [words[at:at + PART] for at in range(0, len(words), step)]
    sizes, beam, idle = {"'Compress'": size_of("Compress", parts)}, ["Compress"], 0
    best = ["Compress"]
    while idle < 3 and time.monotonic() < end:
        found = []
        for graph in (changed for one in beam for changed in changes(one, "numbers")):
            if repr(graph) not in sizes and time.monotonic() < end:
                sizes[repr(graph)] = size_of(graph, parts)
                found.append(graph)
        found.sort(key=lambda graph: sizes[repr(graph)])
        beam, idle = found[:WIDTH], idle + 1
        if found and sizes[repr(found[0])] < sizes[repr(best[-1])] * GAIN:
            best.append(found[0])
            idle = 0
    # A node that takes the parts may refuse other words, as DivideBy those that it does not divide.
    return next(graph for graph in reversed(best) if size_of(graph, [words]) < float("inf"))


def compress(words, arguments):
    compressor = compressor_of(fitted(words, arguments.fit) if arguments.fit else "Compress")
    return lambda: compressed(compressor, words)


def decompress(data):
    return ext.DCtx().decompress(data)[0].content.as_nparray()


if __name__ == "__main__":
    wheel.run("openzl", compress, decompress, floats=False, options=lambda parser: parser.add_argument(
        "--fit", type=float, default=0, metavar="SECONDS"))
