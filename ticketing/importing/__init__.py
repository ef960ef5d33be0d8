"""A desk's export becomes tickets: read, map, check, store."""
