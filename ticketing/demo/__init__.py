"""The demonstration knowledge base: generated, never copied, the same for the same seed."""
