"""Settings that are younger than shipped runs: what is recorded of them, and what a record without them means."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import ValidationError

from core.experiment.settings import Settings
from core.foundation.strict import AddedLater
from core.optimizers.settings import MethodSettings


class OldMethod(MethodSettings):
    method: Literal["walk"] = "walk"
    steps: int = 3


class GrownMethod(OldMethod):
    damped: Annotated[bool, AddedLater(False)] = True  # by now the better default


class Old(Settings):
    method: OldMethod
    points: int = 2


class Grown(Old):
    method: GrownMethod
    polish: Annotated[bool, AddedLater(False)] = False


RECORD = {"method": {"method": "walk", "steps": 3}, "points": 2}


def test_what_shipped_runs_ran_stays_out_of_the_record():
    assert Old(method=OldMethod()).model_dump(mode="json") == RECORD
    assert Grown(method=GrownMethod(damped=False)).model_dump(mode="json") == RECORD


def test_any_other_value_is_recorded():
    settings = Grown(method=GrownMethod(), polish=True)
    later = {"method": {**RECORD["method"], "damped": True}, "polish": True}
    assert settings.model_dump(mode="json") == RECORD | later
    assert Grown.of_record(RECORD | later) == settings


def test_a_record_without_it_means_what_it_ran_and_not_the_default():
    """The settings of an experiment and of its method alike."""
    again = Grown.of_record(RECORD)
    assert not again.method.damped and not again.polish and again.model_dump(mode="json") == RECORD
    assert Grown.model_validate(RECORD).method.damped, "what is not a record has the defaults"


def test_a_record_is_checked():
    with pytest.raises(ValidationError, match="unknown key"):
        Grown.of_record(RECORD | {"colour": 3})
    with pytest.raises(ValidationError, match="method 'walk' has steps, damped"):
        Grown.of_record(RECORD | {"method": {"method": "walk", "pace": 3}})


def test_the_arguments_of_an_optimizer_have_every_setting():
    assert GrownMethod(damped=False).own == {"steps": 3, "damped": False}
