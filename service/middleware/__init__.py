"""ASGI middleware, from the outermost to the innermost: `request_log`, `limits`, `api_keys`."""
