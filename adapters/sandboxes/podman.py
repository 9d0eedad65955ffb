"""podman, through its API: one fresh container per command, removed when it ends.

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
from typing import Any

from adapters.sandboxes.podman_attach import Attached
from adapters.sandboxes.podman_service import Service, started
from redgreen.errors import InfrastructureError
from redgreen.sandbox import Command, Finished, Mount, written_by
from redgreen.space import room_in
from redgreen.unfinished import is_gone, prefix_in

UID = 1000
OWNER, PURPOSE = "redgreen-process", "redgreen-label"
DEFAULT_VARIABLES = {"HOME": "/redgreen/home", "LANG": "C.UTF-8", "TZ": "UTC"}


class PodmanSandbox:
    name = "podman"

    def __init__(self, image: str) -> None:
        """`image` is an image's id or name; its digest goes into the documents."""
        self._image = image

    @cached_property
    def image(self) -> str | None:
        if re.fullmatch(r"sha256:[0-9a-f]{64}", self._image):
            return self._image.removeprefix("sha256:")  # podman need not be asked
        return str(self._service.demand("GET", f"/images/{self._image}/json")["Id"])

    def has_image(self) -> bool:
        return self._service.ask("GET", f"/images/{self._image}/exists")[0] < 400

    @cached_property
    def _service(self) -> Service:
        service = started()
        _end_orphans(service)
        return service

    def run(self, command: Command) -> Finished:
        for mount in command.mounts:
            if not mount.source.exists():
                raise InfrastructureError(f"{mount.source}: to be mounted, but not there", "run the stage before again")
        with self._container(command) as container, ExitStack() as room:
            static = Path(
                self._service.demand("GET", f"/containers/{container}/json")["StaticDir"]
            )  # where it writes to
            room.enter_context(room_in([static, *written_by(command)]))
            began = time.monotonic()
            # attached between init and start: no word is lost, and podman need not keep a log of what may be endless
            self._service.demand("POST", f"/containers/{container}/init")
            with Attached(self._service.path, container, command.limits.output_bytes) as attached:
                self._service.demand("POST", f"/containers/{container}/start")
                status = self._wait(container)
                seconds = time.monotonic() - began
            state = self._service.demand("GET", f"/containers/{container}/json")["State"]
            output, errors = attached.output, attached.errors
        if state.get("OOMKilled"):
            return Finished(None, "out_of_memory", output, errors, seconds)
        # -1 is conmon's word for a container that it ended; its clock has a grain, and may be a moment early
        if seconds >= _whole_seconds(command.limits.timeout_s) - (0.25 if status < 0 else 0):
            return Finished(None, "timeout", output, errors, seconds)
        if status < 0:
            raise InfrastructureError("podman: lost a command's exit status", "run the same command again")
        if status == 1 and b"catatonit" in errors and b"failed to exec pid1" in errors:
            status = 127  # what a shell says of a command that is not there
        return Finished(status, "exited", output, errors, seconds)

    @contextmanager
    def _container(self, command: Command) -> Iterator[str]:
        name = f"redgreen-{hashlib.sha256(command.label.encode()).hexdigest()[:20]}" if command.label else None
        if name:
            _remove(self._service, name)
        with tempfile.TemporaryDirectory(prefix=prefix_in(Path(tempfile.gettempdir()), "redgreen-work-")) as work:
            specification = self._specification(command, Path(work))
            if name:
                specification["name"] = name
            container = str(self._service.demand("POST", "/containers/create", body=specification)["Id"])
            try:
                yield container
            finally:
                _remove(self._service, container)

    def _wait(self, container: str) -> int:
        # asked for every 20 ms: podman's own interval of 250 ms is longer than many a test suite
        return int(
            self._service.demand(
                "POST", f"/containers/{container}/wait", params={"condition": "exited", "interval": "20ms"}
            )
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
        _ = self._service  # no orphan may go on writing there
        if os.getuid() == 0:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            subprocess.run(["podman", "unshare", "rm", "-rf", str(folder)], check=False)


def _end_orphans(service: Service) -> None:
    """Containers outlive a killed stage: end those whose process is gone, before anything that they write is used."""
    filters = {"all": "true", "filters": json.dumps({"label": [OWNER]})}
    status, listed = service.ask("GET", "/containers/json", params=filters)
    for container in listed if status == 200 else ():
        if is_gone(int(container["Labels"][OWNER])):
            _remove(service, container["Id"])


def _remove(service: Service, container: str) -> None:
    """Gone before too is fine; a container that podman cannot remove ends by its own time limit."""
    params = {"force": "true", "v": "true", "timeout": "0", "ignore": "true"}
    service.ask("DELETE", f"/containers/{container}", params=params)


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
