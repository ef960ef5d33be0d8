"""How good is a ranking: metrics, and whether a new bundle may serve."""
