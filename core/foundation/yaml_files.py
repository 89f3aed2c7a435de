"""YAML files that are mappings, read strictly and fast. Imports neither torch nor pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from core.foundation.errors import UserError


def read_mapping(path: Path, content: str) -> dict[Any, Any]:
    """The mapping that a YAML file holds.

    Args:
        content: what it maps, in words, for the error's message.

    Raises:
        UserError: naming the file and the line: it cannot be read, is not valid YAML or no mapping, or has a key twice.
    """
    try:
        document = _parsed(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    except (ValueError, RecursionError) as error:  # the 31st of February; brackets in brackets in brackets
        raise UserError(f"{path}: has a value that YAML cannot have: {error}") from error
    if not isinstance(document, dict):
        raise UserError(f"{path}: must be a mapping with {content}")
    return document


def _parsed(text: str) -> Any:
    """One YAML document, by libyaml if PyYAML was built with it (ten times faster than the parser in Python)."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        _check_keys_differ(node)
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _check_keys_differ(node: yaml.Node | None) -> None:
    """YAML parsers silently keep the last of two equal keys; a method written twice would be lost."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in seen:
                    raise yaml.MarkedYAMLError(problem=f"key {key.value!r} occurs twice", problem_mark=key.start_mark)
                seen.add(key.value)
            _check_keys_differ(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _check_keys_differ(value)
