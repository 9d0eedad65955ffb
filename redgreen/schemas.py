"""Write `schemas/`: one JSON Schema per document, generated from the models, and its example.

usage: python -m redgreen.schemas
"""

from __future__ import annotations

import json

from redgreen.contract import SCHEMAS, dump, write_if_changed
from redgreen.documents import DOCUMENTS, Record


def schema_text(name: str, model: type[Record]) -> str:
    # mode="serialization" would call every field required: a hand-written specification may leave defaults out
    schema = model.model_json_schema(mode="validation")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["$id"] = f"redgreen:{name}:{model.model_fields['schema_version'].default}"
    return json.dumps(schema, sort_keys=True, indent=2) + "\n"


def main() -> None:
    for name, model in DOCUMENTS.items():
        write_if_changed(SCHEMAS / f"{name}.schema.json", schema_text(name, model).encode())
    from redgreen.examples import EXAMPLES  # needs the schemas above

    for name, example in EXAMPLES.items():
        write_if_changed(SCHEMAS / f"{name}.example.json", dump(example).encode())


if __name__ == "__main__":
    main()
