"""Check that the service may and can listen at an address, before the start, which takes seconds."""

import errno
import ipaddress
import socket

from service.settings import Settings, SettingsError


def check_exposure(settings: Settings, host: str, allowed: bool) -> None:
    """Raise `SettingsError` if other machines could use the service without API keys, unless ``allowed``."""
    if settings.api_keys_file is None and not allowed and not is_loopback(host):
        raise SettingsError(
            f"host is {host!r}, which other machines can reach, and no API keys are set; set SPADES_API_KEYS_FILE, "
            "use a loopback host, or pass --allow-unauthenticated"
        )


def check_address(host: str, port: int) -> None:
    """Raise `SettingsError` if another process uses the address, or if this process may not use it."""
    try:
        addresses = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in addresses:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):  # the server reports all other errors when it listens
            raise SettingsError(f"host {host}, port {port}: {error.strerror}; accepted: a free address") from None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to ``host``. All addresses of a name must be such addresses.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("")
    (True, True, False, False)
    """
    if not host:
        return False  # empty: all addresses
    try:
        addresses = socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)
    except OSError:
        return False  # listening there will fail with a message
    return all(ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in addresses)
