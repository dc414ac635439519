"""The bidder `candidates`: features, outcomes, win tables, candidates, decision."""
