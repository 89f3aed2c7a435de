"""OpenML's two steps: the JSON description of a data set, then its ARFF file."""

import hashlib
import json

import numpy as np
import pytest

from core.data import CorruptDataError, DownloadError, fetch, load

DESCRIPTION = "https://www.openml.org/api/v1/json/data/{id}"
ARFF_URL = "https://api.openml.org/data/v1/download/77/weather.arff"
ARFF = b"""@relation weather
@attribute id numeric
@attribute temperature numeric
@attribute 'wind speed' numeric
@attribute outlook {sunny,'light rain'}
@attribute play {no,yes}
@data
1,20.5,3,sunny,yes
2,?,4,'light rain',no
3,10,5,sunny,no
"""


def describe(**changes: object) -> bytes:
    fields = {
        "id": "7",
        "url": ARFF_URL,
        "default_target_attribute": "play",
        "row_id_attribute": "id",
        "md5_checksum": hashlib.md5(ARFF).hexdigest(),
    }
    return json.dumps({"data_set_description": {**fields, **changes}}).encode()


@pytest.fixture
def weather(catalogued, server):
    server.serve(DESCRIPTION.format(id=7), describe())
    server.serve(ARFF_URL, ARFF)
    source = {"kind": "openml", "id": 7}
    return catalogued(
        "weather",
        task="classification",
        file="classification/weather.csv.gz",
        rows=3,
        columns=4,
        classes=2,
        target="class",
        source=source,
    )


def test_the_default_target_goes_last_and_the_row_identifier_goes(weather, places):
    found = load("weather", places=places)
    assert found.feature_names == ("temperature", "temperature=missing", "wind speed", "outlook=sunny")
    assert np.array_equal(found.X, [[20.5, 0, 3, 1], [15.25, 1, 4, 0], [10, 0, 5, 1]])
    assert found.classes == ("no", "yes") and found.y.tolist() == [1, 0, 0]


@pytest.mark.parametrize("ignored", ["id", "id,nothing", ["id"]])
def test_ignored_attributes_go_however_they_are_listed(weather, places, server, ignored):
    server.serve(DESCRIPTION.format(id=7), describe(row_id_attribute=None, ignore_attribute=ignored))
    assert load("weather", places=places).X.shape == (3, 4)


def test_the_catalogue_can_name_target_and_columns_to_drop(catalogued, weather, server, places):
    server.serve(DESCRIPTION.format(id=7), describe(row_id_attribute=None, default_target_attribute="outlook"))
    source = {"kind": "openml", "id": 7, "target": "play", "drop": ["id", "absent"]}
    catalogued("weather", **{**weather.model_dump(exclude={"name"}), "source": source})
    assert load("weather", places=places).classes == ("no", "yes")


def test_its_checksum_is_checked(weather, server, places, leftovers):
    server.serve(ARFF_URL, ARFF.replace(b"20.5", b"21.5"))
    with pytest.raises(CorruptDataError, match=r"weather.arff: the file has MD5 \w+, its publisher says"):
        fetch("weather", places)
    assert leftovers() == []


def test_a_set_without_a_checksum_is_taken(weather, server, places):
    server.serve(DESCRIPTION.format(id=7), describe(md5_checksum=None))
    assert len(load("weather", places=places).y) == 3


@pytest.mark.parametrize(
    ("url", "body", "error", "message"),
    [
        (DESCRIPTION.format(id=7), b"<html>", CorruptDataError, "json/data/7: not the description of a data set"),
        (DESCRIPTION.format(id=7), b'{"error": {"code": "111"}}', CorruptDataError, "not the description"),
        (DESCRIPTION.format(id=7), describe(default_target_attribute="rain"), CorruptDataError, "no column 'rain'"),
        (DESCRIPTION.format(id=7), describe(url="https://api.openml.org/gone"), DownloadError, "gone: answered 404"),
        (DESCRIPTION.format(id=7), describe(row_id_attribute=None), CorruptDataError, "has 3 rows and 5 columns"),
    ],
)
def test_answers_that_cannot_be_used(weather, server, places, leftovers, url, body, error, message):
    server.serve(url, body)
    with pytest.raises(error, match=message):
        fetch("weather", places)
    assert leftovers() == []


def test_a_file_that_is_not_arff(weather, server, places):
    for body, message in ((b"PK\x03\x04\xff", "not an ARFF file"), (b"busy", "without a @data line")):
        server.serve(DESCRIPTION.format(id=7), describe(md5_checksum=None))
        server.serve(ARFF_URL, body)
        with pytest.raises(CorruptDataError, match=message):
            fetch("weather", places)


NESTED = b"[" * 200_000


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (NESTED, "RecursionError"),
        (b'{"data_set_description": ' + NESTED, "RecursionError"),
        (b"<html>busy</html>", "JSONDecodeError"),
        (b"\xff\xfe\x00", "DecodeError"),
        (b"7", "TypeError"),
        (b'{"data_set_description": [1, 2]}', "TypeError"),
        (b'{"data_set_description": null}', "TypeError"),
        (b'{"data_set_description": {"default_target_attribute": "play"}}', "KeyError: 'url'"),
        (describe(url=["a"]), r"url is \['a'\]; allowed: text"),
        (describe(url=7), "url is 7; allowed: text"),
        (describe(default_target_attribute=["x"]), r"default_target_attribute is \['x'\]; allowed: text"),
        (describe(default_target_attribute=None), "default_target_attribute is None; allowed: text"),
        (describe(md5_checksum=[1]), r"md5_checksum is \[1\]; allowed: text"),
        (describe(row_id_attribute={"a": 1}), "row_id_attribute is .*; allowed: text"),
        (describe(ignore_attribute=[1, ["x"]]), "ignore_attribute is .*; allowed: text"),
        (describe(url="file:///etc/hostname"), "file:///etc/hostname: not an http or https address"),
        (describe(url="http://["), "not an http or https address"),
        (describe(default_target_attribute="absent"), "no column 'absent'"),
        (describe(default_target_attribute="temperature"), "has a column 'play' that is not its target"),
    ],
)
def test_whatever_the_description_is_one_line_says_what_is_wrong(
    catalogued, weather, server, places, leftovers, answer, message
):
    fields = {
        **weather.model_dump(exclude={"name", "source"}),
        "target": "play" if b'"temperature"' in answer else "class",
    }
    catalogued("weather", **fields, source={"kind": "openml", "id": 7})
    server.serve(DESCRIPTION.format(id=7), answer)
    with pytest.raises((CorruptDataError, DownloadError), match=message) as caught:
        fetch("weather", places)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
    assert leftovers() == []


def test_a_description_and_a_file_have_limits(weather, server, places, leftovers):
    server.serve(DESCRIPTION.format(id=7), describe(), length=10**9)
    with pytest.raises(DownloadError, match="json/data/7: larger than 16,777,216 bytes"):
        fetch("weather", places)
    server.serve(DESCRIPTION.format(id=7), describe())
    server.serve(ARFF_URL, ARFF, length=10**9)
    with pytest.raises(DownloadError, match=f"weather.arff: larger than {weather.most_bytes:,} bytes"):
        fetch("weather", places)
    assert leftovers() == [] and weather.most_bytes == 2**26 + 3 * 4 * 256


def test_an_error_in_the_file_names_its_address_and_line(weather, server, places, leftovers):
    broken = ARFF.replace(b"'light rain',no", b"'light rain,no")
    server.serve(DESCRIPTION.format(id=7), describe(md5_checksum=None))
    server.serve(ARFF_URL, broken)
    with pytest.raises(CorruptDataError, match=r"77/weather.arff: ARFF line 9: a quote that is not closed"):
        fetch("weather", places)
    assert leftovers() == []
