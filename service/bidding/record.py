"""Named tuples at half their price: `record(Regular, (c, d, ...))` is `Regular(c, d, ...)`.

A named tuple's own constructor is a Python function that does just this; a decision makes six of them. Compiled code
gets its own form in `tables.engine.jit`.
"""

record = tuple.__new__
