"""Equation 1 and everything that learns it: metric, network, losses, training, calibration, bundle."""
