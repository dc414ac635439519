"""The Spades bidding service: what runs in production."""

__version__ = "0.1.0"
