"""Reports that compare table sets on a log."""
