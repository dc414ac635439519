"""Load tests of the service (`python -m loadtest --help`). They use HTTP only, and import only its number readers."""
