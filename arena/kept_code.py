"""A folder of compiled code that is read and never written, for container images whose files cannot be written.

numba uses a folder for compiled code only if it can write there. The image of the Dockerfile's target `search` names
this class in NUMBA_CACHE_LOCATOR_CLASSES, after everything has been compiled.
"""

from numba.core.caching import UserProvidedCacheLocator


class KeptCode(UserProvidedCacheLocator):  # type: ignore[misc]
    """The folder of compiled code that `arena.engine.jit` names, even if it cannot be written."""

    def ensure_cache_path(self) -> None:
        """Do nothing: numba's own method creates the folder, and fails if it cannot write there."""
