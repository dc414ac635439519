"""What makes and judges the tables; the service never imports it (see docs/adr/0004)."""
