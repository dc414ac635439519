"""ASGI middleware, from the outermost to the innermost: `request_log`, `limits`, `api_keys` or `exposure`.

The innermost, `DirectBidsMiddleware`, is in `service/endpoints/bids.py`, beside the function that it calls.
"""
