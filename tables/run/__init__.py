"""Running a build: families, chunks, executors, Dask, verification."""
