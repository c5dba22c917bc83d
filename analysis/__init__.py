"""Draws the papers' tables and figures from result documents: `python3 -m analysis --help`.

This package only draws: the program computes the values and writes them into documents. Values of
the papers come from results/reference/. Needs matplotlib and the standard library.
"""
