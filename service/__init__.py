"""The Spades bidding service: what runs in production. Its version is that of the library."""

from spades import __version__

__all__ = ["__version__"]
