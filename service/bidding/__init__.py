"""Pure bidding code: no web framework, no metrics, no compiler. Start reading at `bidder`."""
