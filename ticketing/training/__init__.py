"""What makes a bundle: corpus, pre-training, distillation, the loop, weights, calibration."""
