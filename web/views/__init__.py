"""Values prepared for display on a page.

- `marks`, `markdown`: ticket text as safe HTML, and as Markdown to paste.
- `parts`: the bars of an explanation.
- `charts`, `quality_charts`: geometry of the charts.
- `jobs`, `progress`: jobs in words, and their progress.
"""
