"""Load tests: they talk HTTP only and import nothing from the service (`python -m loadtest --help`)."""
