"""The pages, a blueprint a module, with what they share: `forms` checks what was typed, `tables`
gives a list as CSV or page by page."""
