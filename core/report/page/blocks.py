"""Parts of Markdown files that a command writes, between two marks."""

from __future__ import annotations

from core.foundation.errors import UserError

BEGIN = "<!-- {}, written by: {} -->"
END = "<!-- until here -->"


def with_block(text: str, name: str, block: str, command: str, file: str = "README.md") -> str:
    """The text of a file with another block between the marks of that name.

    Args:
        command: Command that writes it.
        file: Name of the file, for errors.

    Raises:
        UserError: a mark is missing.
    """
    begin = BEGIN.format(name, command)
    before, start, rest = text.partition(begin)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise UserError(f"{file}: no place for its {name}; allowed: between {begin} and {END}")
    return f"{before}{begin}\n\n{block}\n\n{END}{after}"
