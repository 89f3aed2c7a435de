"""The programs in a page of Markdown: its indented blocks, and which of these are Python."""

from __future__ import annotations

import ast
import re
import textwrap

BLOCK = re.compile(r"(?:^(?: {4}.*)?\n)+", re.MULTILINE)
SHELL = re.compile(r"(bash|git|make|pip|python|snakemake|source)( |$)")


def blocks(text: str) -> list[str]:
    """The indented blocks of a text, in order."""
    return [textwrap.dedent(block).strip() for block in BLOCK.findall(text) if block.strip()]


def is_python(block: str) -> bool:
    """Whether a block is a program rather than shell commands, a path or BibTeX."""
    try:
        tree = ast.parse(block)
    except SyntaxError:
        return False
    return any(isinstance(node, (ast.Import, ast.ImportFrom, ast.Assign, ast.Call)) for node in ast.walk(tree))


def language(block: str) -> str:
    """The language by which the site colours a block."""
    return "python" if is_python(block) else "sh" if SHELL.match(block) else "text"


def fenced(text: str) -> str:
    """The text with its indented blocks between fences that name their language; MkDocs then colours them."""

    def fence(match: re.Match[str]) -> str:
        block = match[0]
        if not block.strip():
            return block
        code = textwrap.dedent(block).strip("\n").rstrip()
        return f"\n{program(code)}\n\n"

    return BLOCK.sub(fence, text)


def program(code: str, kind: str | None = None) -> str:
    """A fenced block of code, in a language that is found out unless it is given."""
    fence = "````" if "```" in code else "```"
    return f"{fence}{kind or language(code)}\n{code}\n{fence}"
