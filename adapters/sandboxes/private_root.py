"""The shell script that builds the process sandbox's root and drops every right: text only, nothing is run here.

It starts in new namespaces as root of them, on standard input of `sh`, and ends as PID 1 of the sandbox.
"""

from __future__ import annotations

import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shlex import join, quote

from redgreen.errors import InfrastructureError, UsageError
from redgreen.sandbox import Command, Mount

UID = 1000
HOME = "/redgreen/home"
TOOLS = ("sh", "cat", "chmod", "chown", "cp", "env", "ln", "mkdir", "rmdir")
UTIL_LINUX = ("unshare", "mount", "umount", "pivot_root", "setpriv", "prlimit")
TOOL_PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"
DEFAULT_VARIABLES = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "TZ": "UTC",
}
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
ETC_FOLDERS = ("/etc/alternatives", "/etc/ssl/certs", "/etc/pki")
ETC_FOLDER_PATTERNS = ("java-*-openjdk",)
"""Where distributions keep a part of a runtime in /etc."""
ETC_FILES = ("ld.so.cache", "localtime", "mime.types", "os-release", "protocols", "services", "ssl/openssl.cnf")
ETC_NETWORK_FILES = ("resolv.conf", "hosts")
ETC_TEXTS = {
    "passwd": f"root:x:0:0::/:/bin/sh\nredgreen:x:{UID}:{UID}::{HOME}:/bin/sh\nnobody:x:65534:65534::/:/bin/sh",
    "group": f"root:x:0:\nredgreen:x:{UID}:\nnogroup:x:65534:",
    "hosts": "127.0.0.1 localhost redgreen\n::1 localhost",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns",
    "hostname": "redgreen",
}
READY = b"redgreen-sandbox-ready\n"
"""The last thing that the set-up says on standard error: whatever comes after it is the command's."""

FUNCTIONS = """\
set -eu
# what mount and others print is not the command's output
exec 3>&1 1>&2

stage() { # stage ro|rw NUMBER SOURCE: holds a host folder or file until the host's root is gone
  if [ -d "$3" ]; then mkdir "/stage/$1/$2"; else : >"/stage/$1/$2"; fi
  mount -n --rbind "$3" "/stage/$1/$2"
}
overlay() { # overlay NUMBER OPTIONS
  mkdir "/stage/rw/$1"
  mount -n -t overlay -o "nosuid,nodev,$2" redgreen "/stage/rw/$1"
}
place() { # place STAGED TARGET
  if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "${2%/*}"; [ -e "$2" ] || : >"$2"; fi
  mount -n --move "$1" "$2"
}

hostname redgreen || : # not installed everywhere, and only a name
"""

ROOT = """\
# the new root lies over a folder that every host has; the host's /tmp is seen again below /host after pivot_root
mount -n -t tmpfs -o mode=0755,size={size} redgreen /tmp
cd /tmp
mkdir -p dev/pts dev/shm etc/ssl host proc redgreen/home stage/ro stage/rw tmp var
chmod 1777 dev/shm tmp
ln -s /tmp var/tmp
for device in full null random tty urandom zero; do
  : >dev/$device
  mount -n --bind /dev/$device dev/$device
done
mount -n -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
cp -P /dev/fd /dev/stdin /dev/stdout /dev/stderr dev
mount -n -t proc -o nosuid,nodev,noexec proc proc
"""

PIVOT = """\
pivot_root . host
cd /
"""

DETACH = """\
# from here on no path, and no link in an untrusted folder, leads to the host's root
umount -n -l /host
# one by one: a read-only bind of a folder leaves the mounts below it writable; the options that it has must be repeated
mounts=$(cat /proc/self/mountinfo)
while read -r _ _ _ _ point options _; do
  case $point in
    /stage/ro/* | {system}) mount -n -o "remount,bind,$options,nosuid,nodev,ro" "$point" ;;
  esac
done <<END
$mounts
END
# these stay writable when the root becomes read-only
for folder in dev/shm tmp redgreen/home; do mount -n --bind $folder $folder; done
"""

CLOSE = """\
mount -n -o remount,bind,ro /
"""

INIT = """\
# PID 1: starts the command, reaps orphans, ends with its status. What the shell says ("Killed") is nobody's output.
cd -- {workdir} || exit 1
echo {ready} >&2
exec 3>&2 2>/dev/null
(exec 2>&3 3>&- </dev/null; exec {command})
exit $?
"""


@dataclass(frozen=True)
class Layer:
    """The folders of an overlay; `kept` if somebody wants its changes."""

    lower: Path
    upper: Path
    work: Path
    kept: bool


def script(command: Command, sources: list[Path | Layer], limits: Mapping[str, int], *, privileged: bool) -> str:
    """`sources` are the command's mounts on the host, links resolved; `limits` are prlimit's options and their values.

    Raises:
        redgreen.errors.UsageError: a target or a variable's name that cannot be.
        redgreen.errors.InfrastructureError: an overlay at a path that mount's options cannot hold.
    """
    targets = [_target(mount) for mount in command.mounts]
    folders = _system_folders()
    lines = [FUNCTIONS]
    if not command.network:
        lines.append(_loopback())
    lines.append(ROOT.format(size=command.limits.memory_bytes))
    lines += _system(folders)
    lines += _etc(command.network)
    lines.append(PIVOT)
    places = []
    for number, (mount, source, target) in enumerate(zip(command.mounts, sources, targets, strict=True)):
        if isinstance(source, Layer):
            lines.append(f"overlay {number} {quote(_overlay_options(source, privileged))}")
        else:
            lines.append(f"stage {mount.mode} {number} {quote(f'/host{source}')}")
        places.append(f"place /stage/{'ro' if mount.mode == 'ro' else 'rw'}/{number} {quote(target)}")
    lines.append(DETACH.format(system=" | ".join(f"{quote(folder)} | {quote(folder)}/*" for folder in folders)))
    lines += _home(targets, privileged)
    lines += [*places, CLOSE, _start(command, limits, privileged)]
    return "\n".join(lines)


def _system_folders() -> list[str]:
    patterns = (path for pattern in ETC_FOLDER_PATTERNS for path in sorted(Path("/etc").glob(pattern)))
    return [folder for folder in (*SYSTEM_FOLDERS, *ETC_FOLDERS, *map(str, patterns)) if Path(folder).is_dir()]


def _system(folders: list[str]) -> list[str]:
    """Each is shown at its own path; a link (/bin to usr/bin) stays a link."""
    links = [folder for folder in folders if Path(folder).is_symlink()]
    real = [folder for folder in folders if folder not in links]
    lines = [f"cp -P {join(links)} ."] if links else []
    return [
        *lines,
        f"mkdir -p {join(f'.{folder}' for folder in real)}",
        *(f"mount -n --rbind {quote(f)} {quote(f'.{f}')}" for f in real),
    ]


def _target(mount: Mount) -> str:
    path = PurePosixPath(mount.target)
    if not path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
        raise UsageError(f"{mount.target}: not a place to mount at", "give an absolute path below /, without ..")
    return str(path)


def _loopback() -> str:
    """A new network namespace has nothing but a loopback, and that is down; iproute2 is not everywhere."""
    if shutil.which("ip", path=TOOL_PATH):
        return "ip link set lo up"
    code = (
        "import fcntl, socket, struct\n"
        "fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, struct.pack('16sH22x', b'lo', 1))"
    )
    return join([sys.executable, "-I", "-S", "-c", code])


def _etc(network: bool) -> list[str]:
    files = [*ETC_FILES, *(ETC_NETWORK_FILES if network else ())]
    found = [path for path in files if Path("/etc", path).is_file()]
    texts = {path: text for path, text in ETC_TEXTS.items() if path not in found}
    lines = [f"(cd /etc && cp -L --parents {join(found)} /tmp/etc)"] if found else []
    return [*lines, *(f"printf '%s\\n' {quote(text)} >etc/{path}" for path, text in texts.items())]


def _overlay_options(layer: Layer, privileged: bool) -> str:
    folders = {"lowerdir": layer.lower, "upperdir": layer.upper, "workdir": layer.work}
    if odd := [path for path in folders.values() if re.search(r"[,:\\\"\s]", str(path))]:
        raise InfrastructureError(f"{odd[0]}: an overlay's path cannot hold , : \\ \" or blanks", "use another folder")
    # changes must be whole files and whiteouts, readable without this kernel's overlay: no redirects, no metadata only
    flags = ["redirect_dir=nofollow", "metacopy=off", "index=off"]
    flags += [] if privileged else ["userxattr"]
    # volatile: fsync costs nothing where nothing will be kept
    flags += [] if layer.kept else ["volatile"]
    return ",".join([*(f"{key}=/host{path}" for key, path in folders.items()), *flags])


def _home(targets: Iterable[str], privileged: bool) -> list[str]:
    """Mount points below the home are made early, so that the folders above them belong to the command's user."""
    parents = {str(PurePosixPath(target).parent) for target in targets if PurePosixPath(target).is_relative_to(HOME)}
    lines = [f"mkdir -p {join(sorted(parents))}"] if parents else []
    return [*lines, f"chown -R {UID}:{UID} {HOME}"] if privileged else lines


def _start(command: Command, limits: Mapping[str, int], privileged: bool) -> str:
    """Drop everything, then become PID 1, which reads its script from a here-document: a command line is public."""
    variables = {**DEFAULT_VARIABLES, **command.variables}
    if odd := [name for name in variables if not name or "=" in name]:
        raise UsageError(f"{odd[0]!r}: not a variable's name")
    # variables come after the drop (LD_PRELOAD), and limits after them; a command that is not there ends with 127
    environment = ["env", "-i", *(f"{name}={value}" for name, value in variables.items())]
    limited = ["prlimit", *(f"--{name}={value}" for name, value in limits.items()), "--", *command.argv]
    init = INIT.format(
        workdir=quote(command.workdir), ready=READY.decode().strip(), command=join([*environment, *limited])
    )
    end = secrets.token_hex(16)
    return f"exec {join(_drop(privileged))} sh <<'{end}' >&3 3>&-\n{init}{end}\n"


def _drop(privileged: bool) -> list[str]:
    nothing = ["--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs"]
    # asked for again, as a change of user clears it: PID 1 must die with unshare
    nothing += ["--pdeathsig", "KILL"]
    if privileged:
        return ["setpriv", "--reuid", str(UID), "--regid", str(UID), "--clear-groups", *nothing]
    nested = ["unshare", "--user", f"--map-user={UID}", f"--map-group={UID}", "--keep-caps"]
    return [*nested, "setpriv", *nothing]
