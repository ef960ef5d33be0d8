"""The published tables of DocNADE and LDA, measured on folders of labelled documents."""
