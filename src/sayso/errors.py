"""Every error that sayso raises on purpose.

::

    SaysoError
    ├── ConfigurationError     a setting, flag or environment variable cannot be used
    ├── InputError             a file, chat, case or question cannot be used
    │   ├── ImportFormatError  an export that no importer can read
    │   ├── ChatNotFoundError  no imported chat and no file by that name
    │   ├── MessageNotFoundError  no message with that localId
    │   └── CaseError          a case file that breaks its format
    ├── PromptError            a prompt file that does not fit its step
    ├── StoreError             the data folder cannot be read or written
    └── ReasoningError         a step could not produce a reply

The message says what, where, expected, found, and what to do. Only the command line
catches them; :attr:`SaysoError.exit_code` is what it then exits with.
"""


class SaysoError(Exception):
    """Root of the tree; its text is written for the person at the terminal."""

    exit_code = 2


class ConfigurationError(SaysoError):
    """A setting, flag or environment variable cannot be used."""


class InputError(SaysoError):
    """A file, chat, case or question cannot be used."""


class ImportFormatError(InputError):
    """An export that no importer can read, or that holds no message."""


class ChatNotFoundError(InputError):
    """No imported chat and no file by that name."""


class MessageNotFoundError(InputError):
    """No message with that localId in the chat."""


class CaseError(InputError):
    """A case file that breaks its format."""


class PromptError(SaysoError):
    """A prompt file that does not fit its step."""


class StoreError(SaysoError):
    """The data folder cannot be read or written."""


class ReasoningError(SaysoError):
    """A step could not produce a reply."""

    exit_code = 4
