"""The arena: matches between bidders over duplicate pairs, and their statistics."""
