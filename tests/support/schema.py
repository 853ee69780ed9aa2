"""Results against the schema that is published for them, which is read and checked once."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

SCHEMA = Path(__file__).parents[2] / "app" / "result.schema.json"


@cache
def _validator() -> Validator:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    kind = validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def check_result(result: Any) -> None:
    """Raise `jsonschema.ValidationError` unless a result is as promised."""
    if error := jsonschema.exceptions.best_match(_validator().iter_errors(result)):
        raise error
