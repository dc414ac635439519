"""Load tests of the service (`python -m loadtest --help`). They use HTTP only and do not import its code."""
