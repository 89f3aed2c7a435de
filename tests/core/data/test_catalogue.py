import json

import pytest

from core.data import catalogue, entries
from core.data.catalogue import OpenML
from core.data.errors import DataError
from core.data.repositories import READERS
from core.data.verify import shaped_fingerprint
from core.foundation.errors import UserError

# Thesis Table E.1: OpenML task, columns and rows as printed.
TABLE_E1 = {
    "kr_vs_kp": (3, 37, 3196),
    "covertype": (2118, 55, 110393),
    "letter": (236, 17, 20000),
    "higgs": (75101, 29, 98050),
    "optdigits": (258, 65, 5620),
    "electricity": (336, 9, 45312),
    "magic_telescope": (75112, 12, 19020),
    "nomao": (146595, 119, 34465),
    "gas_drift": (146590, 129, 13910),
    "mfeat_pixel": (250, 241, 2000),
    "car": (251, 7, 1728),
    "hill_valley": (167079, 101, 1212),  # printed as churn
    "dna": (167202, 181, 3186),
    "vehicle": (283, 19, 846),
    "vehicle_registration": (75191, 101, 98528),
    "mnist": (3573, 785, 50000),
}
# Where ours differ from the print: a row number that is no input, and MNIST with its validation and test images.
DIFFERENT = {"magic_telescope": (11, 19020), "mnist": (785, 70000)}

# Tables with several targets name one of them, for their fingerprint.
TARGETS = {
    "valid_mse_0..3": "valid_mse_0",
    "valid_error, seconds": "valid_error",
    "error_1..error_40": "error_40",
    "y-on-*": "y-on-letter",
}

# Thesis Table E.2: rows as printed, under the names of the catalogue.
TABLE_E2 = {
    "boston": 506, "concrete": 1030, "parkinsons": 5875, "power_plant": 9568, "energy": 768, "naval": 11934,
    "protein": 45730, "yacht": 308, "wine_white": 4898, "slice_localization": 53500,
}  # fmt: skip


def test_all_of_table_e1_is_there():
    for name, (task, columns, rows) in TABLE_E1.items():
        found = catalogue.lookup(name)
        assert found.openml_tasks == (task,)
        assert (found.columns, found.rows) == DIFFERENT.get(name, (columns, rows))


def test_all_of_table_e2_is_there():
    assert {name: catalogue.lookup(name).rows for name in TABLE_E2} == TABLE_E2


def test_every_form_of_a_repository_has_a_reader():
    assert set(READERS) == set(catalogue.FORMS)


def test_each_openml_set_is_there_once():
    ids = [entry.source.id for entry in entries().values() if isinstance(entry.source, OpenML)]
    assert len(ids) == len(set(ids))


def test_it_is_what_the_copies_say_of_themselves(copies):
    """The copies come with a manifest of their own."""
    for item in json.loads((copies / "manifest.json").read_text()):
        found = entries()[item["name"]]
        for field in ("file", "rows", "columns", "task"):
            assert getattr(found, field) == item[field], (item["name"], field)
        assert found.target == TARGETS.get(item.get("target"), item.get("target"))
        assert found.classes == item.get("classes") and found.licence == item.get("licence", "")
        assert found.fingerprint is not None
        if found.sha256 is None:  # the catalogue was made with the canonical file, of which this is another form
            assert shaped_fingerprint(found, copies / found.file) == found.fingerprint
        else:
            assert found.sha256 == item["sha256"] and item["canonical_source"] in found.origin


GOOD = """
a:
  task: regression
  file: regression/a.csv.gz
  rows: 3
  columns: 2
  target: y
  source: {kind: by hand}
  origin: nowhere
"""
PARTS = GOOD.replace("source: {kind: by hand}", "parts: [[b]]").replace("  file: regression/a.csv.gz\n", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace("rows: 3", "rows: 0"), r"sets.yaml: a.rows = 0: Input should be greater than 0$"),
        (GOOD.replace("rows: 3", "rows: true"), r"sets.yaml: a.rows = True: Input should be a number, not a boolean"),
        (GOOD.replace("rows: 3", "row: 3"), r"sets.yaml: a.row = 3: unknown key; did you mean 'rows'"),
        (GOOD.replace("rows: 3", "rows: 3\n  rows: 4"), r"sets.yaml: not valid YAML: key 'rows' occurs twice .*line 6"),
        (GOOD + GOOD, r"sets.yaml: not valid YAML: key 'a' occurs twice"),
        ("a: [", r"sets.yaml: not valid YAML: "),
        ("[]", r"sets.yaml: must be a mapping with data sets by name"),
        ("a: 3", r"sets.yaml: a = 3: must be a mapping with the fields of a data set"),
        (GOOD.replace("regression\n", "ranking\n"), "'regression', 'classification', 'captions', 'hpo-table'"),
        (
            GOOD.replace("by hand", "ftp"),
            r"sets.yaml: a.source: kind should be openml, text, file, github, scikit-learn or",
        ),
        (GOOD.replace("kind: by hand", "kind: openml, id: 0"), r"sets.yaml: a.source.id = 0: Input should be greater"),
        (GOOD.replace("{kind: by hand}", "nobody"), r"sets.yaml: a.source = 'nobody': kind should be openml, text"),
        (GOOD.replace("  target: y\n", ""), "a table needs a target column"),
        (GOOD.replace("  source: {kind: by hand}\n", ""), "exactly one of source and parts"),
        (GOOD.replace("regression/a.csv.gz", "../a.csv.gz"), "String should match pattern"),
        (GOOD.replace("  file: regression/a.csv.gz\n", ""), "a file is needed"),
        (PARTS, "a: its part 'b' is not in the catalogue"),
    ],
)
def test_a_malformed_entry_is_named(tmp_path, monkeypatch, text, message):
    (tmp_path / "sets.yaml").write_text(text)
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    with pytest.raises(UserError, match=message) as caught:
        entries.__wrapped__()
    assert "\n" not in str(caught.value)


def test_a_name_stands_for_one_set(tmp_path, monkeypatch):
    for file in ("one.yaml", "two.yaml"):
        (tmp_path / file).write_text(GOOD)
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    with pytest.raises(DataError, match=r"two.yaml: data set 'a' is already in the catalogue"):
        entries.__wrapped__()
