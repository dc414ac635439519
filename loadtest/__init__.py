"""Load tests of the service. They use HTTP only and import no code of the service (`python -m loadtest --help`)."""
