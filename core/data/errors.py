"""What can go wrong with data; each message names the data set, the file or address, and what to do."""

from __future__ import annotations

from core.foundation.errors import UnavailableError, UserError


class DataError(UserError):
    """Base of the errors below."""


class DataUnavailableError(DataError, UnavailableError):
    """A data set that is in none of the places and cannot be downloaded."""


class DownloadError(DataError):
    """An address that does not answer, answers with an error, or sends less than it announced."""


class CorruptDataError(DataError):
    """A file that is damaged, or holds something other than the catalogue says."""


class StorageError(DataError):
    """A folder that cannot be written, or a disk that is full."""
