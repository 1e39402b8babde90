"""The base of every value that passes between the rooms.

Values are frozen and refuse unknown keys. Files carry them in camelCase; both camelCase and
snake_case are read. Datetimes are aware.
"""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

_set = object.__setattr__


class Value(BaseModel):
    """Base of every value: frozen, closed, camelCase outside and snake_case inside."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )

    @classmethod
    def unchecked(cls, **fields: Any) -> Self:  # of whatever types the fields are
        """A value of fields that the code itself made, all given in their order; nothing is validated.

        What ``model_construct`` does, without the search for aliases and defaults that takes it
        three times as long: a question makes a hundred. Raises TypeError where a field is missing,
        misspelt or out of order, since files hold the fields as they are given.
        """
        # As cls.model_fields, which looks for deprecated uses at each call.
        needed = cls.__pydantic_fields__
        if [*fields] != [*needed]:
            raise TypeError(f"{cls.__name__}: given {[*fields]}, needs {[*needed]}")
        made = cls.__new__(cls)
        _set(made, "__dict__", fields)
        _set(made, "__pydantic_fields_set__", set(fields))
        _set(made, "__pydantic_extra__", None)
        _set(made, "__pydantic_private__", None)
        return made
