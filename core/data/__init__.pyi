"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.data.catalogue import Entry as Entry
from core.data.catalogue import Network as Network
from core.data.catalogue import Places as Places
from core.data.catalogue import entries as entries
from core.data.catalogue import lookup as lookup
from core.data.errors import CorruptDataError as CorruptDataError
from core.data.errors import DataError as DataError
from core.data.errors import DataUnavailableError as DataUnavailableError
from core.data.errors import DownloadError as DownloadError
from core.data.errors import StorageError as StorageError
from core.data.loading import Dataset as Dataset
from core.data.loading import load as load
from core.data.loading import load_frame as load_frame
from core.data.preparation import Standardizer as Standardizer
from core.data.preparation import train_test_split as train_test_split
from core.data.preparation import train_validation_test_split as train_validation_test_split
from core.data.sources import fetch as fetch
