"""The log of a serving process: one JSON object per line on standard error.

The access log (`access_log.py`) writes lines of JSON to standard output, and containers join the two streams.
"""

import json
import logging
import sys
from time import time


class JsonLines(logging.Formatter):
    """Format each record as one line; a stack trace becomes the field `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line for a record."""
        exception = {"exception": self.formatException(record.exc_info)} if record.exc_info else {}
        return _line(record.created, record.levelname, record.getMessage(), **exception)


def configure() -> None:
    """Write the log of this process, uvicorn's messages included, as lines of JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.INFO)
    logging.captureWarnings(True)


def complain(level: str, message: str) -> None:
    """Write one line before the log is configured."""
    print(_line(time(), level, message), file=sys.stderr)


def _line(seconds: float, level: str, message: str, **more: str) -> str:
    # Not orjson: a message may hold half a surrogate pair, which orjson refuses.
    return json.dumps({"time": round(seconds, 6), "level": level.lower(), "message": message, **more})
