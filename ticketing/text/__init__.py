"""The one way from text to tokens: mark-up stripped, masks applied, words split."""
