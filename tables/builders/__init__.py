"""The table builders: one module for each group of table families."""
