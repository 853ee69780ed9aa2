"""The base of what models reply with: lenient where leniency takes no guessing."""

from typing import Any, get_origin

from pydantic import BaseModel, ConfigDict, model_validator


class Reply(BaseModel):
    """A model's structured reply: null for an optional field is its default, one value for a list a list of one."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _lenient(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        fields = cls.model_fields
        kept = {key: value for key, value in data.items() if not (value is None and _optional(fields.get(key)))}
        for key, value in kept.items():
            if key in fields and get_origin(fields[key].annotation) is list and not isinstance(value, list):
                kept[key] = [value]
        return kept


def _optional(field: Any) -> bool:
    return field is not None and not field.is_required()
