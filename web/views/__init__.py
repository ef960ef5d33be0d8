"""Values as a page shows them: marked text, bars, charts, Markdown, progress in words."""
