# An invalid pipeline: exit status 2, the text with a mark under the offending word.
doubles 100 in.f64
expect 2 fpsynth compress "LNV2s FOO ZE" in.f64 out.fps
says 'FOO'
says '\^'
expect 2 fpsynth compress "LNV2s BITS ZE" in.f64 out.fps
says 'BIT( |\?|$|[^S])'
expect 2 fpsynth compress "LNV65s ZE" in.f64 out.fps
says 'LNV65s'
expect 2 fpsynth compress "DIM0 ZE" in.f64 out.fps
says 'DIM0'
expect 2 fpsynth compress "LNV1s | BIT | ZE" in.f64 out.fps
says '\|'
expect 2 fpsynth compress "LNV2s BIT" in.f64 out.fps
says 'ZE'
says 'RLE'
expect 2 fpsynth compress "ZE LNV1s BIT NUL" in.f64 out.fps
says 'NUL'
expect 2 fpsynth compress "" in.f64 out.fps
expect 2 fpsynth compress "   " in.f64 out.fps
expect 2 fpsynth compress "|" in.f64 out.fps
expect 2 fpsynth compress "NUL NUL NUL NUL NUL NUL NUL NUL ZE" in.f64 out.fps
says '8'
expect 2 fpsynth compress "ZE" in.f64
says 'OUT'
expect 2 fpsynth compress "ZE" in.f64 out.fps --type half
says 'type'
expect 2 fpsynth compress "ZE" in.f64 out.fps --threads 0
says 'threads'
expect 2 fpsynth compress LNV1s ZE in.f64 out.fps
says "unexpected argument 'out\.fps'; a pipeline of several stages is one argument: put it in quotes"
nothing_else in.f64

# Different notations of one pipeline.
expect 0 fpsynth compress "LNV6s BIT LNV1s ZE" in.f64 a.fps
expect 0 fpsynth compress " lnv6S  bit Lnv1s zE | " in.f64 b.fps
same a.fps b.fps
expect 0 fpsynth compress "LNV6s, BIT,LNV1s , ZE" in.f64 commas.fps
same a.fps commas.fps
expect 2 fpsynth compress "LNV6s, BITS, ZE" in.f64 x
says "^  +\^\^\^\^$"

# An id of the paper's space, as queries print it.
expect 0 fpsynth compress 113847 in.f64 id.fps
says '^pipeline 113847: BIT LNV5x LNV5x RLE$'
expect 0 fpsynth compress "BIT LNV5x LNV5x RLE" in.f64 named.fps
same named.fps id.fps
expect 2 fpsynth compress 138240 in.f64 x
says 'there is no pipeline 138240: the ids of the space are 0\.\.138239'
absent x
expect 0 fpsynth inspect a.fps
prints 'LNV6s BIT LNV1s ZE$'
expect 0 fpsynth compress "|DIM8 NUL NUL RLE" in.f64 c.fps
expect 0 fpsynth inspect c.fps
prints '\| DIM8 NUL NUL RLE$'
