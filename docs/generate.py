"""What mkdocs calls while it builds: adds the generated reference pages and draws the plots."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from plots import PLOTS
from reference_pages import api_page, commands_page, settings_page

PAGES = {
    "reference/commands.md": commands_page,
    "reference/settings.md": settings_page,
    "reference/api.md": api_page,
}
FIGURES = Path(__file__).parent / "results"
PLACE = re.compile(r"^<!-- plot: ([a-z-]+) -->$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from the code."""
    for path, page in PAGES.items():
        files.append(File.generated(config, path, content=page()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put each plot where `<!-- plot: NAME -->` stands, drawn from results/NAME.json."""
    return PLACE.sub(lambda found: f'<div class="plot">{PLOTS[found[1]](FIGURES)}</div>', markdown)
