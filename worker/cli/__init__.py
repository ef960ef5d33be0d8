"""The commands that make or show jobs, `train`, `reindex`, `evaluate`, `import` and `jobs`, and
`work`, which does them."""
