"""What runs inside the sandbox for Java: reports, canaries, the lock, the registry on the loopback."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

INSIDE = Path(__file__).parents[3] / "adapters" / "languages" / "inside"


def load(name: str) -> Any:
    """A module of those that run inside; they find each other by their folder."""
    if str(INSIDE) not in sys.path:
        sys.path.append(str(INSIDE))
    module: ModuleType = __import__(name)
    return module


reports, canary, lock, registry, runner, maven_watch = (
    load(name)
    for name in ("surefire_reports", "java_canary", "maven_lock", "maven_registry", "redgreen_maven", "maven_watch")
)
DIGEST = "0" * 64


# ---- reports ---------------------------------------------------------------------------------------------------------
def read(tmp_path: Path, **files: tuple[str, ...]) -> list[tuple[str, str]]:
    """(id, outcome) of each case of reports, name -> contents, in a tree that has org/example/ClockTest.java."""
    root = tmp_path / "tree" / "src" / "test" / "java"
    (root / "org" / "example").mkdir(parents=True, exist_ok=True)
    (root / "org" / "example" / "ClockTest.java").write_text("")
    written = {f"TEST-{name}.xml": [text.encode() for text in texts] for name, texts in files.items()}
    return [(case.id, case.outcome) for case in reports.read_all(written, str(tmp_path / "tree"), [str(root)])]


def suite(*cases: str, failures: int = 0) -> str:
    return f'<testsuite failures="{failures}" errors="0">{"".join(cases)}</testsuite>'


def report(tmp_path: Path, *cases: str, failures: int = 0) -> list[tuple[str, str]]:
    return read(tmp_path, a=(suite(*cases, failures=failures),))


def case(name: str, inner: str = "", of: str = "org.example.ClockTest") -> str:
    return f'<testcase name="{name}" classname="{of}">{inner}</testcase>'


FILE = "src/test/java/org/example/ClockTest.java"


def test_an_id_begins_with_the_file_of_the_class(tmp_path: Path) -> None:
    assert report(tmp_path, case("ticks"), case("", of="org.example.ClockTest$AtNight")) == [
        (f"{FILE}::ticks", "passed"),
        (f"{FILE}::AtNight", "passed"),
    ]


def test_nested_and_parameterized_tests_keep_their_names(tmp_path: Path) -> None:
    assert report(tmp_path, case("ticks(int)[2]", of="org.example.ClockTest$AtNight$Late"))[0][0] == (
        f"{FILE}::AtNight::Late::ticks(int)[2]"
    )


def test_a_class_without_a_file_of_its_own_is_named_below_the_source_folder(tmp_path: Path) -> None:
    assert report(tmp_path, case("ticks", of="org.example.Other"))[0][0] == "src/test/java::org.example.Other::ticks"


def test_tests_of_one_name_are_numbered(tmp_path: Path) -> None:
    assert [name for name, _ in report(tmp_path, case("data"), case("data"), case("data"))] == [
        f"{FILE}::data",
        f"{FILE}::data[#2]",
        f"{FILE}::data[#3]",
    ]


@pytest.mark.parametrize("child", ["failure", "error", "rerunFailure", "flakyFailure", "flakyError"])
def test_a_failure_stays_one_even_if_a_repeat_passed(child: str, tmp_path: Path) -> None:
    assert report(tmp_path, case("ticks", f"<{child}/>"), failures=1)[0][1] == "failed"


def test_skipped_is_neither_passed_nor_failed(tmp_path: Path) -> None:
    assert report(tmp_path, case("ticks", "<skipped/>"))[0][1] == "skipped"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<testsuite><testcase", "no XML"),
        ('<testsuite failures="0"><testcase name="a" classname="b"><failure/></testcase></testsuite>', "counts"),
        ('<testsuite failures="1"><testcase name="a" classname="b"/></testsuite>', "counts"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><testsuite>&a;</testsuite>', "document type"),
        ("<html/>", "no test suite"),
    ],
)
def test_a_report_that_is_cut_off_or_contradicts_itself_is_refused(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(reports.Refused, match=told):
        read(tmp_path, a=(text,))


def test_a_suite_whose_report_counts_nothing_is_read_by_its_cases(tmp_path: Path) -> None:
    cases = case("ticks") + case("ticks", "<failure/>", of="org.example.Other")
    text = f'<testsuite tests="0" failures="0">{cases}</testsuite>'
    assert [outcome for _, outcome in read(tmp_path, a=(text,))] == ["passed", "failed"]


def test_a_class_that_a_suite_runs_once_more_is_numbered_on(tmp_path: Path) -> None:
    assert read(tmp_path, a=(suite(case("ticks")),), b=(suite(case("ticks")),)) == [
        (f"{FILE}::ticks", "passed"),
        (f"{FILE}::ticks[#2]", "passed"),
    ]


@pytest.mark.parametrize(("inner", "outcome"), [("<failure/>", "failed"), ("<skipped/>", "skipped")])
def test_a_report_that_is_added_takes_back_no_other(inner: str, outcome: str, tmp_path: Path) -> None:
    genuine = suite(case("ticks", inner), failures=int(outcome == "failed"))
    assert {said for _, said in read(tmp_path, a=(suite(case("ticks")),), b=(genuine,))} == {outcome}
    assert read(tmp_path, a=(genuine, suite(case("ticks")))) == [(f"{FILE}::ticks", outcome)]


def test_a_name_that_looks_numbered_is_kept(tmp_path: Path) -> None:
    assert [name for name, _ in report(tmp_path, case("ticks[#2]"), case("ticks[#3]"))] == [
        f"{FILE}::ticks[#2]",
        f"{FILE}::ticks[#3]",
    ]


# ---- who wrote them --------------------------------------------------------------------------------------------------
def watched(tmp_path: Path, *steps: Callable[[Path], object]) -> Any:
    """What a watch holds of `reports/0` after Maven has opened its events and these were done in that folder."""
    watch = maven_watch.Watch(str(tmp_path))
    with (tmp_path / "events").open("w"):
        folder = tmp_path / "reports" / "0"
        folder.mkdir(parents=True)
        time.sleep(0.05)
        for step in steps:
            step(folder)
            time.sleep(0.05)
    (tmp_path / "events").read_bytes()
    watch.end()
    return watch.written_to(str(folder))


def writes(text: str, name: str = "TEST-a.xml") -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text)


def test_reports_are_kept_as_they_were_written(tmp_path: Path) -> None:
    assert watched(tmp_path, writes("one"), writes("two"), writes("x", "other.txt")) == {"TEST-a.xml": [b"one", b"two"]}


def test_a_report_that_is_deleted_is_kept(tmp_path: Path) -> None:
    assert watched(tmp_path, writes("one"), lambda folder: (folder / "TEST-a.xml").unlink()) == {"TEST-a.xml": [b"one"]}


def test_a_report_that_takes_another_s_place_is_one_more(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("two")
    assert watched(tmp_path, writes("one"), lambda folder: (tmp_path / "mine").rename(folder / "TEST-a.xml")) == {
        "TEST-a.xml": [b"one", b"two"]
    }


def test_a_report_that_is_written_over_at_once_is_not_forgotten(tmp_path: Path) -> None:
    seen = watched(tmp_path, lambda folder: [(folder / "TEST-a.xml").write_text(text) for text in "one"])["TEST-a.xml"]
    assert len(seen) == 3 and b"e" in seen


@pytest.mark.parametrize("name", ["org.example.ClockTest", "org.example.AllTests"])
def test_what_nobody_has_seen_may_only_be_the_report_of_several_classes(name: str, tmp_path: Path) -> None:
    root, last = str(tmp_path), suite(case("a"), case("b")).encode()
    for contents in ([last, None], [last[:40], last]):
        if name == "org.example.AllTests":
            assert len(reports.read_all({f"TEST-{name}.xml": contents}, root, [root])) == 2
        else:
            with pytest.raises(reports.Refused, match="wrote over"):
                reports.read_all({f"TEST-{name}.xml": contents}, root, [root])


HELD = []


def held_open(folder: Path) -> None:
    """Somebody who has opened the report before Surefire closes it, and changes it afterwards."""
    with (folder / "TEST-a.xml").open("w") as surefire:
        HELD.append((folder / "TEST-a.xml").open("r+"))
        surefire.write("one")
    HELD[-1].write("two")
    HELD[-1].flush()


@pytest.mark.parametrize(
    "step",
    [
        held_open,
        lambda folder: folder.rename(folder.parent / "1"),
        lambda folder: folder.parent.rename(folder.parents[1] / "mine"),
        lambda folder: (folder.parents[1] / "events").open("a").close(),
        lambda folder: (folder.parents[1] / "events").unlink(),
    ],
    ids=["a report held open", "a folder moved", "all folders moved", "events opened", "events deleted"],
)
def test_a_folder_that_somebody_else_worked_in_is_refused(step: Callable[[Path], object], tmp_path: Path) -> None:
    def kept_readable(folder: Path) -> None:
        step(folder)
        (tmp_path / "events").touch()

    with pytest.raises(reports.Refused):
        watched(tmp_path, kept_readable)


# ---- what a run comes to ---------------------------------------------------------------------------------------------
class Ended:
    def __init__(self, events: list[dict[str, str]], status: int = 0) -> None:
        self.events, self.status, self.watch = events, status, self

    def written_to(self, folder: str) -> dict[str, list[bytes]]:
        return {path.name: [path.read_bytes()] for path in Path(folder).iterdir()}

    def of(self, kind: str) -> list[dict[str, str]]:
        return [event for event in self.events if event["event"] == kind]


FAILURES = "LifecycleExecutionException: Failed to execute goal | MojoFailureException: There are test failures."
DIED = FAILURES + " | ExecutionException: The forked VM terminated without properly saying goodbye"


def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *events: dict[str, str], tested: str = "core", status: int = 0
) -> tuple[int, list[dict[str, Any]]]:
    """Exit status and events of a run in which Maven said this."""
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(runner.redgreen_events, "send", lambda **event: sent.append(event))
    monkeypatch.setattr(runner.maven_start, "TREE", str(tmp_path))
    modules = [
        {"event": "project", "module": name, "roots": str(tmp_path / name / "src/test/java")}
        for name in ("base", "core")
    ]
    ended = Ended([*modules, *events, {"event": "end"}], status)
    return runner.tell(ended, [tested], ["RedgreenabTest.java"]), sent


def suite_event(tmp_path: Path, *cases: str, ended: str = "MojoFailed", why: str = FAILURES) -> dict[str, str]:
    (tmp_path / "reports").mkdir(exist_ok=True)
    failures = sum("<failure" in text for text in cases)
    (tmp_path / "reports" / "TEST-a.xml").write_text(f'<testsuite failures="{failures}">{"".join(cases)}</testsuite>')
    roots = tmp_path / "core" / "src" / "test" / "java"
    roots.mkdir(parents=True, exist_ok=True)
    (roots / "RedgreenabTest.java").write_text("")
    (roots / "ATest.java").write_text("")
    return {
        "event": "tests",
        "module": "core",
        "ended": ended,
        "why": why,
        "roots": str(roots),
        "reports": str(tmp_path / "reports"),
    }


OURS = (case("redgreen_holds", of="RedgreenabTest"), case("redgreen_breaks", "<failure/>", of="RedgreenabTest"))


def kinds(sent: list[dict[str, Any]]) -> list[str]:
    return [event["event"] for event in sent]


def test_a_canary_that_breaks_is_not_what_the_status_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, sent = told(tmp_path, monkeypatch, suite_event(tmp_path, case("a", of="ATest"), *OURS))
    assert status == 0
    assert sent[-1] == {"event": "finish", "status": 0}
    assert [event["ids"] for event in sent if event["event"] == "canary"] == [
        [f"core/src/test/java/RedgreenabTest.java::redgreen_{what}" for what in ("holds", "breaks")]
    ]


def test_a_test_that_fails_is_the_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, sent = told(tmp_path, monkeypatch, suite_event(tmp_path, case("a", "<failure/>", of="ATest"), *OURS))
    assert (status, sent[-1]) == (1, {"event": "finish", "status": 1})


def test_a_process_that_died_does_not_finish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, sent = told(tmp_path, monkeypatch, suite_event(tmp_path, *OURS, why=DIED))
    assert "finish" not in kinds(sent)


def test_surefire_that_is_content_with_a_failure_does_not_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, sent = told(tmp_path, monkeypatch, suite_event(tmp_path, *OURS, ended="MojoSucceeded", why=""))
    assert "finish" not in kinds(sent)


def test_a_module_that_nobody_ran_does_not_finish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "finish" not in kinds(told(tmp_path, monkeypatch)[1])


def test_maven_that_ends_badly_does_not_finish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "finish" not in kinds(told(tmp_path, monkeypatch, suite_event(tmp_path, *OURS), status=1)[1])


def test_a_module_that_does_not_compile_is_broken_and_that_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = {"event": "goal", "module": "core", "goal": "maven-compiler-plugin:testCompile", "why": "x"}
    status, sent = told(tmp_path, monkeypatch, failed)
    assert status == 1
    assert sent == [{"event": "broken", "id": "core/src/test/java"}, {"event": "finish", "status": 1}]


def test_a_module_whose_needs_do_not_compile_is_broken_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = {"event": "goal", "module": "base", "goal": "maven-compiler-plugin:compile", "why": "x"}
    status, sent = told(tmp_path, monkeypatch, failed, suite_event(tmp_path, *OURS))
    assert status == 1
    assert {"event": "broken", "id": "core/src/test/java"} in sent


def test_a_class_that_cannot_be_set_up_takes_its_tests_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = (case("", "<failure/>", of="ATest"), case("a", of="ATest"), *OURS)
    status, sent = told(tmp_path, monkeypatch, suite_event(tmp_path, *cases))
    assert status == 1
    assert {"event": "broken", "id": "core/src/test/java/ATest.java"} in sent
    assert [event["outcome"] for event in sent if event.get("when") == "teardown"] == ["failed"]


def test_a_test_that_is_changed_and_put_back_is_noticed(tmp_path: Path) -> None:
    for name in ("core/src/test/java/ATest.java", "core/src/main/java/A.java", "core/target/src/test/java/B.java"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    test = tmp_path / "core/src/test/java/ATest.java"
    before, was = runner.marks(str(tmp_path)), test.stat()
    assert list(before) == [str(test)]
    (tmp_path / "core/src/main/java/A.java").write_text("two")
    assert runner.marks(str(tmp_path)) == before
    time.sleep(0.02)
    test.write_text("two")
    test.write_text("one")
    os.utime(test, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert runner.marks(str(tmp_path)) != before


def test_a_test_that_is_named_after_its_class_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, sent = told(tmp_path, monkeypatch, suite_event(tmp_path, case("ATest", of="ATest"), *OURS))
    assert [event["id"] for event in sent if event["event"] == "phase" and "Redgreen" not in event["id"]] == []


# ---- canaries --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("imported", "says"),
    [
        ("import org.junit.jupiter.api.Test;", "@org.junit.jupiter.api.Test"),
        ("import static org.junit.Assert.assertEquals;\nimport org.junit.Test;", "@org.junit.Test"),
        ("import org.testng.annotations.*;", "@org.testng.annotations.Test"),
        ("import junit.framework.TestCase;", "extends junit.framework.TestCase"),
    ],
)
def test_a_canary_has_the_style_and_the_package_of_its_neighbour(imported: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "ATest.java").write_text(f"package org.example;\n{imported}\nclass ATest {{}}\n")
    made = Path(canary.place([str(tmp_path / "ATest.java")]))
    text = made.read_text()
    assert made.parent == tmp_path and made.name.startswith("Redgreen") and made.name.endswith("Test.java")
    assert says in text and text.startswith("package org.example;\n")
    assert "redgreen_holds()" in text and "redgreen_breaks()" in text


def test_what_is_no_test_has_no_canary_beside_it(tmp_path: Path) -> None:
    (tmp_path / "Data.java").write_text("package org.example;\nclass Data {}\n")
    assert canary.place([str(tmp_path / "Data.java"), str(tmp_path / "gone.java")]) is None


def test_two_canaries_never_have_one_name(tmp_path: Path) -> None:
    (tmp_path / "ATest.java").write_text("import org.junit.Test;\n")
    assert canary.place([str(tmp_path / "ATest.java")]) != canary.place([str(tmp_path / "ATest.java")])


# ---- the lock --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("org/example/a/1.0/a-1.0.jar", "org.example:a:jar:1.0"),
        ("org/example/a/1.0-rc1/a-1.0-rc1.pom", "org.example:a:pom:1.0-rc1"),
        ("org/example/a/1.0/a-1.0-linux-x86_64.jar", "org.example:a:jar:linux-x86_64:1.0"),
        ("org/example/a/1.0/a-1.0-bin.tar.gz", "org.example:a:tar.gz:bin:1.0"),
    ],
)
def test_a_line_of_the_lock_names_a_file_and_is_read_back(path: str, line: str) -> None:
    assert lock.coordinates(path) == line
    assert lock.paths(f"{line} sha256:{DIGEST}\n") == {path: DIGEST}


def test_a_lock_that_is_none_is_refused_with_the_line() -> None:
    with pytest.raises(lock.Refused, match=r"lock\.txt, line 2"):
        lock.paths(f"a:b:jar:1 sha256:{DIGEST}\na:b\n")


def test_a_file_that_no_lock_can_name_is_refused() -> None:
    with pytest.raises(lock.Refused, match="org/example/evil"):
        lock.coordinates("org/example/evil")


def test_what_says_when_a_file_was_fetched_is_no_part_of_a_repository(tmp_path: Path) -> None:
    folder = tmp_path / "org" / "example" / "a"
    (folder / "1.0").mkdir(parents=True)
    for name in ("a-1.0.jar", "a-1.0.jar.sha1", "_remote.repositories", "a-1.0.pom.lastUpdated"):
        (folder / "1.0" / name).write_text(name)
    (folder / "maven-metadata-redgreen.xml").write_text("<metadata>of another day</metadata>")
    (folder / "resolver-status.properties").write_text("now")
    lock.tidy(str(tmp_path))
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "a-1.0.jar",
        "maven-metadata-redgreen.xml",
    ]
    first, second = lock.lines(str(tmp_path))
    assert first == f"org.example:a:jar:1.0 sha256:{hashlib.sha256(b'a-1.0.jar').hexdigest()}"
    assert second.startswith("org.example:a:metadata sha256:")


# ---- the registry ----------------------------------------------------------------------------------------------------
class Upstream:
    """Files by path, and the days on which they arrived."""

    def __init__(self, files: dict[str, bytes], days: dict[str, str] | None = None) -> None:
        self.files, self.days, self.asked = files, days or {}, 0

    def ask(self, path: str, method: str = "GET") -> tuple[bytes, dict[str, str]] | None:
        self.asked += 1
        if path not in self.files:
            return None
        return self.files[path], {"last-modified": self.days[path]} if path in self.days else {}


def known(tmp_path: Path, files: dict[str, bytes], days: dict[str, str] | None = None, **more: Any) -> Any:
    made = registry.Registry(str(tmp_path), None, more.get("as_of", "2024-06-01T00:00:00Z"), more.get("lock"))
    made.client = Upstream(files, days)
    return made


def archive(year: int) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as file:
        file.writestr(zipfile.ZipInfo("a.class", (year, 1, 1, 0, 0, 0)), "")
    return held.getvalue()


METADATA = b"<metadata><versioning><versions>%s</versions></versioning></metadata>"
VERSIONS = METADATA % b"".join(b"<version>%s</version>" % v for v in (b"1.0", b"1.1", b"2.0-beta-1", b"2.0"))


def test_metadata_lists_what_was_there_on_the_day(tmp_path: Path) -> None:
    files = {f"g/a/{v}/a-{v}.pom": b"" for v in ("1.0", "1.1", "2.0-beta-1", "2.0")} | {
        "g/a/maven-metadata.xml": VERSIONS
    }
    days = {
        "g/a/1.0/a-1.0.pom": "Mon, 02 Jan 2023 00:00:00 GMT",
        "g/a/1.1/a-1.1.pom": "Mon, 01 Jan 2024 00:00:00 GMT",
        "g/a/2.0-beta-1/a-2.0-beta-1.pom": "Mon, 06 May 2024 00:00:00 GMT",
        "g/a/2.0/a-2.0.pom": "Mon, 01 Jul 2024 00:00:00 GMT",
    }
    content = known(tmp_path, files, days).get("g/a/maven-metadata.xml").decode()
    assert "<release>1.1</release>" in content and "<latest>2.0-beta-1</latest>" in content
    assert "<version>2.0</version>" not in content


def test_where_the_registry_gives_no_day_the_archive_tells_when_it_was_built(tmp_path: Path) -> None:
    files = {"g/a/1.1/a-1.1.jar": archive(2023), "g/a/2.0/a-2.0.jar": archive(2025), "g/a/maven-metadata.xml": VERSIONS}
    content = known(tmp_path, files).get("g/a/maven-metadata.xml").decode()
    assert "<release>1.1</release>" in content and "2.0" not in content


def test_an_archive_of_an_unbelievable_day_is_not_chosen(tmp_path: Path) -> None:
    files = {"g/a/2.0/a-2.0.jar": archive(1980), "g/a/1.1/a-1.1.jar": archive(2023), "g/a/maven-metadata.xml": VERSIONS}
    assert b"2.0" not in known(tmp_path, files).get("g/a/maven-metadata.xml")


def test_a_lock_serves_its_own_files_alone_and_only_if_they_are_whole(tmp_path: Path) -> None:
    files = {"g/a/1.0/a-1.0.jar": b"jar", "g/b/1.0/b-1.0.jar": b"other"}
    lock_of = {"g/a/1.0/a-1.0.jar": hashlib.sha256(b"jar").hexdigest()}
    held = known(tmp_path, files, lock=lock_of)
    assert held.get("g/a/1.0/a-1.0.jar") == b"jar"
    assert held.get("g/b/1.0/b-1.0.jar") is None
    assert held.get("g/a/maven-metadata.xml").count(b"<version>1.0</version>") == 1
    assert known(tmp_path, files, lock={"g/a/1.0/a-1.0.jar": DIGEST}).get("g/a/1.0/a-1.0.jar") is None


def test_a_file_is_fetched_once(tmp_path: Path) -> None:
    held = known(tmp_path, {"g/a/1.0/a-1.0.jar": b"jar"})
    assert (held.get("g/a/1.0/a-1.0.jar"), held.get("g/a/1.0/a-1.0.jar"), held.client.asked) == (b"jar", b"jar", 1)
    offline = registry.Registry(str(tmp_path), None, "", None)
    assert offline.get("g/a/1.0/a-1.0.jar") == b"jar"
    assert offline.get("g/a/1.0/a-1.0.pom") is None


def test_a_file_that_arrives_damaged_is_a_fault_of_the_network(tmp_path: Path) -> None:
    held = known(tmp_path, {})
    held.client.ask = lambda path, method="GET": (b"jar", {"x-checksum-sha1": "0" * 40})
    with pytest.raises(registry.registry_client.Unreachable, match=r"502 Bad Gateway: .* arrived damaged"):
        held.get("g/a/1.0/a-1.0.jar")


@pytest.mark.parametrize("path", ["/../etc/passwd", "/a/../../b", "/.hidden/a", "/a//b", "/a"])
def test_the_server_answers_no_way_out_of_the_cache(path: str, tmp_path: Path) -> None:
    assert registry.PATH.match(path) is None


def test_the_server_serves(tmp_path: Path) -> None:
    address = registry.serve(known(tmp_path, {"g/a/1.0/a-1.0.jar": b"jar"}))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{address}g/a/1.0/a-1.0.jar") as answer:
        assert (answer.read(), answer.headers["X-Checksum-SHA1"]) == (b"jar", hashlib.sha1(b"jar").hexdigest())
    with pytest.raises(urllib.error.HTTPError, match="404"):
        opener.open(f"{address}g/a/1.0/a-1.0.pom")


def test_events_of_a_maven_that_was_ended_are_whole_lines(tmp_path: Path) -> None:
    (tmp_path / "events").write_text(json.dumps({"event": "end"}) + '\n{"event": "go')
    assert runner.maven_start.read(str(tmp_path / "events")) == [{"event": "end"}]
