"""The contract of every sandbox. `process-as-user` is what ordinary users get: a user namespace, no memory group."""

from __future__ import annotations

import contextlib
import http.server
import os
import re
import secrets
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from adapters.sandboxes import cgroups
from adapters.sandboxes.process import ProcessSandbox, _forbidden_namespaces
from redgreen.errors import InfrastructureError, UsageError
from redgreen.sandbox import BOX, Command, Finished, Limits, Mount, Sandbox

DAEMON = """
import os, subprocess, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(float(sys.argv[2]))
    os._exit(0)
time.sleep(float(sys.argv[3]))
"""
FORK_SOME = """
import os, time
started = 0
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(10)
            os._exit(0)
        started += 1
except OSError:
    pass
print(started, flush=True)
"""
CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 3)"
ALLOCATE = "kept = [bytearray(b'x' * (16 << 20)) for _ in range(40)]; print(len(kept))"


def _missing(what: str) -> Sandbox:
    if os.environ.get("CI"):
        pytest.fail(f"missing in CI: {what}")
    pytest.skip(what)


@pytest.fixture(params=["process", "process-as-user", "podman"])
def sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    if request.param == "podman":
        found: Sandbox = request.getfixturevalue("podman")
        return found
    if request.param == "process-as-user":
        # the group for processes stays, as the kernel never holds root to RLIMIT_NPROC
        parents = {name: path for name, path in cgroups._parents().items() if name == "pids"}
        monkeypatch.setattr(cgroups, "_parents", lambda: parents)
    process = ProcessSandbox(privileged=False if request.param == "process-as-user" else None)
    missing = _probed(request.param)
    return _missing(missing) if missing else process


@cache
def _probed(kind: str) -> str | None:
    return ProcessSandbox(privileged=False if kind == "process-as-user" else None).probe()


@pytest.fixture
def folder(sandbox: Sandbox, tmp_path: Path) -> Iterator[Path]:
    """A host folder with a file and a folder in it, that commands may write to."""
    made = tmp_path / "folder"
    (made / "sub").mkdir(parents=True)
    (made / "old").write_text("old\n")
    (made / "sub" / "inner").write_text("inner\n")
    sandbox.own(made)
    yield made
    sandbox.remove(made)


def run(
    sandbox: Sandbox,
    *argv: str,
    mounts: Sequence[Mount] = (),
    variables: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    network: bool = False,
    workdir: str = "/",
) -> Finished:
    limits = limits or Limits(timeout_s=60)
    return sandbox.run(Command(argv, mounts, variables or {}, workdir, network, limits))


def text(finished: Finished) -> str:
    """Standard output of a command that must have worked."""
    assert (finished.exit_status, finished.ended) == (0, "exited"), finished
    return finished.stdout.decode()


def processes_with(token: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if token.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def gone(token: str, within_s: float = 3) -> bool:
    deadline = time.monotonic() + within_s
    while processes_with(token) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not processes_with(token)


@pytest.mark.parametrize("status", [0, 1, 5, 255])
def test_the_exit_status_of_the_command_comes_back(sandbox: Sandbox, status: int) -> None:
    finished = run(sandbox, "sh", "-c", f"exit {status}")
    assert (finished.exit_status, finished.ended, finished.stderr) == (status, "exited", b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_a_command_ended_by_a_signal_has_128_and_its_number(sandbox: Sandbox, number: signal.Signals) -> None:
    finished = run(sandbox, "sh", "-c", f"kill -{int(number)} $$; sleep 5")
    assert (finished.exit_status, finished.ended, finished.stderr) == (128 + number, "exited", b"")


def test_a_missing_executable_ends_with_127_and_a_word(sandbox: Sandbox) -> None:
    finished = run(sandbox, "no-such-command")
    assert (finished.exit_status, finished.ended) == (127, "exited")
    assert b"No such file or directory" in finished.stderr


def test_standard_output_and_error_stay_apart(sandbox: Sandbox) -> None:
    finished = run(sandbox, "sh", "-c", "echo out; echo err >&2")
    assert (finished.stdout, finished.stderr) == (b"out\n", b"err\n")


def test_standard_input_is_empty(sandbox: Sandbox) -> None:
    assert text(run(sandbox, "cat")) == ""


def test_arguments_and_variables_arrive_byte_for_byte(sandbox: Sandbox) -> None:
    odd = 'a\'b "c" $HOME `id` \\ é\nsecond line'
    code = "import os, sys; sys.stdout.write('|'.join([*sys.argv[1:], os.environ['ODD']]))"
    assert text(run(sandbox, "python3", "-c", code, odd, "", "--", variables={"ODD": odd})) == f"{odd}||--|{odd}"


def test_more_output_than_the_limit_is_dropped_with_a_note(sandbox: Sandbox) -> None:
    line = b"y" * 999 + b"\n"
    script = f"yes {'y' * 999} | head -c 20000000; yes {'y' * 999} | head -c 20000000 >&2; echo no more"
    finished = run(sandbox, "sh", "-c", script, limits=Limits(timeout_s=60, output_bytes=100_000))
    assert finished.exit_status == 0
    for stream in (finished.stdout, finished.stderr):
        assert stream[:99_000] == line * 99
        assert b"dropped" in stream[99_000:]
        assert len(stream) < 100_200


def test_endless_output_ends_at_the_timeout(sandbox: Sandbox) -> None:
    finished = run(sandbox, "yes", "y" * 999, limits=Limits(timeout_s=1, output_bytes=10_000))
    assert (finished.exit_status, finished.ended) == (None, "timeout")
    assert len(finished.stdout) < 10_200


def test_no_variable_of_the_host_is_passed_on(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDGREEN_FAKE_KEY", "do-not-leak")
    inside = text(run(sandbox, "env", variables={"GIVEN": "1"}))
    assert "GIVEN=1\n" in inside
    assert "HOME=/redgreen/home\n" in inside
    assert "do-not-leak" not in inside


def test_the_home_and_the_temporary_folder_are_empty_and_writable(sandbox: Sandbox) -> None:
    script = "ls -A ~ /tmp | grep -v -e :$ -e ^$; cd && touch a /tmp/b /dev/shm/c && echo ok"
    assert text(run(sandbox, "sh", "-c", script)) == "ok\n"


def test_nothing_outside_the_scratch_places_can_be_written(sandbox: Sandbox) -> None:
    script = "for d in / /etc /usr /usr/bin /redgreen /dev; do (: >$d/new) 2>/dev/null && echo $d; done; :"
    assert text(run(sandbox, "sh", "-c", script)) == ""


def test_files_of_the_host_cannot_be_seen(sandbox: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    places = [secret, Path.home(), *Path("/home").iterdir()]
    script = 'for p in "$@" /root/.ssh /run/user; do ls -A "$p" 2>/dev/null; done; cat "$1" 2>&1; :'
    finished = run(sandbox, "sh", "-c", script, "sh", *map(str, places))
    assert re.fullmatch(r"cat: .*: (No such file or directory|Permission denied)\n", text(finished))


def test_processes_of_the_host_cannot_be_seen(sandbox: Sandbox) -> None:
    token = secrets.token_hex(8)
    with subprocess.Popen(["sleep", f"60.{int(token, 16)}"]) as neighbour:
        try:
            inside = text(run(sandbox, "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"))
        finally:
            neighbour.kill()
    assert "cat" in inside
    assert str(int(token, 16)) not in inside


@pytest.fixture
def server_port() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_without_network_a_server_of_the_host_is_out_of_reach(sandbox: Sandbox, server_port: int) -> None:
    finished = run(sandbox, "python3", "-c", CONNECT, str(server_port))
    assert finished.exit_status == 1
    assert b"ConnectionRefusedError" in finished.stderr


def test_without_network_there_is_an_own_loopback_that_works(sandbox: Sandbox) -> None:
    code = (
        "import os, socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname(), 3); "
        "print([name for _, name in socket.if_nameindex()])"
    )
    assert "'lo'" in text(run(sandbox, "python3", "-c", code))


def test_with_network_the_host_is_reached_and_names_can_be_asked_for(sandbox: Sandbox, server_port: int) -> None:
    code = f"{CONNECT}; import ssl; known = ssl.create_default_context().get_ca_certs()\n"
    code += "print(open('/etc/resolv.conf').read(), len(known))"
    *resolver, authorities = text(run(sandbox, "python3", "-c", code, str(server_port), network=True)).split()
    assert "nameserver" in resolver
    assert int(authorities) > 0


def test_a_read_only_mount_shows_files_and_refuses_writes(sandbox: Sandbox, folder: Path) -> None:
    script = f"cat {BOX}/old; for f in old new sub/new; do (echo bad >{BOX}/$f) 2>/dev/null && echo $f; done; :"
    assert text(run(sandbox, "sh", "-c", script, mounts=[Mount(folder, BOX)])) == "old\n"
    assert (folder / "old").read_text() == "old\n"


def test_a_single_file_can_be_mounted(sandbox: Sandbox, folder: Path) -> None:
    mounts = [Mount(folder / "old", "/redgreen/home/.config/x"), Mount(folder / "sub" / "inner", "/redgreen/inner")]
    script = "cat ~/.config/x /redgreen/inner"
    assert text(run(sandbox, "sh", "-c", script, mounts=mounts)) == "old\ninner\n"


def test_a_writable_mount_keeps_what_is_written(sandbox: Sandbox, folder: Path) -> None:
    script = f"echo new >{BOX}/new && rm {BOX}/old && mkdir {BOX}/made"
    text(run(sandbox, "sh", "-c", script, mounts=[Mount(folder, BOX, "rw")]))
    assert sorted(path.name for path in folder.iterdir()) == ["made", "new", "sub"]


def test_a_mount_may_lie_in_another_mount(sandbox: Sandbox, folder: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "deep").write_text("deep\n")
    mounts = [Mount(folder, BOX, "overlay"), Mount(inner, f"{BOX}/sub/more")]
    script = f"cat {BOX}/old {BOX}/sub/more/deep; touch {BOX}/sub/more/new 2>/dev/null || echo refused"
    assert text(run(sandbox, "sh", "-c", script, mounts=mounts)) == "old\ndeep\nrefused\n"
    assert sorted(path.name for path in inner.iterdir()) == ["deep"]
    assert not (folder / "sub" / "more").exists()


def test_an_overlay_keeps_the_folder_and_puts_changes_in_upper(sandbox: Sandbox, folder: Path, tmp_path: Path) -> None:
    upper = tmp_path / "upper"
    upper.mkdir()
    script = f"cd {BOX} && echo changed >>old && echo new >new && rm sub/inner && mkdir -p made/deep && cat old"
    finished = run(sandbox, "sh", "-c", script, mounts=[Mount(folder, BOX, "overlay", upper)])
    assert text(finished) == "old\nchanged\n"
    assert (folder / "old").read_text() == "old\n"
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")) == ["old", "sub", "sub/inner"]
    changes = sorted(path.relative_to(upper).as_posix() for path in upper.rglob("*"))
    assert changes == ["made", "made/deep", "new", "old", "sub", "sub/inner"]
    assert (upper / "old").read_text() == "old\nchanged\n"
    whiteout = (upper / "sub" / "inner").lstat()
    assert stat.S_ISCHR(whiteout.st_mode) and whiteout.st_rdev == 0
    sandbox.remove(upper)
    assert not upper.exists()


def test_an_overlay_goes_on_from_what_upper_holds(sandbox: Sandbox, folder: Path, tmp_path: Path) -> None:
    upper = tmp_path / "upper"
    upper.mkdir()
    mounts = [Mount(folder, BOX, "overlay", upper)]
    text(run(sandbox, "sh", "-c", f"cd {BOX} && rm old && rm -r sub && mkdir sub && echo 1 >sub/one", mounts=mounts))
    assert text(run(sandbox, "sh", "-c", f"cd {BOX} && find . | sort", mounts=mounts)) == ".\n./sub\n./sub/one\n"
    sandbox.remove(upper)


def test_an_overlay_without_upper_throws_changes_away(sandbox: Sandbox, folder: Path) -> None:
    mounts = [Mount(folder, BOX, "overlay")]
    script = f"cd {BOX} && rm old && rm -r sub && mkdir sub && echo new >sub/new && find . | sort"
    for _ in range(2):
        assert text(run(sandbox, "sh", "-c", script, mounts=mounts)) == ".\n./sub\n./sub/new\n"
    assert (folder / "sub" / "inner").read_text() == "inner\n"


def test_a_link_in_a_folder_does_not_lead_mounts_to_the_host(sandbox: Sandbox, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for name, target in (("direct", outside), ("by-host", Path(f"/host{outside}"))):
        (folder / name).symlink_to(target)
        mounts = [Mount(folder, BOX, "rw"), Mount(folder / "sub", f"{BOX}/{name}/made")]
        with contextlib.suppress(InfrastructureError):
            run(sandbox, "true", mounts=mounts)
    assert list(outside.iterdir()) == []


def test_the_command_is_an_ordinary_user_without_capabilities(sandbox: Sandbox) -> None:
    status = text(run(sandbox, "cat", "/proc/self/status"))
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["Uid"].split() == fields["Gid"].split() == ["1000"] * 4
    assert {name: int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {
        "CapInh": 0,
        "CapPrm": 0,
        "CapEff": 0,
        "CapBnd": 0,
        "CapAmb": 0,
    }
    assert fields["NoNewPrivs"] == "1"


def test_the_timeout_ends_grandchildren_with_a_session_of_their_own(sandbox: Sandbox) -> None:
    token = secrets.token_hex(8)
    started = time.monotonic()
    finished = run(sandbox, "python3", "-c", DAEMON, token, "60", "60", limits=Limits(timeout_s=2))
    assert (finished.exit_status, finished.ended) == (None, "timeout")
    assert time.monotonic() - started < 6
    assert processes_with(token) == []


def test_what_was_said_before_the_timeout_is_kept(sandbox: Sandbox) -> None:
    finished = run(sandbox, "sh", "-c", "echo before; echo word >&2; sleep 60", limits=Limits(timeout_s=2))
    assert (finished.ended, finished.stdout, finished.stderr) == ("timeout", b"before\n", b"word\n")


def test_grandchildren_end_with_the_command(sandbox: Sandbox) -> None:
    token = secrets.token_hex(8)
    finished = run(sandbox, "python3", "-c", DAEMON, token, "60", "0.1")
    assert (finished.exit_status, finished.ended) == (0, "exited")
    assert finished.seconds < 20
    assert gone(token)


def test_no_more_processes_start_than_the_limit(sandbox: Sandbox) -> None:
    limits = Limits(timeout_s=30, processes=24)
    assert 1 <= int(text(run(sandbox, "python3", "-c", FORK_SOME, limits=limits))) <= 24


def test_a_file_cannot_grow_beyond_the_limit(sandbox: Sandbox) -> None:
    script = "head -c 3000000 /dev/zero >/tmp/big; echo $?; wc -c </tmp/big"
    status, size = text(run(sandbox, "sh", "-c", script, limits=Limits(timeout_s=30, file_bytes=1 << 20))).split()
    assert (status != "0", size) == (True, str(1 << 20))


def test_more_files_than_the_limit_cannot_be_open(sandbox: Sandbox) -> None:
    limits = Limits(timeout_s=30, open_files=64)
    assert text(run(sandbox, "sh", "-c", "ulimit -n; ulimit -Hn; ulimit -c", limits=limits)) == "64\n64\n0\n"


def test_memory_beyond_the_limit_is_not_to_be_had(sandbox: Sandbox) -> None:
    finished = run(sandbox, "python3", "-c", ALLOCATE, limits=Limits(timeout_s=60, memory_bytes=256 << 20))
    assert finished.stdout == b""
    assert finished.ended == "out_of_memory" or finished.exit_status not in (0, None)


def test_running_out_of_memory_is_reported_where_a_control_group_says_so() -> None:
    if "memory" not in cgroups._parents():
        pytest.skip("no memory control group may be made here")
    limits = Limits(timeout_s=60, memory_bytes=256 << 20)
    finished = ProcessSandbox().run(Command(["python3", "-c", ALLOCATE], limits=limits))
    assert (finished.exit_status, finished.ended) == (None, "out_of_memory")


def test_a_missing_mount_source_is_an_infrastructure_error(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="nowhere"):
        run(sandbox, "true", mounts=[Mount(tmp_path / "nowhere", BOX)])


def test_a_missing_working_folder_is_an_infrastructure_error(sandbox: Sandbox) -> None:
    with pytest.raises(InfrastructureError, match="nowhere"):
        run(sandbox, "true", workdir="/nowhere")


def test_the_command_starts_in_its_working_folder(sandbox: Sandbox, folder: Path) -> None:
    assert text(run(sandbox, "cat", "old", mounts=[Mount(folder, BOX)], workdir=BOX)) == "old\n"


def test_remove_deletes_folders_that_forbid_it(sandbox: Sandbox, folder: Path) -> None:
    script = f"cd {BOX} && mkdir -p a/b && touch a/b/c && chmod 0 a/b && chmod 0555 a . && ln -s /etc link"
    run(sandbox, "sh", "-c", script, mounts=[Mount(folder, BOX, "rw")])
    sandbox.remove(folder)
    assert not folder.exists()
    assert Path("/etc/passwd").exists()


def test_a_label_can_be_used_again_and_again(sandbox: Sandbox) -> None:
    for _ in range(2):
        command = Command(["echo", "hello"], limits=Limits(timeout_s=30), label="a label / with ../ odd parts")
        assert text(sandbox.run(command)) == "hello\n"


def test_a_sandbox_ends_with_the_process_that_waits_for_it_and_the_next_run_tidies_up(tmp_path: Path) -> None:
    token = secrets.token_hex(8)
    code = (
        "from adapters.sandboxes.process import ProcessSandbox; from redgreen.sandbox import Command, Mount\n"
        "import sys; from pathlib import Path; argv = ['python3', '-c', sys.argv[1], sys.argv[2], '60', '60']\n"
        "mounts = [Mount(Path(sys.argv[3]), '/redgreen/box', 'overlay')]\n"
        "ProcessSandbox().run(Command(argv, mounts, label=sys.argv[2]))"
    )
    with subprocess.Popen([sys.executable, "-c", code, DAEMON, token, str(tmp_path)]) as starter:
        deadline = time.monotonic() + 10
        while len(processes_with(token)) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        inside = len(processes_with(token))
        starter.kill()
    assert inside >= 3
    assert gone(token)
    assert list(Path(tempfile.gettempdir()).glob(f"redgreen={token}=*")) != []
    ProcessSandbox().run(Command(["true"], label=token))
    assert list(Path(tempfile.gettempdir()).glob(f"redgreen={token}=*")) == []
    assert not any((parent / f"redgreen-{token}").exists() for parent in cgroups._parents().values())


def test_variables_cannot_be_read_from_a_command_line_of_the_host(sandbox: Sandbox) -> None:
    token = secrets.token_hex(8)
    seen: list[list[str]] = []

    def look() -> None:
        time.sleep(1)
        seen.append(processes_with(token))

    watcher = threading.Thread(target=look)
    watcher.start()
    text(run(sandbox, "sleep", "2", variables={"KEY": token}))
    watcher.join()
    assert seen == [[]]


def test_the_probe_names_missing_tools_and_their_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("adapters.sandboxes.process.TOOL_PATH", str(tmp_path))
    assert "install util-linux" in (ProcessSandbox().probe() or "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel.unprivileged_userns_clone", "0"),
        ("user.max_user_namespaces", "0"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1"),
    ],
)
def test_the_probe_names_the_setting_that_forbids_namespaces(tmp_path: Path, name: str, value: str) -> None:
    path = tmp_path.joinpath(*name.split("."))
    path.parent.mkdir()
    path.write_text(f"{value}\n")
    assert f"sysctl {name}=" in (_forbidden_namespaces(tmp_path) or "")
    path.write_text("1\n" if value == "0" else "0\n")
    assert _forbidden_namespaces(tmp_path) is None


@pytest.mark.parametrize("target", ["relative", "/", "/a/../b"])
def test_a_place_that_cannot_be_mounted_at_is_a_usage_error(tmp_path: Path, target: str) -> None:
    with pytest.raises(UsageError, match="not a place to mount at"):
        ProcessSandbox().run(Command(["true"], [Mount(tmp_path, target)]))


def test_a_fallback_brings_the_loopback_up_without_iproute2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.sandboxes.private_root.shutil.which", lambda *_, **__: None)
    code = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname(), 3)"
    assert ProcessSandbox().run(Command(["python3", "-c", code])).exit_status == 0


def test_nothing_but_upper_is_left_beside_it(tmp_path: Path) -> None:
    for name in ("lower", "changes/upper"):
        (tmp_path / name).mkdir(parents=True)
    ProcessSandbox().run(Command(["true"], [Mount(tmp_path / "lower", BOX, "overlay", tmp_path / "changes" / "upper")]))
    assert [path.name for path in (tmp_path / "changes").iterdir()] == ["upper"]
