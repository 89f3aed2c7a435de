"""Ablations among methods: `sghmc, step_sizes=[0.02]` is a variant of `sghmc`, and drawn after it."""

from __future__ import annotations

from collections.abc import Iterable


def split_variant(name: str) -> tuple[str, str]:
    """The method and its changed settings, empty for the method itself."""
    method, _, change = name.partition(", ")
    return (method, change) if "=" in change else (name, "")


def with_change(label: str, change: str) -> str:
    """The label of a variant. The changes have words of their own, as the method's label may name a value of theirs."""
    return f"{label} (ablation: {change.replace('_', ' ')})" if change else label


def with_variants(methods: Iterable[str], present: Iterable[str]) -> list[str]:
    """The methods in their order, each followed by those of its variants that are present."""
    variants: dict[str, list[str]] = {}
    for name in dict.fromkeys(map(str, present)):
        method, change = split_variant(name)
        if change:
            variants.setdefault(method, []).append(name)
    methods = list(methods)
    return list(dict.fromkeys(name for method in methods for name in (method, *variants.get(method, ()))))
