"""The commands that make or show jobs: `ticketing train`, `reindex`, `jobs` and `work`."""
