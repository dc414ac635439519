"""The table builders: one module for each family of tables."""
