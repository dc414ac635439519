"""The game as a library: cards, rules, bidders, card players, inference. No web framework, no metrics, no compiler.

Start reading at `bidder`.
"""
