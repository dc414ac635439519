"""Machine code that is only read: for images whose files cannot be written.

numba takes a folder for machine code only if it can write there. The image of the Dockerfile's target `search` names
this class in NUMBA_CACHE_LOCATOR_CLASSES, after it has compiled everything.
"""

from numba.core.caching import UserProvidedCacheLocator


class KeptCode(UserProvidedCacheLocator):  # type: ignore[misc]
    """The folder of machine code that `tables.engine.jit` names, also if it cannot be written."""

    def ensure_cache_path(self) -> None:
        """Leave the folder as it is."""
