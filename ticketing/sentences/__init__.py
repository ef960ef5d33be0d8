"""MaLSTM: how related two sentences are (Mueller and Thyagarajan 2016)."""
