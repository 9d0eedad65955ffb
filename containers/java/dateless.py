"""Write a Java trust store (JKS, certificates alone) anew: in the order of its names, and of one date.

usage: python3 -I dateless.py STORE      Its password is Debian's, `changeit`; it only guards against accidents.

Format: magic, version and count; for each certificate a tag, its name, the milliseconds since 1970, its type and bytes;
then the SHA-1 of password, a fixed phrase and all of that.
"""

import hashlib
import struct
import sys
from pathlib import Path

HEAD = struct.Struct(">III")
CERTIFICATE = 2


def seal(content):
    return hashlib.sha1("changeit".encode("utf-16-be") + b"Mighty Aphrodite" + content).digest()


def part(content, place, form):
    """A length, as `form` has it, and as many bytes; with the place behind them."""
    start = place + struct.calcsize(form)
    end = start + struct.unpack_from(form, content, place)[0]
    return content[start:end], end


def main(path):
    content = path.read_bytes()
    magic, version, count = HEAD.unpack_from(content)
    if magic != 0xFEEDFEED or version != 2 or seal(content[:-20]) != content[-20:]:
        sys.exit(f"{path}: not a trust store that this can read")
    place, entries = HEAD.size, []
    for _ in range(count):
        if struct.unpack_from(">I", content, place)[0] != CERTIFICATE:
            sys.exit(f"{path}: holds more than certificates")
        name, place = part(content, place + 4, ">H")
        kind, place = part(content, place + 8, ">H")
        certificate, place = part(content, place, ">I")
        entries.append((name, kind, certificate))
    made = HEAD.pack(magic, version, count)
    for name, kind, certificate in sorted(entries):
        made += struct.pack(">IH", CERTIFICATE, len(name)) + name + struct.pack(">q", 0)
        made += struct.pack(">H", len(kind)) + kind + struct.pack(">I", len(certificate)) + certificate
    path.write_bytes(made + seal(made))


main(Path(sys.argv[1]))
