"""A flipped bit in a raw-run file is an error, or changes nothing that is read; shipped files are what was shipped."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core.experiment.storage import (
    CHECKSUMS,
    REQUIRED,
    SEAL,
    UNSEALED,
    ResultFileError,
    is_whole,
    read_provenance,
    read_records,
    seal,
    write_records,
)

ROOT = Path(__file__).resolve().parents[3]
REFERENCE = ROOT / "results" / "reference"
SHIPPED = "paper/background/models/forrester/rf.parquet"
PROVENANCE = dict.fromkeys(REQUIRED, 1) | {"seeds": {"shared/split": {"0": 2**62}}, "commit": "äß"}


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("own") / "plain.parquet"
    generator = np.random.default_rng(0)
    records = pd.DataFrame(
        {"run": np.arange(40) // 4, "status": "ok", "message": "", "value": generator.normal(size=40)}
    )
    write_records(path, records.assign(curve=list(generator.normal(size=(40, 3)))), PROVENANCE)
    return path


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> Path:
    """A copy of a shipped file that carries no checksum of its own, with the list of those that do not."""
    folder = tmp_path_factory.mktemp("shipped") / "reference"
    (folder / SHIPPED).parent.mkdir(parents=True)
    shutil.copy(REFERENCE / SHIPPED, folder / SHIPPED)
    shutil.copy(REFERENCE / CHECKSUMS, folder / CHECKSUMS)
    return folder / SHIPPED


def flipped(content: bytes, bit: int) -> bytes:
    place = bit // 8
    return content[:place] + bytes([content[place] ^ 1 << bit % 8]) + content[place + 1 :]


def noticed(path: Path, bit: int) -> bool:
    """Whether both readers refuse the file with one bit flipped; if not, what they read must be what was written."""
    whole, (records, provenance) = path.read_bytes(), read_records(path)
    try:
        path.write_bytes(flipped(whole, bit))
        try:
            again, notes = read_records(path)
        except ResultFileError:
            with pytest.raises(ResultFileError):
                read_provenance(path)
            return True
        pd.testing.assert_frame_equal(again, records, check_exact=True)
        assert notes == provenance == read_provenance(path)
        return False
    finally:
        path.write_bytes(whole)


class TestFlippedBits:
    @pytest.mark.parametrize("name", ["own", "shipped"])
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_anywhere(self, request, name, data):
        path = request.getfixturevalue(name)
        noticed(path, data.draw(st.integers(0, 8 * path.stat().st_size - 1)))

    @pytest.mark.parametrize("name", ["own", "shipped"])
    def test_everywhere_in_the_footer(self, request, name):
        """Headers, statistics and schema are there, which Parquet's own checksums leave out."""
        path = request.getfixturevalue(name)
        size = path.stat().st_size
        footer = int.from_bytes(path.read_bytes()[-8:-4], "little")
        places = range(8 * (size - footer), 8 * size, 8 * max(1, footer // 120) + 1)
        refused = [noticed(path, bit) for bit in places]
        assert sum(refused) >= 0.95 * len(refused)

    def test_only_the_name_of_the_checksum_may_change(self, own):
        whole = own.read_bytes()
        place = whole.rindex(UNSEALED[:20])
        assert not noticed(own, 8 * place)
        assert noticed(own, 8 * (place + len(UNSEALED) - 1))


class TestSeal:
    @given(st.binary(max_size=200), st.binary(max_size=200))
    def test_covers_what_stands_on_both_sides(self, before, after):
        assume(SEAL not in before + after)
        sealed = seal(before + UNSEALED + after)
        assert is_whole(Path("plain.parquet"), sealed)
        assert len(sealed) == len(before + UNSEALED + after)
        assert not is_whole(Path("plain.parquet"), sealed + b"x")
        assert not is_whole(Path("plain.parquet"), b"x" + sealed)

    @pytest.mark.parametrize("content", [b"", UNSEALED + UNSEALED, UNSEALED + SEAL, SEAL])
    def test_needs_its_place_once(self, content):
        with pytest.raises(ValueError, match="place for a checksum"):
            seal(content)

    def test_is_the_digest_with_zeros_in_its_place(self, own):
        content = own.read_bytes()
        (digits,) = re.findall(rb"zeros from here on: ([0-9a-f]{64})", content)
        assert hashlib.sha256(content.replace(digits, b"0" * 64)).hexdigest().encode() == digits


class TestShipped:
    def test_every_file_is_what_was_shipped(self):
        for path in REFERENCE.rglob("*.parquet"):
            assert is_whole(path, path.read_bytes()), path

    def test_the_list_is_one_that_sha256sum_reads(self, shipped):
        lines = [line for line in (REFERENCE / CHECKSUMS).read_text().splitlines() if line.endswith(SHIPPED)]
        (shipped.parents[4] / "one").write_text("".join(f"{line}\n" for line in lines))
        command = ["sha256sum", "--check", "--strict", "one"]
        assert subprocess.run(command, cwd=shipped.parents[4], capture_output=True).returncode == 0

    def test_a_file_that_is_not_in_the_list(self, shipped):
        other = shipped.with_name("other.parquet")
        shutil.copy(shipped, other)
        with pytest.raises(ResultFileError, match=r"other\.parquet: damaged: its checksum is not that of its content"):
            read_records(other)

    def test_a_promoted_file_needs_no_line(self, shipped, own):
        shutil.copy(own, shipped.with_name("own.parquet"))
        assert read_provenance(shipped.with_name("own.parquet")) == PROVENANCE
