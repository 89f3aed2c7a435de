"""Calls that are interrupted, resumed or finished, and their journals."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import core.study.journal
from core import minimize
from core.foundation.errors import UserError
from core.optimizers.model_settings import GPSettings
from core.study.methods import BOHBSettings
from tests.core.study.bowl import SPACE, bowl, curve, outcomes

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("method", "budgets"), [("random", None), ("tpe", None), ("bohb", (1, 9)), ("cmaes", None), ("optuna_tpe", None)]
)
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(tmp_path, capsys, method, budgets):
    calls = []

    def interrupting(configuration, *budget):
        calls.append(configuration)
        if len(calls) == 9:
            raise KeyboardInterrupt
        return bowl(configuration) + sum(budget)

    def call(journal):
        return minimize(interrupting, SPACE, method, 30, budgets=budgets, journal=journal)

    with pytest.raises(KeyboardInterrupt) as caught:
        call(tmp_path / "run.jsonl")
    assert len(caught.traceback) <= 3  # the test, its call, and `minimize`
    said = capsys.readouterr().err
    assert said == f"interrupted after 8 of 30 evaluations, which are kept in {tmp_path / 'run.jsonl'}; " + (
        "the same call resumes from there\n"
    )
    resumed = call(tmp_path / "run.jsonl")
    assert len(calls) == 9 + 22
    assert outcomes(resumed) == outcomes(call(None))


def test_without_a_journal_an_interruption_says_that_all_is_lost(capsys):
    def interrupting(configuration):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        minimize(interrupting, SPACE, "random", 5)
    said = capsys.readouterr().err
    assert re.match("interrupted after 0 of 5 evaluations, which are lost unless .* is used; journal=", said)


def test_a_model_that_was_interrupted_goes_on_with_the_same_proposals(tmp_path, monkeypatch):
    monkeypatch.setattr("core.study.replay.WORTH_SECONDS", 0.0)
    method, calls = GPSettings(initial_design=3), []

    def interrupting(configuration):
        calls.append(configuration)
        if len(calls) in (6, 9):
            raise KeyboardInterrupt
        return bowl(configuration)

    whole = minimize(bowl, SPACE, method, 10)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            minimize(interrupting, SPACE, method, 10, journal=tmp_path / "run.jsonl")
    assert outcomes(minimize(bowl, SPACE, method, 10, journal=tmp_path / "run.jsonl")) == outcomes(whole)


def test_a_finished_journal_is_read_without_a_model_and_without_evaluations(tmp_path, monkeypatch):
    whole = minimize(bowl, SPACE, "gp", 7, journal=tmp_path / "run.jsonl")
    monkeypatch.setattr(GPSettings, "_build", None)
    again = minimize(lambda configuration: 1 / 0, SPACE, "gp", 7, journal=tmp_path / "run.jsonl")
    assert outcomes(again) == outcomes(whole) and again.trace.equals(whole.trace)
    fewer = minimize(bowl, SPACE, "gp", 4, journal=tmp_path / "run.jsonl")
    assert outcomes(fewer) == outcomes(whole)[:4]


def test_a_method_that_ends_by_itself_is_finished(tmp_path):
    def call():
        return minimize(curve, SPACE, BOHBSettings(brackets=1), 500, budgets=(1, 9), journal=tmp_path / "run.jsonl")

    first = call()
    size = (tmp_path / "run.jsonl").stat().st_size
    assert len(first.records) == 9 + 3 + 1
    assert outcomes(call()) == outcomes(first) and (tmp_path / "run.jsonl").stat().st_size == size


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "tpe"}, "with method"),
        ({"seed": 1}, "with seed 0; this run has 1"),
        ({"space": {**SPACE, "x": (-5.0, 6.0)}}, "with space"),
        ({"budgets": (1, 27), "method": "hyperband"}, "with method"),
        ({"worst_loss": 3.0}, "with worst_loss null; this run has 3.0"),
    ],
)
def test_the_journal_of_another_run_is_refused(tmp_path, changed, message):
    arguments = {"space": SPACE, "method": "random", "evaluations": 5, "journal": tmp_path / "run.jsonl"}
    minimize(bowl, **arguments)
    function = curve if "budgets" in changed else bowl
    with pytest.raises(UserError, match=f"is the journal of a run {message}"):
        minimize(function, **{**arguments, **changed})


def test_neither_random_search_nor_a_finished_journal_imports_what_models_need(tmp_path):
    """Even where the states of optimizers are kept."""
    program = """
import sys
import core.study.replay
from core import minimize
core.study.replay.WORTH_SECONDS = 0.0
minimize(lambda configuration: configuration["x"], {"x": (0.0, 1.0)}, sys.argv[1], 5, journal=sys.argv[2])
print(sorted({"torch", "pandas", "numba", "distributed", "matplotlib"} & sys.modules.keys()))
"""
    minimize(lambda configuration: configuration["x"], {"x": (0.0, 1.0)}, "gp", 5, journal=tmp_path / "gp.jsonl")
    for method in ("random", "gp"):
        command = [sys.executable, "-c", program, method, str(tmp_path / f"{method}.jsonl")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout == "[]\n"
    assert (tmp_path / ".random.jsonl.state").exists()


def test_methods_without_a_model_of_torch_do_not_import_it(tmp_path):
    """Nor where their states are kept and read."""
    program = """
import sys
import core.study.replay
from core import minimize
core.study.replay.WORTH_SECONDS = 0.0
def loss(configuration, budget=1.0): return configuration["x"] + 1 / budget
bandits = ("hyperband", "successive_halving", "bohb")
for method in ("random", "tpe", "optuna_tpe", "cmaes", "regularized_evolution", *bandits):
    bandit = method in bandits
    function, budgets = (loss, (1, 3)) if bandit else (lambda configuration: loss(configuration), None)
    for evaluations in (12, 14):
        minimize(function, {"x": (0.0, 1.0)}, method, evaluations, budgets=budgets, journal=f"{method}.jsonl")
    assert "torch" not in sys.modules, method
"""
    subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True
    )
    assert len(list(tmp_path.glob(".*.jsonl.state"))) == 8


def test_a_run_that_never_began_leaves_no_claim_on_its_journal(tmp_path):
    with pytest.raises(UserError, match="any number of values"):
        minimize(bowl, SPACE, "reinforce", 3, journal=tmp_path / "run.jsonl")
    assert len(minimize(bowl, SPACE, "random", 3, journal=tmp_path / "run.jsonl").records) == 3


def test_choices_keep_their_types_when_a_run_is_resumed(tmp_path):
    space = {"widths": [(50,), (50, 50)], "scale": [abs, len], "k": [1, "1", None], "x": (0.0, 1.0)}
    arguments = {"space": space, "method": "random", "evaluations": 12, "journal": tmp_path / "run.jsonl"}
    first = minimize(lambda configuration: configuration["x"], **arguments)
    again = minimize(lambda configuration: 1 / 0, **arguments)
    assert outcomes(again) == outcomes(first)
    for one, other in zip(first.records, again.records, strict=True):
        assert type(one.configuration["k"]) is type(other.configuration["k"])
    start = {"method": "ablr", "initial_design": 1, "widths": (5,), "iterations": 2}
    assert minimize(lambda c: c["x"], space, start, 2, earlier=[again]).best is not None


@pytest.mark.parametrize("choices", [[object(), object()], [lambda: 1, lambda: 2], [bowl, outcomes]], ids=range(3))
def test_choices_that_no_other_process_would_know_again_are_refused(tmp_path, choices):
    calls = []
    with pytest.raises(
        UserError, match=r"choice .* of 'k' is known by its place in memory \(0x.*; allowed: a class, or"
    ):
        minimize(calls.append, {"k": choices, "x": (0.0, 1.0)}, "random", 4, journal=tmp_path / "run.jsonl")
    assert not calls


class Searching:
    """A search of 12 evaluations in a journal, in whose fifth something happens; `calls` counts evaluations."""

    def __init__(self, journal, happens=lambda: None):
        self.journal, self.happens, self.calls = journal, happens, 0

    def __call__(self, evaluations=12):
        def function(configuration):
            self.calls += 1
            if self.calls == 5:
                self.happens()
            return bowl(configuration)

        return minimize(function, SPACE, "random", evaluations, journal=self.journal, progress=False)


def whole():
    return outcomes(minimize(bowl, SPACE, "random", 12, progress=False))


def command_in(message):
    """The command that an error tells."""
    return re.search("`(.*)`", message)[1]


def shell(command, folder):
    subprocess.run(command, shell=True, check=True, cwd=folder)


@pytest.mark.parametrize("name", ["link.jsonl", "hard.jsonl", "deep/../run.jsonl", "elsewhere/run.jsonl"])
def test_two_names_of_a_file_are_one_journal(tmp_path, monkeypatch, name):
    """Whoever comes second waits, and then goes on with what the first has written."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "elsewhere").symlink_to(tmp_path)
    first, said, found = Searching(tmp_path / "run.jsonl"), threading.Event(), []
    first(3)
    (tmp_path / "link.jsonl").symlink_to("run.jsonl")
    (tmp_path / "hard.jsonl").hardlink_to(tmp_path / "run.jsonl")
    monkeypatch.setattr(core.study.journal, "_say", lambda handle, path: said.set())
    second = threading.Thread(target=lambda: found.append(outcomes(Searching(tmp_path / name)(12))))

    def meet():
        second.start()
        assert said.wait(60) and not found

    Searching(tmp_path / "run.jsonl", meet)(8)
    second.join(60)
    assert found == [whole()] and len((tmp_path / "run.jsonl").read_text().splitlines()) == 25


def replaced(path):
    path.with_name("other").write_text("somebody else's\n")
    path.with_name("other").replace(path)


def appended(path):
    path.write_bytes(path.read_bytes() + b"note\n")


VANISHING = {
    "deleted": Path.unlink,
    "renamed": lambda path: path.rename(path.with_name("other name")),
    "replaced": replaced,
    "emptied": lambda path: path.write_text(""),
    "appended to": appended,
    "in a folder that is gone": lambda path: shutil.rmtree(path.parent),
}


@pytest.mark.parametrize("happens", VANISHING)
def test_a_journal_that_is_lost_while_it_is_written_is_found_again(tmp_path, monkeypatch, happens):
    """The search stops and says where all evaluations are; after its command the same call repeats none of them."""
    folder = tmp_path / "it's here"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = folder / "run.jsonl"
    search = Searching(path, lambda: VANISHING[happens](path))
    with pytest.raises(UserError, match="was deleted, replaced or changed by another program") as caught:
        search()
    assert "all 5 evaluations are in" in str(caught.value) and "\n" not in str(caught.value)
    if happens == "replaced":
        assert path.read_text() == "somebody else's\n"
    shell(command_in(str(caught.value)), tmp_path)
    assert outcomes(search()) == whole() and search.calls == 12


@pytest.mark.parametrize("at", range(1, 5))
def test_a_journal_that_finds_no_room_loses_nothing_that_was_finished(tmp_path, monkeypatch, at):
    """Whether it is a proposal or a record that finds none, part of its line or nothing of it."""
    write, path, lines = os.write, tmp_path / "run.jsonl", []

    def full(handle, data):
        if data.startswith((b'{"asked"', b'{"told"', b'{"journal"')):
            lines.append(data)
        if len(lines) >= 4 + at:
            write(handle, data[: 10 * (at // 2)])
            raise OSError(28, "No space left on device")
        return write(handle, data)

    search = Searching(path)
    with monkeypatch.context() as patch, pytest.raises(UserError, match=r"No space left on device; ") as caught:
        patch.setattr(os, "write", full)
        search()
    if "`" in str(caught.value):
        shell(command_in(str(caught.value)), tmp_path)
    assert outcomes(search()) == whole() and search.calls == 12
    assert [each.name for each in tmp_path.iterdir()] == ["run.jsonl"]


@pytest.mark.parametrize("journal", ["run.jsonl", None])
def test_a_forked_child_that_returns_stops_and_leaves_everything_to_its_parent(tmp_path, journal):
    """Journal, states and lock; it is told why."""
    journal, said, parent = journal and tmp_path / journal, tmp_path / "said", os.getpid()
    calls, children = [], []

    def training(configuration, budget, state):
        calls.append(budget)
        if len(calls) == 4:
            children.append(os.fork())
            if children[0]:
                os.waitpid(children[0], 0)
        state["epochs"] = budget
        return bowl(configuration) + 1 / budget

    try:
        result = minimize(training, SPACE, "hyperband", 22, budgets=(1, 9), journal=journal, progress=False)
    except BaseException as error:
        if os.getpid() != parent:
            said.write_text(f"{type(error).__name__}: {error}")
        raise
    finally:
        if os.getpid() != parent:
            os._exit(0)
    assert re.match(rf"WriteError: .* belongs to process {parent}; .* ends with os\._exit$", said.read_text())
    assert outcomes(result) == outcomes(minimize(curve, SPACE, "hyperband", 22, budgets=(1, 9), progress=False))
    if journal is not None:
        assert outcomes(minimize(curve, SPACE, "hyperband", 22, budgets=(1, 9), journal=journal)) == outcomes(result)


def test_a_function_that_changes_the_folder_loses_nothing(tmp_path, monkeypatch):
    """With a relative path the journal, the states of trainings and of the optimizer stay where they began."""
    monkeypatch.setattr("core.study.replay.WORTH_SECONDS", 0.0)
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path)
    seen = []

    def training(configuration, budget, state):
        os.chdir(tmp_path / "away")
        if len(seen) == 12:
            seen.append(None)
            raise KeyboardInterrupt
        seen.append((budget, state.get("epochs", 0)))
        state["epochs"] = budget
        return bowl(configuration) + 1 / budget

    def call():
        os.chdir(tmp_path)
        return minimize(training, SPACE, "successive_halving", 13, budgets=(1, 9), journal="run.jsonl", progress=False)

    with pytest.raises(KeyboardInterrupt):
        call()
    call()
    assert [each for each in seen if each and each[0] > 1] == [(3.0, 1.0)] * 3 + [(9.0, 3.0)]
    assert not list((tmp_path / "away").iterdir())
    names = {".run.jsonl.state", ".run.jsonl.states", "away", "run.jsonl"}
    assert {each.name for each in tmp_path.iterdir()} == names


DAMAGES = {
    "a byte": lambda line: line[:30] + bytes([line[30] ^ 1]) + line[31:],
    "binary": lambda line: b"\x00\xff\r\x0b\x1c" * 90 + b"\n",
    "no end": lambda line: line[:-1],
    "cut": lambda line: line[:40] + b"\n",
    "missing": lambda line: b"",
    "doubled": lambda line: line + line,
    "somebody's": lambda line: b'{"note": 1}\n' + line,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_error_of_a_damaged_journal_says_how_to_keep_the_lines_before(tmp_path, damage):
    """Done as it says, the same call repeats only the evaluations whose records are not before the damage."""
    path = tmp_path / "it's a run.jsonl"
    Searching(path)()
    lines = path.read_bytes().splitlines(keepends=True)
    lines[13] = DAMAGES[damage](lines[13])  # line 14, after six records
    path.write_bytes(b"".join(lines))
    again = Searching(path)
    with pytest.raises(UserError, match=r"line 1[45] is not .*lines before it are whole") as caught:
        again()
    assert again.calls == 0 and path.read_bytes() == b"".join(lines)
    shell(command_in(str(caught.value)), tmp_path)
    assert outcomes(again()) == whole() and again.calls in (5, 6)
    assert path.with_name(f"{path.name}.damaged").read_bytes() == b"".join(lines)


def in_child(action):
    """The status of a forked child that calls something."""
    child = os.fork()
    if not child:
        try:
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def killing(journal, how, evaluations=8, **options):
    """A search whose evaluation of one configuration ends its process; the others return what they draw."""

    def function(configuration, generator):
        if configuration["x"] > 1.9:
            with open(f"{journal}.log", "a") as log:
                log.write("begun\n")
            how()
        return configuration["x"] ** 2 + generator.random()

    return minimize(function, {"x": (0.0, 2.0)}, "random", evaluations, journal=journal, progress=False, **options)


FATAL = [{"x": 0.5}, {"x": 1.95}, {"x": 1.0}]


@pytest.mark.parametrize("how", [lambda: os._exit(139), lambda: os.kill(os.getpid(), signal.SIGKILL)])
def test_an_evaluation_that_kills_its_process_fails_after_three_deaths(tmp_path, how):
    path = tmp_path / "run.jsonl"
    statuses = [in_child(lambda: killing(path, how, initial=FATAL)) for _ in range(4)]
    assert all(statuses[:3]) and statuses[3] == 0
    assert (tmp_path / "run.jsonl.log").read_text() == "begun\n" * 3
    result = killing(path, lambda: 1 / 0, initial=FATAL)
    assert [record.failure for record in result.records if record.failure] == [
        "the process that evaluated it died, 3 times in a row"
    ]
    undisturbed = killing(tmp_path / "other.jsonl", lambda: None, initial=FATAL)
    pairs = zip(outcomes(result), outcomes(undisturbed), strict=True)
    assert [one[0] for one, other in pairs if one != other] == [1], "all others have the losses that they draw"


def test_its_failure_is_recorded_on_the_budget_of_the_evaluation(tmp_path):
    def fatal(configuration, budget):
        if configuration["x"] == 1.5:
            os._exit(139)
        return bowl(configuration) + 1 / budget

    def call():
        return minimize(
            fatal, SPACE, "hyperband", 9, budgets=(1, 9), journal=tmp_path / "run.jsonl", progress=False,
            initial=[{**minimize(bowl, SPACE, "random", 1, progress=False).records[0].configuration, "x": 1.5}],
        )  # fmt: skip

    assert [bool(in_child(call)) for _ in range(4)] == [True, True, True, False]
    first = call().records[0]
    assert first.budget == 9.0 and "died, 3 times" in first.failure


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_process_that_is_asked_to_end_does_not_count_as_dead(tmp_path, number):
    """However often; SIGTERM and SIGHUP end the process as they would have."""
    path = tmp_path / "run.jsonl"
    for _ in range(5):
        status = in_child(lambda: killing(path, lambda: os.kill(os.getpid(), number), initial=FATAL))
        assert (os.WIFSIGNALED(status) and os.WTERMSIG(status) == number) or number == signal.SIGINT
    assert in_child(lambda: killing(path, lambda: os._exit(139), initial=FATAL))
    assert len(killing(path, lambda: None, initial=FATAL).records) == 8
    kinds = [next(iter(json.loads(line))) for line in path.read_text().splitlines()]
    assert kinds.count("interrupted") == 5 and kinds.count("again") == 6
    assert all(not record.failure for record in killing(path, lambda: 1 / 0, initial=FATAL).records)


def test_an_error_that_stops_the_search_does_not_count_as_a_death(tmp_path):
    path = tmp_path / "run.jsonl"
    for _ in range(4):
        with pytest.raises(NameError):
            killing(path, lambda: undefined, initial=FATAL)  # noqa: F821
    assert not any(record.failure for record in killing(path, lambda: None, initial=FATAL).records)


def test_what_an_evaluation_costs_the_journal(tmp_path, monkeypatch):
    """Two lines, each synchronized once: that an evaluation begins needs none of its own."""
    synchronized, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synchronized.append(1), fsync(handle))[1])
    Searching(tmp_path / "run.jsonl")()
    assert len(synchronized) == 24 and len((tmp_path / "run.jsonl").read_text().splitlines()) == 25


def test_handlers_of_signals_are_as_before(tmp_path):
    before = signal.signal(signal.SIGTERM, handler := lambda number, frame: None)
    try:
        Searching(tmp_path / "run.jsonl", lambda: os.kill(os.getpid(), signal.SIGTERM))()
        assert signal.getsignal(signal.SIGTERM) is handler and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def of_a_name(name):
    return lambda folder: folder / name


def pipe(folder):
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def circle(folder):
    (folder / "circle").symlink_to("circle")
    return folder / "circle"


def below_a_file(folder):
    (folder / "file").touch()
    return folder / "file" / "run.jsonl"


CONVERSIONS = {
    "line endings": lambda content: content.replace(b"\n", b"\r\n"),
    "byte order mark": lambda content: b"\xef\xbb\xbf" + content,
}


@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_a_journal_that_an_editor_has_converted_is_refused_with_the_reason(tmp_path, conversion):
    path = tmp_path / "run.jsonl"
    Searching(path)()
    path.write_bytes(CONVERSIONS[conversion](path.read_bytes()))
    again = Searching(path)
    with pytest.raises(UserError, match=r"a byte order mark or Windows line endings; allowed: the file as it was"):
        again()
    assert again.calls == 0


WRONG = {
    "memory": lambda folder: "/proc/self/mem",
    "null": lambda folder: "/dev/null",
    "full": lambda folder: "/dev/full",
    "pipe": pipe,
    "folder": lambda folder: folder,
    "nul": of_a_name("run\0.jsonl"),
    "long": of_a_name("a" * 300),
    "too long for its states": of_a_name("a" * 250),
    "circle": circle,
    "below a file": below_a_file,
    "unnamed": lambda folder: "",
    "surrogate": of_a_name("run\ud800.jsonl"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_cannot_be_a_journal_is_refused_before_any_work(tmp_path, kind):
    search = Searching(WRONG[kind](tmp_path))
    with pytest.raises(UserError) as caught:
        search()
    assert search.calls == 0 and "\n" not in str(caught.value) and len(str(caught.value)) < 600


def test_an_edit_that_keeps_the_size_is_found_while_the_search_runs(tmp_path):
    journal = tmp_path / "run.jsonl"

    def edit():
        edited = bytearray(journal.read_bytes())
        edited[edited.rfind(b'"x"') + 1] = ord("y")
        with open(journal, "r+b") as stream:
            stream.write(edited)
        os.utime(journal, (1.0, 1.0))  # whatever the steps of the clock are

    with pytest.raises(UserError, match=r"was deleted, replaced or changed .* all \d+ evaluations are in "):
        Searching(journal, edit)()


def test_a_touched_journal_is_the_same(tmp_path):
    journal = tmp_path / "run.jsonl"
    assert len(Searching(journal, lambda: os.utime(journal, (1.0, 1.0)))().records) == 12


@pytest.mark.filterwarnings("ignore:all 2 evaluations failed")
def test_a_search_within_a_search_of_the_same_journal_does_not_wait_for_itself(tmp_path):
    def inner(configuration):
        minimize(lambda c: 1.0, {"x": (0.0, 1.0)}, "random", 2, journal=tmp_path / "run.jsonl", progress=False)

    result = minimize(inner, {"x": (0.0, 1.0)}, "random", 2, journal=tmp_path / "run.jsonl", progress=False)
    assert all("is being written by what calls this" in record.failure for record in result.records)
