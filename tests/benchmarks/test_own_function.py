"""The benchmark of a user's function: its verdicts, and one short measurement."""

from benchmarks import own_function


def test_verdicts_compare_with_the_targets():
    assert own_function.verdict("a", 0.5, 1.0) == "a: 0.50 s, target 1 s: met"
    assert own_function.verdict("a", 1.5, 1.0) == "a: 1.50 s, target 1 s: MISSED"


def test_a_script_can_be_measured(tmp_path):
    journal = tmp_path / "run.jsonl"
    search, whole = own_function.seconds("random", journal)
    assert 0 < search < whole and journal.read_text().count('"told"') == 20
