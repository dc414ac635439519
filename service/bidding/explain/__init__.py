"""Explanations: a decision's numbers as fields and a sentence."""
