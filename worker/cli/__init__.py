"""Commands that start or show jobs (`train`, `reindex`, `evaluate`, `import`, `jobs`), and `work`,
which does them."""
