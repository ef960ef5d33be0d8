"""Equation 1 and all that learns it: metric, network, losses, training, calibration, bundle."""
