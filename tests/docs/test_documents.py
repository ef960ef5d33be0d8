"""What the documents say exists: commands, options, modules, files, figures, words."""

import ast
import importlib.util
import json
import re
from collections.abc import Iterator

import click
import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tests.docs.pages import PAGES, ROOT, blocks, command_lines, mentioned_commands
from tests.docs.tutorial_files import FOLDER, tutorial_files
from ticketing.classification.settings import ClassifierSettings
from ticketing.cli.commands import commands
from ticketing.evaluation.plots import SERIES
from ticketing.model.settings import NetworkSettings
from ticketing.settings import Settings
from ticketing.training.settings import TrainingSettings

MOST_README_LINES = 95
PACKAGES = ("ticketing", "topic_models", "worker", "web")


def page_name(page) -> str:
    return str(page.relative_to(ROOT))


each_page = pytest.mark.parametrize("page", PAGES, ids=page_name)


def all_commands(
    group: click.Group = commands, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """The path of every command that does something itself."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from all_commands(command, (*path, name))
        else:
            yield (*path, name)


def find_command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the first words name, and the words that are left."""
    command: click.Command = commands
    words = list(words)
    while isinstance(command, click.Group) and words:
        name = words.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found, f"there is no command {name!r}"
        command = found
    return command, words


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= MOST_README_LINES


@each_page
def test_every_link_of_a_page_leads_to_a_file(page):
    """The builder checks docs/; this also holds for README, which it does not read."""
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        generated = re.search(
            r"reference/(commands|settings|api)\.md$|^(commands|settings|api)\.md$", target
        )
        if not generated and not re.match(r"https?://", target):
            assert (page.parent / target).exists(), target


@each_page
def test_every_command_line_is_one_that_the_program_accepts(page):
    for words in command_lines(page):
        command, arguments = find_command(words)
        context = click.Context(command, ignore_unknown_options=False)
        command.make_parser(context).parse_args(list(arguments))


@each_page
def test_every_command_within_a_sentence_exists(page):
    for words in mentioned_commands(page):
        named = [word for word in words if re.fullmatch(r"[a-z][a-z0-9-]*", word)]
        command, _ = find_command(named)
        known = {name for option in command.params for name in option.opts} | {"--help"}
        given = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert given <= known, f"{' '.join(words)}: {given - known}"


@pytest.mark.parametrize("path", list(all_commands()), ids=" ".join)
def test_every_command_is_explained_on_a_page(path):
    named = [words for page in PAGES for words in [*command_lines(page), *mentioned_commands(page)]]
    assert any(tuple(words[: len(path)]) == path for words in named)


def settings(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Name and field of every setting, with those of tables within."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from settings(field.annotation, f"{prefix}{name}.")
        else:
            yield prefix + name, field


SETTINGS = {
    **dict(settings(Settings, "TICKETING_")),
    **dict(settings(NetworkSettings, "network.")),
    **dict(settings(TrainingSettings, "training.")),
    **dict(settings(ClassifierSettings)),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_says_what_it_means(name):
    assert SETTINGS[name].description


@each_page
def test_every_setting_that_is_named_exists(page):
    named = re.findall(
        r"(?:--set ['\"]?|`\"?)([a-z]+\.[a-z_.]+)=", page.read_text(encoding="utf-8")
    )
    assert set(named) <= set(SETTINGS)


@each_page
def test_every_module_that_is_named_exists(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(rf"`((?:{'|'.join(PACKAGES)})(?:\.[a-z_0-9]+)+)`", text):
        assert importlib.util.find_spec(name), name
    for name in re.findall(r"python -m ([a-z_0-9.]+)", text):
        assert importlib.util.find_spec(name), name


def test_the_architecture_names_every_part_of_the_core():
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    parts = {path.stem for path in (ROOT / "ticketing").iterdir() if not path.stem.startswith("_")}
    assert {part for part in parts if f"`ticketing.{part}`" not in text} == set()


@each_page
def test_every_path_that_is_named_exists(page):
    text = page.read_text(encoding="utf-8")
    for path in re.findall(rf"`((?:{'|'.join(PACKAGES)}|docs|docker|tests)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path


@each_page
def test_python_of_a_page_runs(page):
    for text in blocks(page, "python"):
        exec(compile(text, str(page), "exec"), {})


def test_the_plot_of_rankers_has_the_figures_of_the_table_above_it():
    """And no more curves than are drawn apart."""
    page = (ROOT / "docs" / "results" / "archive.md").read_text().split("<!-- plot: rankers -->")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    shown = {row[0]: row[1:4] for row in rows if len(row) == 7}
    points = json.loads((ROOT / "docs" / "results" / "rankers.json").read_text())
    curves = {point["row"]: [] for point in points}
    for point in points:
        curves[point["row"]].append(f"{point['Acc@k']:.3f}".lstrip("0"))
    assert curves == {row: shown[row] for row in curves}
    assert len(curves) <= len(SERIES)


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "results").glob("*.json")), ids=page_name)
def test_figures_of_a_plot_are_complete(path):
    points = json.loads(path.read_text())
    assert all(point["name"] and point.keys() == points[0].keys() for point in points)


def test_the_tutorial_s_files_come_from_the_demonstration_base():
    for name, text in tutorial_files().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, (
            "write them anew with `python -m tests.docs.tutorial_files`"
        )


def code_words() -> str:
    """All names and docstrings of the packages, in lower case, words apart by spaces."""
    found: set[str] = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                found |= {
                    value
                    for name in ("name", "id", "attr", "arg", "value")
                    if isinstance(value := getattr(node, name, None), str)
                }
    parted = [re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text) for text in found]
    return " ".join(re.sub(r"[^\w@]+|_", " ", text) for text in [*found, *parted]).lower()


def glossary() -> list[str]:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    return [
        word
        for word in re.findall(r"^\| (.+?) \|", text, re.MULTILINE)
        if word not in ("word", "---")
    ]


def test_every_word_of_the_glossary_is_in_the_code():
    code = code_words()
    missing = [
        word
        for word in glossary()
        if not re.search(rf"\b{re.escape(word.lower().replace('-', ' '))}", code)
    ]
    assert missing == []
