"""Programs that make and judge the tables. The service never imports this package (docs/adr/0004)."""
