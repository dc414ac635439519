"""Make named tuples in half the time: `record(Regular, (c, d, ...))` equals `Regular(c, d, ...)`.

The constructor of a named tuple is a Python function that makes this same call, and a decision makes six named tuples.
`tables.engine.jit` replaces this function in compiled code.
"""

record = tuple.__new__
