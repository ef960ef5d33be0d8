"""The subject normaliser: a free-text subject finds the desk's category (Neculoiu et al. 2016)."""
