"""How a verdict or a claim's outcome looks everywhere: a symbol, and colours that never carry the meaning alone.

Tints and accents stay apart for colour-blind readers: blue agrees, green and orange differ in lightness and symbol.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """symbol; tint: background of a cell on white paper; accent: bar and symbol; terminal: style for rich."""

    symbol: str
    tint: str
    accent: str
    terminal: str


AGREES = Look("✓", "#dceaf7", "#005f99", "blue")
EXCEEDS = Look("▲", "#d5f0e6", "#006848", "cyan")
FALLS_SHORT = Look("▼", "#fde3cd", "#a34000", "yellow")
OPEN = Look("?", "#efe8f5", "#6f468b", "magenta")
ABSENT = Look("○", "#f4f4f4", "#646464", "dim")

LOOKS: dict[str, Look] = {
    "reproduced": AGREES,
    "better": EXCEEDS,
    "better baseline": Look(EXCEEDS.symbol, ABSENT.tint, ABSENT.accent, "white"),
    "worse": FALLS_SHORT,
    "inconclusive": OPEN,
    "worse baseline": Look(FALLS_SHORT.symbol, ABSENT.tint, ABSENT.accent, "white"),
    "equal": Look("=", AGREES.tint, AGREES.accent, AGREES.terminal),
    "as configured": Look("≡", ABSENT.tint, ABSENT.accent, ABSENT.terminal),
    "differs": Look("≠", FALLS_SHORT.tint, FALLS_SHORT.accent, FALLS_SHORT.terminal),
    "outside": Look("◇", ABSENT.tint, ABSENT.accent, ABSENT.terminal),
    "not run": ABSENT,
    "not published": Look("–", ABSENT.tint, ABSENT.accent, ABSENT.terminal),
    "quoted": Look("“", "#ffffff", "#646464", "dim"),
    "holds": AGREES,
    "fails": FALLS_SHORT,
}
