"""python -m core.data: list the data sets, fetch one, or print what identifies a copy.

python -m core.data list
python -m core.data fetch slice_localization [--accept]
python -m core.data fingerprint boston
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from core.data.catalogue import Bundled, ByHand, Entry, Places, entries, lookup
from core.data.errors import DataUnavailableError
from core.data.sources import fetch
from core.data.verify import file_sha256, shaped_fingerprint
from core.foundation.errors import UserError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 2 if the user has something to correct, as it is of `python -m papers`."""
    options = parser().parse_args(arguments)
    places = Places.from_environment()
    try:
        if options.command == "list":
            _list(places)
        elif options.command == "fetch":
            for name in options.names:
                lookup(name)
            for name in options.names:
                _fetch(name, places, options.accept)
        else:
            _fingerprint(lookup(options.name), places)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; nothing of a file that was not complete is kept", file=sys.stderr)
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m core.data", description="Data sets: their names and places.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="every data set, its size, and where it is")
    fetching = commands.add_parser("fetch", help="download data sets into data/")
    fetching.add_argument("names", nargs="+", metavar="NAME")
    fetching.add_argument("--accept", action="store_true", help="pin the content as it is now, even if it differs")
    fingerprinting = commands.add_parser("fingerprint", help="checksum and content fingerprint of the copy here")
    fingerprinting.add_argument("name", metavar="NAME")
    return parser


def _list(places: Places) -> None:
    width = max(map(len, entries())) + 2
    lines = [f"{'data set':<{width}}{'task':<20}{'rows':>10}{'columns':>9}  where"]
    for name, entry in sorted(entries().items(), key=lambda item: (item[1].task, item[0])):
        lines.append(f"{name:<{width}}{entry.task:<20}{entry.rows:>10,}{entry.columns:>9}  {where(entry, places)}")
    Console(highlight=False).print("\n".join(lines), markup=False, soft_wrap=True)  # quiet when piped into head


def where(entry: Entry, places: Places) -> str:
    """Where a data set is, in a few words."""
    if isinstance(entry.source, Bundled):
        return "scikit-learn"
    if entry.parts:
        missing = [file for part in entry.parts for file in part if places.find(lookup(file)) is None]
        by_hand = any(isinstance(lookup(file).source, ByHand) for file in missing)
        return f"{'not here' if by_hand else 'to fetch'}: {', '.join(missing)}" if missing else "here"
    location = places.find(entry)
    if location is not None:
        return str(location[1])
    return f"not here, no download: {entry.origin}" if isinstance(entry.source, ByHand) else "to fetch"


def _fetch(name: str, places: Places, accept: bool) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        bar = bars.add_task(name, total=None)

        def show(address: str, received: int, total: int | None) -> None:
            bars.update(bar, description=f"{name} {address.rsplit('/', 1)[-1]}", completed=received, total=total)

        files = fetch(name, places, accept=accept, progress=show)
    for file in files:
        print(file)
    if not files:
        print(f"{name} comes with scikit-learn: nothing to fetch")


def _fingerprint(entry: Entry, places: Places) -> None:
    location = places.find(entry)
    if location is None:
        raise DataUnavailableError(f"no file of {entry.name!r} in {places.describe()}")
    print(f"{location[0]}\nsha256: {file_sha256(location[0])}\nfingerprint: {shaped_fingerprint(entry, location[0])}")


if __name__ == "__main__":
    sys.exit(main())
