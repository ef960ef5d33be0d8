"""Codes, the exact scan over them, and the main flow: recommend and explain."""
