"""podman, through its API (podman-py): one fresh container per command, removed when it ends.

The API service is started on demand, serves every stage of this user and leaves by itself when it is idle. Root uses
podman's own overlay mounts; memory, processes, files, output and time are limited by the container.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters.sandboxes.podman_attach import Attached
from redgreen.contract import ROOT
from redgreen.errors import InfrastructureError
from redgreen.mirrors import locked
from redgreen.sandbox import Command, Finished, Mount, written_by
from redgreen.space import room_in
from redgreen.unfinished import is_gone, prefix_in

if TYPE_CHECKING:
    from podman import PodmanClient

UID = 1000
IDLE_S = 300
OWNER, PURPOSE = "redgreen-process", "redgreen-label"
DEFAULT_VARIABLES = {"HOME": "/redgreen/home", "LANG": "C.UTF-8", "TZ": "UTC"}


def configuration() -> dict[str, str]:
    """The environment that podman is started with: where runc is there, it is used, as crun refuses hybrid cgroups."""
    if "CONTAINERS_CONF" in os.environ or not shutil.which("runc"):
        return dict(os.environ)
    return {**os.environ, "CONTAINERS_CONF": str(ROOT / "containers" / "containers.conf")}


def runtime_folder() -> Path:
    """A folder of this user alone, for the service's socket: short, as a socket's address holds 107 bytes."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = Path(base) / f"redgreen-podman-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise InfrastructureError(f"{folder}: belongs to another user", "remove it, or set XDG_RUNTIME_DIR")
    return folder


class PodmanSandbox:
    name = "podman"

    def __init__(self, image: str) -> None:
        """`image` is an image's id or name; its digest goes into the documents."""
        self._image = image

    @cached_property
    def image(self) -> str | None:
        if re.fullmatch(r"sha256:[0-9a-f]{64}", self._image):
            return self._image.removeprefix("sha256:")  # podman need not be asked, nor its client be loaded
        return str(self._json("get", f"/images/{self._image}/json")["Id"])

    def has_image(self) -> bool:
        try:
            self._json("get", f"/images/{self._image}/exists")
        except InfrastructureError:
            return False
        return True

    @cached_property
    def _client(self) -> PodmanClient:
        from podman import PodmanClient

        path = self._path
        with locked(path.with_suffix(".lock")):
            if not _answers(path):
                _start_service(path)
        client = PodmanClient(base_url=f"unix://{path}", timeout=24 * 3600)
        _end_orphans(client)
        return client

    @cached_property
    def _path(self) -> Path:
        return runtime_folder() / "podman.sock"

    def _json(self, verb: str, path: str, **options: Any) -> Any:
        import requests

        try:
            response = getattr(self._client.api, verb)(path, **options)
        except (requests.RequestException, OSError) as error:
            raise InfrastructureError(f"podman: {_short(error)}", "run `make doctor`") from None
        if response.status_code >= 400:
            message = response.json().get("message", "") if response.content else ""
            raise InfrastructureError(f"podman: {message or response.status_code}", "run `make doctor`")
        return response.json() if response.content else None

    def run(self, command: Command) -> Finished:
        for mount in command.mounts:
            if not mount.source.exists():
                raise InfrastructureError(f"{mount.source}: to be mounted, but not there", "run the stage before again")
        with self._container(command) as container, ExitStack() as room:
            static = Path(self._json("get", f"/containers/{container}/json")["StaticDir"])  # where it writes to
            room.enter_context(room_in([static, *written_by(command)]))
            started = time.monotonic()
            # attached between init and start: no word is lost, and podman need not keep a log of what may be endless
            self._json("post", f"/containers/{container}/init")
            with Attached(self._path, container, command.limits.output_bytes) as attached:
                self._json("post", f"/containers/{container}/start")
                status = self._wait(container)
                seconds = time.monotonic() - started
            state = self._json("get", f"/containers/{container}/json")["State"]
            output, errors = attached.output, attached.errors
        if state.get("OOMKilled"):
            return Finished(None, "out_of_memory", output, errors, seconds)
        if seconds >= _whole_seconds(command.limits.timeout_s):
            return Finished(None, "timeout", output, errors, seconds)
        if status == 1 and b"catatonit" in errors and b"failed to exec pid1" in errors:
            status = 127  # what a shell says of a command that is not there
        return Finished(status, "exited", output, errors, seconds)

    @contextmanager
    def _container(self, command: Command) -> Iterator[str]:
        name = f"redgreen-{hashlib.sha256(command.label.encode()).hexdigest()[:20]}" if command.label else None
        if name:
            _remove(self._client, name)
        with tempfile.TemporaryDirectory(prefix=prefix_in(Path(tempfile.gettempdir()), "redgreen-work-")) as work:
            specification = self._specification(command, Path(work))
            if name:
                specification["name"] = name
            container = str(self._json("post", "/containers/create", data=json.dumps(specification))["Id"])
            try:
                yield container
            finally:
                _remove(self._client, container)

    def _wait(self, container: str) -> int:
        # asked for every 20 ms: podman's own interval of 250 ms is longer than many a test suite
        return int(
            self._json("post", f"/containers/{container}/wait", params={"condition": "exited", "interval": "20ms"})
        )

    def _specification(self, command: Command, work: Path) -> dict[str, Any]:
        limits = command.limits
        # podman's own timeout ends the container even if this process is killed meanwhile
        return {
            "image": self._image,
            "labels": {OWNER: str(os.getpid()), PURPOSE: command.label},
            "entrypoint": [],
            "command": list(command.argv),
            "env": {**DEFAULT_VARIABLES, **command.variables},
            "httpproxy": False,
            "user": f"{UID}:{UID}",
            "work_dir": command.workdir,
            "init": True,
            "cap_drop": ["ALL"],
            "no_new_privileges": True,
            "read_only_filesystem": True,
            "hostname": "redgreen",
            "netns": {"nsmode": "host" if command.network else "none"},
            "mounts": [
                *self._scratch(command, work),
                *(_bind(m) for m in command.mounts if m.mode != "overlay"),
                *self._certificates(command),
            ],
            "overlay_volumes": [_overlay(m, work) for m in command.mounts if m.mode == "overlay"],
            "resource_limits": {
                "memory": {"limit": limits.memory_bytes, "swap": limits.memory_bytes},
                "pids": {"limit": limits.processes},
            },
            "r_limits": [
                {"type": "nofile", "hard": limits.open_files, "soft": limits.open_files},
                {"type": "fsize", "hard": limits.file_bytes, "soft": limits.file_bytes},
                {"type": "core", "hard": 0, "soft": 0},
                {"type": "nproc", "hard": 4096, "soft": 4096},
            ],
            "timeout": _whole_seconds(limits.timeout_s),
            "log_configuration": {"driver": "none"},
            "stop_timeout": 0,
        }

    def _scratch(self, command: Command, work: Path) -> list[dict[str, Any]]:
        """Places to write, gone with the container.

        runc gives a tmpfs the mode that the image's folder has, which serves for /tmp; the home is a folder of ours.
        """
        options = ["rw", "nosuid", "nodev", "mode=1777", "size=2g"]
        places = [
            {"type": "tmpfs", "source": "tmpfs", "destination": place, "options": options}
            for place in ("/tmp", "/var/tmp")
        ]
        folders = {"/redgreen/home": 0o1777}
        if any(mount.target.startswith("/root/") for mount in command.mounts):
            folders["/root"] = 0o755  # the image's is closed; a way through to an interpreter that is mounted below it
        for place, mode in folders.items():
            folder = work / Path(place).name
            folder.mkdir()
            folder.chmod(mode)
            places.append(_bind(Mount(folder, place, "rw")))
        return places

    def _certificates(self, command: Command) -> list[dict[str, Any]]:
        """With the network, the host's certificate bundle too: a site's proxy may sign with an authority of its own."""
        bundle = Path("/etc/ssl/certs/ca-certificates.crt")
        return [_bind(Mount(bundle, str(bundle)))] if command.network and bundle.is_file() else []

    def own(self, folder: Path) -> None:
        if os.getuid() == 0:
            subprocess.run(["chown", "-R", "-h", f"{UID}:{UID}", str(folder)], check=True)
        else:
            subprocess.run(["podman", "unshare", "chown", "-R", "-h", f"{UID}:{UID}", str(folder)], check=True)

    def remove(self, folder: Path) -> None:
        if not folder.exists():
            return
        _ = self._client  # no orphan may go on writing there
        if os.getuid() == 0:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            subprocess.run(["podman", "unshare", "rm", "-rf", str(folder)], check=False)


def _end_orphans(client: PodmanClient) -> None:
    """Containers outlive a killed stage: end those whose process is gone, before anything that they write is used."""
    listed = client.api.get("/containers/json", params={"all": True, "filters": json.dumps({"label": [OWNER]})})
    for container in listed.json() if listed.status_code == 200 else ():
        if is_gone(int(container["Labels"][OWNER])):
            _remove(client, container["Id"])


def _remove(client: PodmanClient, container: str) -> None:
    params = {"force": True, "v": True, "timeout": 0, "ignore": True}
    client.api.delete(f"/containers/{container}", params=params).close()


def _whole_seconds(limit: float) -> int:
    return max(1, math.ceil(limit))


def _bind(mount: Mount) -> dict[str, Any]:
    options = ["rbind", "rw" if mount.mode == "rw" else "ro", "nosuid", "nodev"]
    return {"type": "bind", "source": str(mount.source.resolve()), "destination": mount.target, "options": options}


def _overlay(mount: Mount, work: Path) -> dict[str, Any]:
    overlay: dict[str, Any] = {"source": str(mount.source.resolve()), "destination": mount.target}
    if mount.upper is not None:
        # the work folder must be on the same file system as the upper one
        scratch = mount.upper.resolve().with_name(mount.upper.name + ".work")
        scratch.mkdir(exist_ok=True)
        overlay["options"] = [f"upperdir={mount.upper.resolve()}", f"workdir={scratch}"]
    return overlay


def _short(error: Exception) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__


def _answers(path: Path) -> bool:
    from podman import PodmanClient

    try:
        with PodmanClient(base_url=f"unix://{path}", timeout=5) as client:
            return bool(client.ping())
    except Exception:  # (podman-py lets many kinds through; each means: not there)
        return False


def _start_service(path: Path) -> None:
    path.unlink(missing_ok=True)
    try:
        # a session of its own: ending one stage must not end the service that its neighbours use
        with path.with_suffix(".log").open("wb") as log:
            subprocess.Popen(
                ["podman", "system", "service", f"--time={IDLE_S}", f"unix://{path}"],
                env=configuration(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=path.parent,
            )
    except FileNotFoundError:
        raise InfrastructureError("podman: not found", "install podman, or use SANDBOX=process") from None
    deadline = time.monotonic() + 20
    while not _answers(path):
        if time.monotonic() > deadline:
            said = path.with_suffix(".log").read_text(errors="replace").strip().splitlines()
            raise InfrastructureError(
                f"podman: its service does not answer: {said[-1] if said else 'no word'}", "run `make doctor`"
            )
        time.sleep(0.05)
