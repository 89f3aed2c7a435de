"""Pickles read without running anything: containers, numbers, text and NumPy arrays, and inert stand-ins of the rest.

    trees = read_pickle(content).state["estimators_"]

Python's own reader imports whatever a pickle names and calls it. This one names nothing: the few functions by which
NumPy pickles arrays are replaced by ones that only look at bytes, and every other name becomes a subclass of `Inert`,
which keeps what it was called with and the state that it was given. Arrays hold numbers and text; those of Python
objects are refused, as are persistent identifiers, out-of-band buffers, and states given to anything but a stand-in.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import re
from typing import Any, NoReturn

import numpy as np

from core.data.errors import CorruptDataError

_FORMAT = re.compile(r"[biufcSU]\d{1,4}")
_ARRAY = re.compile(r"numpy(\._?core\.multiarray)?")
_FIXED = ("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "FROZENSET")
_KEYED = ("SETITEM", "SETITEMS", "DICT")
_MOST = 1000


class Inert:
    """A stand-in for an object of a class that is not admitted.

    Attributes:
        name: Name of the class, with its module.
        arguments: Arguments of the call.
        state: State that was restored into the object; None without one.
    """

    name = ""

    def __new__(cls, *arguments: Any) -> Inert:
        made = super().__new__(cls)
        made.arguments, made.state = arguments, None
        return made

    def __init__(self, *arguments: Any) -> None:
        """Takes what `__new__` has kept."""

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Format(Inert):
    """The stand-in of `numpy.dtype`, called with a code such as "f8"."""

    def resolved(self) -> np.dtype:
        code = self.arguments[0] if self.arguments else None
        state = self.state if isinstance(self.state, tuple) else (3, "|")
        order = state[1] if len(state) > 1 and state[1] in ("<", ">", "=", "|") else "|"
        names, fields = state[3:5] if len(state) > 4 else (None, None)
        if names:
            parts = [fields[name] for name in names]
            if not all(isinstance(part[0], _Format) and isinstance(part[1], int) for part in parts):
                raise CorruptDataError("a pickle with fields that are not numbers")
            described = {"names": list(names), "formats": [part[0].resolved() for part in parts]}
            return np.dtype({**described, "offsets": [part[1] for part in parts], "itemsize": state[5]})
        if not (isinstance(code, str) and _FORMAT.fullmatch(code)):
            raise CorruptDataError(f"a pickle with an array of {code!r}; admitted: numbers and text")
        return np.dtype(code).newbyteorder(order)


class _Array(Inert):
    """The stand-in of an array; its state is (version, shape, format, whether the first index is fastest, bytes)."""

    def resolved(self) -> np.ndarray:
        match self.state:
            case (_, tuple() as shape, _Format() as format, bool() | int() as columns_first, bytes() as content):
                order = "F" if columns_first else "C"
                return np.frombuffer(content, format.resolved()).reshape(shape, order=order)
        raise CorruptDataError("a pickle with an array whose bytes are not stored")


def _reconstruct(*arguments: Any) -> _Array:
    return _Array(*arguments)


def _scalar(format: Any, content: Any) -> Any:
    """A NumPy number."""
    if not (isinstance(format, _Format) and isinstance(content, bytes)):
        raise CorruptDataError("a pickle with a number whose bytes are not stored")
    return np.frombuffer(content, format.resolved())[0].item()


def _bytes(text: Any, encoding: Any) -> bytes:
    """The bytes that protocols before 3 keep as text."""
    if not (isinstance(text, str) and encoding == "latin1"):
        raise CorruptDataError("a pickle with bytes in an unknown form")
    return text.encode("latin1")


_ADMITTED = {"_reconstruct": _reconstruct, "scalar": _scalar, "dtype": _Format, "ndarray": _Array}


class _Reader(pickle.Unpickler):
    """Resolves no name."""

    def find_class(self, module: str, name: str) -> Any:
        if _ARRAY.fullmatch(module) and name in _ADMITTED:
            return _ADMITTED[name]
        if (module, name) == ("_codecs", "encode"):
            return _bytes
        return type("Inert", (Inert,), {"name": f"{module}.{name}"})

    def persistent_load(self, identifier: Any) -> NoReturn:
        raise CorruptDataError("a pickle with references to objects that are not in it")


def read_pickle(content: bytes) -> Any:
    """The content of a pickle, with arrays as arrays and objects as `Inert`.

    Raises:
        CorruptDataError: truncated, not a pickle, or with something that is not admitted.
    """
    try:
        _require_harmless(content)
        return _resolved(_Reader(io.BytesIO(content)).load(), {})
    except CorruptDataError:
        raise
    except Exception as error:  # whatever a damaged or hostile file provokes
        raise CorruptDataError(f"truncated, not a pickle, or not admitted ({type(error).__name__}: {error})") from error


def _require_harmless(content: bytes) -> None:
    """Refuse what Python's reader does not survive, however small the pickle is.

    It makes room for the largest number of a memo that a pickle names. And the hash of a tuple, which a key of a
    dictionary needs, calls itself for each tuple in it as often as it occurs: these are counted here.
    """
    stack: list[int] = []  # how many tuples there are in each value; -1 for a mark
    memo: dict[int, int] = {}
    for code, argument, _ in pickletools.genops(content):
        name = code.name
        if name in ("PUT", "BINPUT", "LONG_BINPUT"):
            if argument > len(content):
                raise CorruptDataError(f"a pickle of {len(content)} bytes that remembers {argument:,} values")
            memo[argument] = stack[-1]
        elif name == "MEMOIZE":
            memo[len(memo)] = stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            stack.append(memo[argument])
        elif name == "MARK":
            stack.append(-1)
        elif name == "DUP":
            stack.append(stack[-1])
        else:
            parts = _popped(stack, code)
            hashed = parts if name in ("FROZENSET", "ADDITEMS") else parts[1::2] if name in _KEYED else []
            if max(hashed, default=0) > _MOST:
                raise CorruptDataError(f"a pickle with a key of more than {_MOST:,} tuples")
            size = min(1 + sum(parts), 10 * _MOST) if name in _FIXED else 0  # of more nothing is asked
            stack += [size] * len(code.stack_after)


def _popped(stack: list[int], code: pickletools.OpcodeInfo) -> list[int]:
    """What an instruction takes from the stack, the last first."""
    parts, before = [], code.stack_before
    if pickletools.markobject in before:
        before = before[: before.index(pickletools.markobject)]
        while (value := stack.pop()) >= 0:
            parts.append(value)
    return parts + [stack.pop() for _ in before]


def _resolved(value: Any, known: dict[int, tuple[Any, Any]]) -> Any:
    """The same with arrays in the places of their stand-ins.

    Args:
        known: Resolved values by identity, with the value itself, so that nothing else can get its identity.
    """
    if id(value) not in known:
        known[id(value)] = value, value  # before its parts, which may contain it
        known[id(value)] = value, _with_arrays(value, known)
    return known[id(value)][1]


def _with_arrays(value: Any, known: dict[int, tuple[Any, Any]]) -> Any:
    if isinstance(value, _Array):
        return value.resolved()
    if isinstance(value, dict):
        value.update({key: _resolved(each, known) for key, each in value.items()})
    elif isinstance(value, list):
        value[:] = [_resolved(each, known) for each in value]
    elif isinstance(value, tuple):
        return tuple(_resolved(each, known) for each in value)
    elif isinstance(value, Inert):
        value.state, value.arguments = _resolved(value.state, known), _resolved(value.arguments, known)
    return value
