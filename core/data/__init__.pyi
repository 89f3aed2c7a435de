"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.data.catalogue import Entry as Entry
from core.data.catalogue import entries as entries
from core.data.catalogue import lookup as lookup
from core.data.errors import CorruptDataError as CorruptDataError
from core.data.errors import DataError as DataError
from core.data.errors import DataUnavailableError as DataUnavailableError
from core.data.errors import DownloadError as DownloadError
from core.data.errors import StorageError as StorageError
from core.data.fetching import fetch as fetch
from core.data.loading import Dataset as Dataset
from core.data.loading import load as load
from core.data.loading import load_frame as load_frame
from core.data.normalisation import Standardizer as Standardizer
from core.data.places import Network as Network
from core.data.places import Places as Places
from core.data.splits import train_test_split as train_test_split
from core.data.splits import train_validation_test_split as train_validation_test_split
