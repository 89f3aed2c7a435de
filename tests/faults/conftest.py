"""Fixtures of other folders: a server of files, the command line over the toy paper, and Dask workers."""

from __future__ import annotations

from tests.core.data.conftest import leftovers as leftovers
from tests.core.data.conftest import places as places
from tests.core.data.conftest import server as server
from tests.core.study.conftest import address as address
from tests.core.study.conftest import started as started
from tests.papers.conftest import papers as papers
