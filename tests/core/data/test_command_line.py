import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from core.data import catalogue, entries
from core.data.__main__ import main

ROOT = Path(__file__).resolve().parents[3]
URL = "https://archive.example.org/tiny.csv"
FILE = "regression/tiny.csv.gz"


@pytest.fixture
def tiny(catalogued, server, tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue.Places, "from_environment", classmethod(lambda cls: made))
    made = catalogue.Places(root=tmp_path / "data", network=catalogue.Network(mirror=server.address, attempts=1))
    server.serve(URL, b"a,y\n1,2\n")
    source = {"kind": "text", "url": URL, "target": "y"}
    return catalogued("tiny", file=FILE, rows=1, columns=2, target="y", source=source)


def test_list_says_of_every_set_where_it_is(tiny, capsys, tmp_path):
    assert main(["list"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert set(entries()) <= set(lines)
    assert lines["tiny"].endswith("to fetch") and lines["iris"].endswith("scikit-learn")
    assert "not here, no download: HPOlib SVM on grid" in lines["svm_on_grid"]
    assert lines["mnist_test"].endswith("to fetch: mnist_images, mnist_labels")
    assert main(["fetch", "tiny"]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/data/{FILE}\n"
    assert main(["list"]) == 0
    assert f"  {tmp_path}/data\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "code, absent",
    [
        ("import core.data", {"numpy", "pandas", "scipy", "yaml"}),
        ("from core.data import Standardizer, Places, lookup", {"pandas", "scipy"}),
        ("from core.data import *", {"scipy.io", "sklearn", "torch"}),
    ],
)
def test_importing_a_name_imports_what_it_needs(code, absent):
    code = f"import sys; {code}; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).split()
    assert "core.data" in loaded and not absent & set(loaded)


@pytest.mark.parametrize("module", ["core.data", "papers"])
def test_list_into_a_pipe_that_closes_is_quiet(module):
    command = f"{sys.executable} -m {module} list | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_fetch_accepts_what_changed_when_told(tiny, server, capsys, tmp_path):
    assert main(["fetch", "tiny", "iris"]) == 0
    assert "iris comes with scikit-learn" in capsys.readouterr().out
    (tmp_path / "data" / FILE).unlink()
    server.serve(URL, b"a,y\n1,3\n")
    assert main(["fetch", "tiny"]) == 2
    assert "error: tiny:" in capsys.readouterr().err
    assert main(["fetch", "tiny", "--accept"]) == 0
    assert gzip.decompress((tmp_path / "data" / FILE).read_bytes()) == b"a,y\n1,3\n"


def test_fingerprint_prints_what_the_catalogue_records(tiny, capsys):
    assert main(["fingerprint", "tiny"]) == 2
    assert "error: no file of 'tiny' in" in capsys.readouterr().err
    main(["fetch", "tiny"])
    capsys.readouterr()
    assert main(["fingerprint", "tiny"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("sha256: ") and len(lines[2]) == len("fingerprint: ") + 64


def test_an_interruption_is_told_in_a_line(tiny, capsys, monkeypatch, tmp_path):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("core.data.__main__.fetch", interrupted)
    assert main(["fetch", "tiny"]) == 130
    assert capsys.readouterr().err.endswith("interrupted; nothing of a file that was not complete is kept\n")
    assert not (tmp_path / "data").exists()


def test_all_names_are_looked_up_before_anything_is_fetched(tiny, server, capsys):
    assert main(["fetch", "tiny", "tinny"]) == 2
    assert "unknown data set 'tinny'; did you mean 'tiny'" in capsys.readouterr().err
    assert not server.requests


def test_each_failure_of_a_download_is_one_line(tiny, server, capsys):
    for answer in ({"status": 404}, {"body": b"<html>", "length": 10**12}, {"headers": {"Content-Encoding": "gzip"}}):
        server.serve_in_turn(URL, answer)
        server.requests.clear()
        assert main(["fetch", "tiny"]) == 2
        told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
        assert len(told) == 1
