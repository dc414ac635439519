"""The public contract: every field of a request and of an answer, declared once, as types that pydantic reads."""
