"""The ceiling of bidding: what a bidder that searches would win beyond `winprob` under the present card player."""
