"""New namespaces by util-linux, for machines and pods without podman: a private root, network, and process tree.

What enforces what:
- files: a mount namespace whose root holds /usr and a few files of /etc, read-only, and the command's mounts; the
  host's own root is detached before any of the command's mounts is put in place (private_root.py, beside this file);
- time: at the limit PID 1 of the sandbox is killed, and the kernel ends everything in its PID namespace, daemons
  too. The same happens when the Python process that waits for the sandbox dies;
- memory and processes: a control group for the whole sandbox where we may make one (as root; as a user where systemd
  delegates). Elsewhere RLIMIT_DATA for each process, so that running out is a failed allocation and not reported as
  `out_of_memory`, and RLIMIT_NPROC, to which the kernel never holds root;
- open files, file size, no core dumps: resource limits of each process.

Run by root, commands are uid 1000 of the host. Run by an ordinary user (or by root without CAP_SYS_ADMIN), they are
that user, shown as uid 1000 in a user namespace, without capabilities. No system call filter: weaker than podman.
With `network=True` the host's network namespace is shared as it is, its loopback and abstract sockets included.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from adapters.sandboxes import cgroups, child
from adapters.sandboxes.child import Kept
from adapters.sandboxes.private_root import READY, TOOL_PATH, TOOLS, UID, UTIL_LINUX, Layer, script
from redgreen.errors import InfrastructureError
from redgreen.sandbox import Command, Finished, Limits, Mount, written_by
from redgreen.space import room_in

CAP_SYS_ADMIN = 21
JOIN = 'while [ "$1" != -- ]; do echo 0 >"$1"; shift; done; shift; exec "$@"'
"""Joins the control groups before the namespaces exist, so that the cgroup namespace begins at the group."""


class ProcessSandbox:
    name = "process"
    image: str | None = None

    def __init__(self, *, privileged: bool | None = None) -> None:
        """`privileged` is found out if not given; False makes root use a user namespace, as an ordinary user must."""
        self._privileged = _may_administer() if privileged is None else privileged

    def probe(self) -> str | None:
        """None if it works here, else one line: what is missing and how to get it."""
        if sys.platform != "linux":
            return "the process sandbox needs Linux: use podman"
        for package, tools in (("util-linux", UTIL_LINUX), ("coreutils", TOOLS)):
            if missing := [tool for tool in tools if not shutil.which(tool, path=TOOL_PATH)]:
                return f"{', '.join(missing)}: not found: install {package}"
        if not self._privileged and (forbidden := _forbidden_namespaces()):
            return forbidden
        try:
            with tempfile.TemporaryDirectory() as folder:
                finished = self.run(Command(["true"], [Mount(Path(folder), "/tmp/overlay", "overlay")]))
        except InfrastructureError as error:
            return (
                f"{error} (this user must be allowed new namespaces with tmpfs, proc and overlay mounts; or use podman)"
            )
        return None if finished.exit_status == 0 else f"`true` ended with {finished.exit_status} in the process sandbox"

    def run(self, command: Command) -> Finished:
        name = re.sub(r"[^A-Za-z0-9._-]", "_", command.label)[-100:] or secrets.token_hex(8)
        group = cgroups.create(f"redgreen-{name}")
        layers: list[Layer] = []
        try:
            with _scratch(
                name, any(mount.mode == "overlay" and not mount.upper for mount in command.mounts)
            ) as scratch:
                group.limit(command.limits.memory_bytes, command.limits.processes)
                sources = [_source(mount, scratch / str(number)) for number, mount in enumerate(command.mounts)]
                layers += (source for source in sources if isinstance(source, Layer))
                for layer in layers:
                    self._prepare(layer)
                text = script(command, sources, _resource_limits(command.limits, group), privileged=self._privileged)
                with room_in([Path(tempfile.gettempdir()), *written_by(command)]):
                    return self._run(text, command, group)
        finally:
            group.remove()
            for layer in layers:
                _delete(layer.work)

    def _run(self, text: str, command: Command, group: cgroups.Group) -> Finished:
        started = time.monotonic()
        # by a file, not by arguments: variables may hold keys, and everyone on the host can read a command line
        with tempfile.TemporaryFile() as standard_input:
            standard_input.write(os.fsencode(text))
            standard_input.seek(0)
            process = child.start(self._unshare(command.network, group), standard_input)
        output, errors = Kept(command.limits.output_bytes), Kept(command.limits.output_bytes + len(READY))
        try:
            timely = child.read(process, output, errors, command.limits.timeout_s)
        finally:
            child.end(process)
        seconds = time.monotonic() - started
        said, ready, stderr = bytes(errors).partition(READY)
        if group.out_of_memory():
            return Finished(None, "out_of_memory", bytes(output), stderr, seconds)
        if not timely:
            return Finished(None, "timeout", bytes(output), stderr, seconds)
        if not ready:
            reason = said.decode(errors="replace").strip().splitlines() or ["no word from its set-up"]
            raise InfrastructureError(f"the process sandbox could not start: {reason[-1]}", "run `make doctor`")
        status = process.returncode
        return Finished(128 - status if status < 0 else status, "exited", bytes(output), stderr, seconds)

    def _unshare(self, network: bool, group: cgroups.Group) -> list[str]:
        namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--ipc", "--uts", "--cgroup"]
        namespaces += [] if network else ["--net"]
        # root of a namespace of our own, as mounting asks for; the command becomes uid 1000 of another one below it
        namespaces += [] if self._privileged else ["--user", "--map-root-user"]
        # unshare dies with us, its child with it
        outer = ["setpriv", "--pdeathsig", "KILL", "sh", "-c", JOIN, "sh", *map(str, group.entrances), "--"]
        return [*outer, "unshare", *namespaces, "sh"]

    def _prepare(self, layer: Layer) -> None:
        _delete(layer.work)
        for folder in (layer.upper, layer.work):
            folder.mkdir(parents=True, exist_ok=True)
        if not any(layer.upper.iterdir()):
            # the top of an overlay has the owner and mode of the upper folder
            status = layer.lower.stat()
            layer.upper.chmod(status.st_mode & 0o7777)
            if self._privileged:
                os.chown(layer.upper, status.st_uid, status.st_gid)

    def own(self, folder: Path) -> None:
        """As root: chown to uid 1000. As a user nothing is needed, because commands are that user on the host."""
        if self._privileged:
            done = subprocess.run(["chown", "-hRP", f"{UID}:{UID}", "--", str(folder)], capture_output=True, text=True)
            if done.returncode:
                raise InfrastructureError(
                    done.stderr.strip().splitlines()[-1], "is the folder there, and on a local disk?"
                )

    def remove(self, folder: Path) -> None:
        """Delete a folder, also with read-only folders in it; nothing happens if it is not there."""
        _delete(folder)


def _delete(folder: Path) -> None:
    if not folder.exists():
        return
    try:
        shutil.rmtree(folder)
    except PermissionError:
        folder.chmod(0o700)
        for parent, names, _ in os.walk(folder):
            for path in (Path(parent, name) for name in names):
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(folder)


def _may_administer() -> bool:
    """Whether we are root with CAP_SYS_ADMIN, that is able to mount without a user namespace."""
    if os.geteuid() != 0:
        return False
    capabilities = re.search(r"^CapEff:\s*(\w+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return capabilities is not None and bool(int(capabilities[1], 16) >> CAP_SYS_ADMIN & 1)


def _forbidden_namespaces(settings: Path = Path("/proc/sys")) -> str | None:
    """The setting that keeps ordinary users from making namespaces, if there is one."""
    for name, forbids, wanted in (
        ("kernel.unprivileged_userns_clone", "0", 1),
        ("user.max_user_namespaces", "0", 10000),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", 0),
    ):
        path = settings.joinpath(*name.split("."))
        if path.exists() and path.read_text().strip() == forbids:
            return f"user namespaces are forbidden to ordinary users: sudo sysctl {name}={wanted}, or use podman"
    return None


@contextlib.contextmanager
def _scratch(name: str, needed: bool) -> Iterator[Path]:
    """A folder for changes that are thrown away: on disk, as memory is limited. Left-overs of this name go first."""
    for left in Path(tempfile.gettempdir()).glob(f"redgreen={name}=*"):
        if left.lstat().st_uid == os.geteuid() and not left.is_symlink():
            _delete(left)
    if not needed:
        yield Path(os.devnull)
        return
    folder = Path(tempfile.mkdtemp(prefix=f"redgreen={name}="))
    try:
        yield folder
    finally:
        _delete(folder)


def _source(mount: Mount, scratch: Path) -> Path | Layer:
    try:
        source = mount.source.resolve(strict=True)
    except OSError:
        raise InfrastructureError(
            f"{mount.source}: to be mounted, but not there", "run the stage before again"
        ) from None
    if mount.mode != "overlay":
        return source
    if not source.is_dir():
        raise InfrastructureError(f"{source}: an overlay needs a folder", "mount a file ro or rw")
    upper = (mount.upper or scratch).resolve()
    # the work folder must be on the file system of the upper one
    return Layer(source, upper, upper.with_name(upper.name + ".work"), kept=mount.upper is not None)


def _resource_limits(limits: Limits, group: cgroups.Group) -> dict[str, int]:
    """prlimit's options; none above our own hard limit, which only root may raise."""
    wanted = {
        "core": (resource.RLIMIT_CORE, 0),
        "nofile": (resource.RLIMIT_NOFILE, limits.open_files),
        "fsize": (resource.RLIMIT_FSIZE, limits.file_bytes),
    }
    if "memory" not in group.folders:
        wanted["data"] = (resource.RLIMIT_DATA, limits.memory_bytes)
    if "pids" not in group.folders:
        wanted["nproc"] = (resource.RLIMIT_NPROC, limits.processes)
    hard = {name: resource.getrlimit(kind)[1] for name, (kind, _) in wanted.items()}
    return {
        name: value if hard[name] == resource.RLIM_INFINITY else min(value, hard[name])
        for name, (_, value) in wanted.items()
    }
