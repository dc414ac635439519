"""The bidder `winprob`: features, outcomes, win tables, candidates, decision."""
