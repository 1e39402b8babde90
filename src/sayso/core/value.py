"""The base of every value that passes between the rooms.

Values are frozen and refuse unknown keys. Files carry them in camelCase; both camelCase and
snake_case are read. Datetimes are aware.
"""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Value(BaseModel):
    """Base of every value: frozen, closed, camelCase outside and snake_case inside."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )
