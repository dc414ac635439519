"""Explanations: the numbers of a decision as fields and a sentence."""
