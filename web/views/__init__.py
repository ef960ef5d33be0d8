"""Values as a page shows them.

`marks` makes ticket text into safe HTML and `markdown` into text to paste, `parts` are the bars of
an explanation, `charts` and `quality_charts` what a page draws, `jobs` and `progress` say how far a
job is.
"""
