"""The page and the JSON API on top of a Desk; nothing here ranks, stores or trains."""
