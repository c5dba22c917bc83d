"""Tables and figures of the papers from result documents: `python3 -m analysis --help`.

Nothing is computed here that the program could put into a document; values of the papers come
from results/reference/. Needs matplotlib and the standard library.
"""
