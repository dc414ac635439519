"""Public bots: bidders written from the published rules of programs outside this project, for the arena only.

Each module states its source and what it leaves out. The rules were read and then written anew; no code was copied. The
bots show how strong our bidders are against strangers, so no table is fitted on them and no net learns from them.
They bid as in a partnership game with the standard deck, and never bid blind nil. Tricks are in hundredths, which makes
sums exact.
"""
