"""Reading and writing documents: the schema on the way in and out, the same bytes every time, all or nothing."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from redgreen.documents import DOCUMENTS, MadeBy, Record
from redgreen.errors import UsageError
from redgreen.unfinished import prefix_in

if TYPE_CHECKING:
    from redgreen.sandbox import Sandbox

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "schemas"
R = TypeVar("R", bound=Record)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def sha256_file(path: Path) -> str:
    return sha256(path.read_bytes())


def schema_name(model: type[Record]) -> str:
    return next(name for name, known in DOCUMENTS.items() if known is model)


@cache
def _schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


@cache
def _quick_validator(name: str) -> Any:
    try:
        import jsonschema_rs
    except ImportError:
        return None
    return jsonschema_rs.Draft202012Validator(_schema(name))


def _quickly_valid(value: Any, name: str) -> bool:
    """Whether jsonschema-rs finds no fault: it starts 0.1 s sooner than jsonschema, which then need not be imported.

    False also where it is not installed, or cannot read the value: then jsonschema decides alone.
    """
    quick = _quick_validator(name)
    try:
        return quick is not None and bool(quick.is_valid(value))
    except ValueError:
        return False


def check(value: Any, model: type[Record], where: str) -> None:
    """Hold a JSON value against the schema of `model`.

    Raises:
        UsageError: names `where`, the JSON path of the worst fault and what is wrong there.
    """
    name = schema_name(model)
    if _quickly_valid(value, name):
        return
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    fault = best_match(Draft202012Validator(_schema(name)).iter_errors(value))
    if fault is not None:
        message = fault.message if len(fault.message) < 300 else fault.message[:300] + "…"
        raise UsageError(
            f"{where}: {fault.json_path}: {message}", f"schemas/{name}.schema.json says what a {name} document holds"
        )


def _parsed(content: str, where: str) -> Any:
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{where}: line {error.lineno} column {error.colno}: not JSON: {error.msg}",
            "delete the file and let the stage that writes it run again",
        ) from None
    except (ValueError, RecursionError):
        raise UsageError(f"{where}: holds a number or a nesting that no document has") from None


def parse(content: str, model: type[R], where: str) -> R:
    value = _parsed(content, where)
    return _held(value, model, where)


def _held(value: Any, model: type[R], where: str) -> R:
    """The document that a JSON value is."""
    check(value, model, where)
    try:
        return model.model_validate(value)
    except (
        ValidationError
    ) as error:  # pydantic is stricter than JSON Schema: half a surrogate, a newline after a digest
        first = error.errors(include_url=False)[0]
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
        raise UsageError(f"{where}: ${place}: {first['msg']}", "let the stage that writes it run again") from None


def load(path: Path, model: type[R]) -> R:
    """Read one document.

    Raises:
        UsageError: no such file, not UTF-8, not JSON, or not what the schema says.
    """
    return parse(_text(path), model, str(path))


def load_yaml(path: Path, model: type[R]) -> R:
    """Read a specification that people write (`set.yaml`, `runs/*.yaml`), held against its schema all the same."""
    import yaml

    try:
        value = yaml.load(_text(path), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise UsageError(
            f"{path}: not YAML: {' '.join(str(error).split())}", "mend it, or restore it from git"
        ) from None
    return _held(value, model, str(path))


def load_lines(path: Path, model: type[R]) -> list[R]:
    """Read a `.jsonl` file: one document a line."""
    lines = _text(path).split("\n")
    return [parse(line, model, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"{path}: no such document", "run the stage that writes it first, or `make all`") from None
    except UnicodeDecodeError as error:
        hint = "delete the file and let the stage that writes it run again"
        raise UsageError(f"{path}: byte {error.start}: not UTF-8", hint) from None
    except (IsADirectoryError, NotADirectoryError):
        raise UsageError(f"{path}: not a file", "give the path of a document") from None


def checked(document: Record) -> Any:
    """The document as a JSON value, held against its schema."""
    value = document.model_dump(mode="json")
    check(value, type(document), f"the {schema_name(type(document))} document about to be written")
    return value


def text_of(value: Any, *, indent: int | None = 1) -> str:
    """The one text of a document's JSON value: keys sorted, ASCII, a trailing newline; one line without `indent`."""
    return json.dumps(value, sort_keys=True, indent=indent, ensure_ascii=True) + "\n"


def dump(document: Record) -> str:
    """The document's one text, checked against its schema."""
    return text_of(checked(document))


def write_bytes(path: Path, content: bytes, *, synced: bool = True) -> None:
    """Write all or nothing: a temporary file in the same folder, synced, then renamed over `path`.

    Not `synced`: the caller calls os.sync() before it writes what tells that all is there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix_in(path.parent, f".{path.name}."))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if synced:
                os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write(path: Path, document: Record) -> None:
    write_bytes(path, dump(document).encode())


def write_lines(path: Path, documents: Iterable[Record]) -> None:
    write_bytes(path, "".join(text_of(checked(document), indent=None) for document in documents).encode())


def write_if_changed(path: Path, content: bytes, *, synced: bool = True) -> bool:
    """Leave an equal file alone, its time too, so that Make rebuilds nothing that depends on it."""
    if path.is_file() and path.read_bytes() == content:
        return False
    write_bytes(path, content, synced=synced)
    return True


def made_by(stage: str, inputs: Iterable[Path] = (), sandbox: Sandbox | None = None) -> MadeBy:
    """Provenance of a document: the stage, its inputs by content, and what untrusted code ran in."""
    lock = ROOT / "flake.lock"
    digests: Mapping[str, str] = {path.name: sha256_file(path) for path in sorted(inputs)}
    return MadeBy(
        stage=stage,
        inputs=dict(digests),
        image=sandbox.image if sandbox else None,
        sandbox=sandbox.name if sandbox else None,
        flake_lock=sha256_file(lock) if lock.is_file() else None,
    )
