"""The check of logs: what is in them, and what is wrong."""
