"""Where a server is reached: by this machine, by others in the room, and as a picture to scan."""

from __future__ import annotations

import io
import ipaddress
import socket
from contextlib import suppress

from sandtable.server.settings import Settings

__all__ = [
    "EVERYWHERE",
    "address_of",
    "addresses_for_others",
    "class_link",
    "is_loopback",
    "qr_code",
    "qr_picture",
    "shown_host",
    "with_key",
]

EVERYWHERE = ("0.0.0.0", "::")
# Nothing is sent there: an open datagram socket only says by which of its addresses this machine
# would talk to such a place.
FAR_AWAY = (
    (socket.AF_INET, "198.51.100.1"),
    (socket.AF_INET, "10.255.255.255"),
    (socket.AF_INET, "192.168.255.255"),
)


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def shown_host(host: str, port: int) -> str:
    """Return host and port as a link has them.

    A name that brings its port keeps it; only an IPv6 address gets brackets.

    >>> shown_host("table.example.org:8000", 9000), shown_host("::1", 8000)
    ('table.example.org:8000', '[::1]:8000')
    """
    with suppress(ValueError):
        if ipaddress.ip_address(host).version == 6:
            return f"[{host}]:{port}"
    return host if ":" in host else f"{host}:{port}"


def own_addresses() -> list[str]:
    """Return the addresses of this machine that others may reach, the likeliest first."""
    found: list[str] = []
    for family, place in FAR_AWAY:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((place, 9))
            found.append(str(probe.getsockname()[0]))
    with suppress(OSError):
        known = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        found += [str(each[4][0]) for each in known]
    return [each for each in dict.fromkeys(found) if not is_loopback(each) and each != "0.0.0.0"]


def addresses_for_others(settings: Settings) -> list[str]:
    """Return links under which other machines reach the server, the best first, without the key."""
    if is_loopback(settings.host):
        hosts = list(settings.hosts)
    elif settings.host in EVERYWHERE:
        hosts = [*settings.hosts, *own_addresses()]
    else:
        hosts = [*settings.hosts, settings.host]
    return [f"http://{shown_host(host, settings.port)}/" for host in dict.fromkeys(hosts)]


def address_of(settings: Settings) -> str:
    """Return the link to the first page."""
    host = settings.host
    if host in EVERYWHERE:
        host = settings.hosts[0] if settings.hosts else "127.0.0.1"
    return with_key(f"http://{shown_host(host, settings.port)}/", settings)


def class_link(settings: Settings) -> str:
    """Return the link by which a class joins: guests need no key and are not to get it."""
    others = addresses_for_others(settings)
    host = "127.0.0.1" if settings.host in EVERYWHERE else settings.host
    first = others[0] if others else f"http://{shown_host(host, settings.port)}/"
    return f"{first}class"


def with_key(link: str, settings: Settings) -> str:
    """Return a link that lets whoever opens it start games."""
    return f"{link}#key={settings.key}" if settings.key else link


def qr_code(link: str) -> str:
    """Return a link as a QR code, made of blocks for a terminal.

    >>> len(qr_code("http://192.0.2.7:8000/").splitlines()) > 10
    True
    """
    import segno

    drawn = io.StringIO()
    segno.make(link, error="l", micro=False).terminal(out=drawn, compact=True, border=2)
    return drawn.getvalue()


def qr_picture(link: str) -> bytes:
    """Return a link as a QR code in SVG, black on white.

    >>> b"<svg" in qr_picture("http://192.0.2.7:8000/class")
    True
    """
    import segno

    drawn = io.BytesIO()
    segno.make(link, error="l", micro=False).save(
        drawn, kind="svg", border=4, light="#fff", scale=4, omitsize=True
    )
    return drawn.getvalue()
