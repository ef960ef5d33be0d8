"""The generated pages of the reference: what they say is read from the code itself."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ticketing.classification.settings import ClassifierSettings
from ticketing.cli.commands import commands
from ticketing.desk import open_desk
from ticketing.model.settings import NetworkSettings
from ticketing.settings import Settings, load_settings
from ticketing.training.settings import TrainingSettings, TuningSettings
from topic_models import DocNADESettings
from web.app import create_app

METHODS = ("get", "post", "put", "delete")
EMPTY = '""'


def commands_page() -> str:
    """Every command of `ticketing` with its whole help text, as click prints it."""
    parts = [
        "# Commands",
        "Each section is what `ticketing COMMAND --help` prints. Every command also reads the "
        "[settings of the desk](settings.md#the-desk) from the environment.",
    ]
    with click.Context(commands, info_name="ticketing", terminal_width=96) as context:
        for path, command, inner in _commands(context, commands):
            heading = "#" * min(len(path) + 1, 3)
            parts.append(f"{heading} `{' '.join(('ticketing', *path))}`")
            parts.append(f"```text\n{command.get_help(inner).strip()}\n```")
    return "\n\n".join(parts) + "\n"


def _commands(
    context: click.Context, group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = click.Context(command, info_name=name, parent=context)
        yield (*path, name), command, inner
        if isinstance(command, click.Group):
            yield from _commands(inner, command, (*path, name))


def settings_page() -> str:
    """Every setting: of the desk, of a bundle's network and training, of categories and topics."""
    tables = [
        ("The desk", "`TICKETING_` and the name, in capitals, in the environment", Settings, ""),
        ("A bundle's network", "`ticketing train --set`", NetworkSettings, "network."),
        ("A bundle's training", "`ticketing train --set`", TrainingSettings, "training."),
        ("A tuned sentence encoder", "`ticketing tune --set`", TuningSettings, "tuning."),
        ("Categories", "`ticketing categories train --set`", ClassifierSettings, ""),
        ("Topic models", "`topic_models.DocNADESettings(…)`", DocNADESettings, ""),
    ]
    parts = ["# Settings", "An unknown or malformed setting is refused with one sentence."]
    for title, given_by, model, prefix in tables:
        parts += [f"## {title}", f"Given by {given_by}.", _paragraphs(model.__doc__ or "")]
        lines = ["| setting | default | meaning |", "| --- | --- | --- |"]
        for name, field, value in _fields(model, prefix):
            shown = f"TICKETING_{name.upper()}" if model is Settings else name
            lines.append(f"| `{shown}` | {_shown(value)} | {_meaning(field)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _fields(
    model: type[BaseModel], prefix: str, made: BaseModel | None = None
) -> Iterator[tuple[str, FieldInfo, object]]:
    """Name, field and default of each setting; those of a table within are its default's values."""
    for name, field in model.model_fields.items():
        value = getattr(made, name) if made else field.get_default(call_default_factory=True)
        if isinstance(value, BaseModel):
            yield from _fields(type(value), f"{prefix}{name}.", value)
        else:
            yield prefix + name, field, value


def _shown(value: object) -> str:
    if value is PydanticUndefined:
        return "must be given"
    if value is None:
        return "none"
    shown = str(list(value) if isinstance(value, tuple) else value)
    return f"`{shown}`" if shown.strip("*") else "empty"


def _meaning(field: FieldInfo) -> str:
    """The description, the choices and the bounds of a setting."""
    said = [field.description] if field.description else []
    choices = getattr(field.annotation, "__args__", ())
    if choices and all(isinstance(choice, str) for choice in choices):
        said.append("one of " + ", ".join(f"`{choice}`" for choice in choices))
    bounds = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
    for limit in field.metadata:
        said += [f"{bounds[key]} {getattr(limit, key)}" for key in bounds if hasattr(limit, key)]
    return "; ".join(said).replace("|", "\\|")


def _paragraphs(docstring: str) -> str:
    return "\n".join(line.strip() for line in docstring.strip().splitlines())


def api_page() -> str:
    """Every operation of the JSON API and every object it takes or gives, from OpenAPI."""
    with tempfile.TemporaryDirectory() as home:
        desk = open_desk(load_settings(home=Path(home), store="", broker=""))
        app = create_app(desk)
        with app.app_context():
            spec = app.spec
        desk.close()
    parts = [
        "# API",
        "The page's use cases for programs. A running server describes the same at "
        '`/openapi.json` and `/api`. Bodies are JSON. An error is `{"error": "…"}`: one '
        "sentence that says what is wrong and what to do.",
        "```sh\ncurl http://127.0.0.1:8000/api/recommend \\\n"
        "  -H 'Content-Type: application/json' \\\n"
        '  -d \'{"subject": "exhaust spread high", "description": ""}\'\n```',
    ]
    for path, operations in sorted(spec["paths"].items()):
        for method in (name for name in METHODS if name in operations):
            parts += [f"## `{method.upper()} {path}`", *_operation(operations[method])]
    parts.append("## Objects")
    for name, schema in spec["components"]["schemas"].items():
        if schema.get("properties"):
            parts += [f"### {_name(name)}", schema.get("description", ""), _properties(schema)]
        elif "enum" in schema:
            parts += [f"### {_name(name)}", schema.get("description", ""), f"{_type(schema)}."]
        else:
            parts += [f"### {_name(name)}", schema.get("description", "")]
    return "\n\n".join(part for part in parts if part) + "\n"


def _operation(operation: dict) -> Iterator[str]:
    yield operation.get("description") or operation["summary"]
    if parameters := operation.get("parameters"):
        fields = {x["name"]: {**x["schema"], **_about(x)} for x in parameters}
        required = [x["name"] for x in parameters if x.get("required")]
        yield _properties({"properties": fields, "required": required})
    for content in operation.get("requestBody", {}).get("content", {}).values():
        yield f"Takes {_type(content['schema'])}."
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            for content in response.get("content", {}).values():
                yield f"Gives {_type(content['schema'])} ({status})."


def _about(parameter: dict) -> dict:
    return {"description": parameter["description"]} if "description" in parameter else {}


def _properties(schema: dict) -> str:
    lines = ["| field | type | meaning |", "| --- | --- | --- |"]
    for name, field in schema["properties"].items():
        said = ["required"] if name in schema.get("required", ()) else []
        said += [field["description"]] if "description" in field else []
        lines.append(f"| `{name}` | {_type(field)} | {'; '.join(said)} |")
    return "\n".join(lines)


def _type(schema: dict) -> str:
    if "$ref" in schema:
        name = _name(schema["$ref"])
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{value or EMPTY}`" for value in schema["enum"])
    if schema.get("maxLength") == 0:
        return f"`{EMPTY}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    return schema.get("format") or schema.get("type", "anything")


def _name(reference: str) -> str:
    return reference.rsplit("/", 1)[-1].rsplit(".", 1)[-1]
