"""Building and checking the tables: families, their state, chunks, executors and a Dask cluster."""
