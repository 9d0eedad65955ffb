"""Java for real: a project of ours is installed from the registry, then run in the sandbox with changes laid on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import missing

import adapters
from adapters.languages.java import Java
from redgreen.documents import Run
from redgreen.errors import InfrastructureError, Rejected
from redgreen.language import Installed, Trial, Workshop
from redgreen.launch import readable
from redgreen.sandbox import Sandbox

DAY = "2026-03-02T09:00:00Z"
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId><artifactId>clock</artifactId><version>1</version>
  <properties>
    <maven.compiler.release>11</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build><plugins>%s</plugins></build>
</project>
"""
CHEATING = """<plugin><artifactId>maven-surefire-plugin</artifactId><configuration>
  <testFailureIgnore>true</testFailureIgnore><rerunFailingTestsCount>2</rerunFailingTestsCount><forkCount>2</forkCount>
  <disableXmlReport>true</disableXmlReport><includes><include>**/ClockTest.java</include></includes>
</configuration></plugin>"""
CLOCK = """package org.example;
public class Clock {
    public int hour(int minutes) { return minutes / 60; }
}
"""
IMPORTS = """package org.example;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
"""
TEST = IMPORTS + "class ClockTest { @Test void tells() { assertEquals(2, new Clock().hour(120)); } }\n"
STYLES = (
    IMPORTS
    + """
class ClockTest {
    static boolean again;
    @Test void tells() { assertEquals(2, new Clock().hour(120)); }
    @Test void isWrong() { assertEquals(3, new Clock().hour(120)); }
    @Test void isLucky() { boolean now = again; again = true; assertTrue(now); }
    @Disabled @Test void waits() { fail(); }
    @Test void assumes() { Assumptions.assumeTrue(false); }
    @RepeatedTest(2) void repeats() { }
    @ParameterizedTest @ValueSource(strings = {"a b", "::", "<&>"})
    void takes(String text) { assertNotEquals("::", text); }
    @TestFactory java.util.List<DynamicTest> makes() {
        DynamicTest bad = DynamicTest.dynamicTest("one", () -> fail());
        return java.util.List.of(DynamicTest.dynamicTest("one", () -> { }), bad);
    }
    @Nested class AtNight { @Test void tells() { } }
    @Nested @TestInstance(TestInstance.Lifecycle.PER_CLASS) class Unfit {
        @BeforeAll void prepare() { throw new IllegalStateException(); }
        @Test void tells() { }
    }
}
"""
)
FILE = "src/test/java/org/example/ClockTest.java"
FORGED = (
    '<testsuite failures="0"><testcase classname="org.example.ClockTest" name="isForged"/>'
    '<testcase classname="org.example.ClockTest" name="isWrong"/></testsuite>'
)


def lay(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory, out: Path) -> tuple[Path, Path, Installed, Sandbox]:
    """A folder with the installed box, the cache, what was installed, and the sandbox."""
    try:
        sandbox = adapters.sandbox("auto", "java", out)
        box = tmp_path_factory.mktemp("java") / "box"
        lay(box / "tree", {"pom.xml": POM % "", "src/main/java/org/example/Clock.java": CLOCK, FILE: TEST})
        (way,) = Java().detect_environment(box / "tree", DAY, None, sandbox)
        cache = box.parent / "cache"
        return box, cache, Java().install(way, Workshop(box, cache), sandbox), sandbox
    except InfrastructureError as error:
        missing(str(error))


def run(box: tuple[Path, Path, Installed, Sandbox], tmp_path: Path, files: dict[str, str]) -> Run:
    folder, cache, installed, sandbox = box
    delta = tmp_path / "delta"
    (delta / "files").mkdir(parents=True)
    lay(delta / "files", files)
    (delta / "deleted").write_bytes(b"")
    readable(delta)
    raw = Java().run_tests(installed.environment, Trial(folder, delta, [FILE], 0, cache), sandbox)
    return Java().parse_results(installed.environment, raw)


def test_every_kind_of_test_has_an_id_and_an_outcome_of_its_own(
    box: tuple[Path, Path, Installed, Sandbox], tmp_path: Path
) -> None:
    """Under a pom that would hide failures, repeat them, and write no report; a forged report lies in its place."""
    forged = {"target/surefire-reports/TEST-org.example.ClockTest.xml": FORGED}
    found = run(box, tmp_path, {FILE: STYLES, "pom.xml": POM % CHEATING, **forged})
    assert found.outcomes == {
        f"{FILE}::tells": "passed",
        f"{FILE}::isWrong": "failed",
        f"{FILE}::isLucky": "failed",
        f"{FILE}::waits": "skipped",
        f"{FILE}::assumes": "skipped",
        f"{FILE}::repeats": "passed",
        f"{FILE}::repeats[#2]": "passed",
        f"{FILE}::takes(String)[1]": "passed",
        f"{FILE}::takes(String)[2]": "failed",
        f"{FILE}::takes(String)[3]": "passed",
        f"{FILE}::makes": "passed",
        f"{FILE}::makes[#2]": "failed",
        f"{FILE}::AtNight::tells": "passed",
    }
    assert found.collection_errors == (f"{FILE}::Unfit",)
    assert (found.ended, found.complete, found.canary, found.exit_status) == ("finished", True, "right", 1)


def test_a_suite_without_a_failure_ends_with_0_and_a_right_canary(
    box: tuple[Path, Path, Installed, Sandbox], tmp_path: Path
) -> None:
    found = run(box, tmp_path, {})
    assert found.outcomes == {f"{FILE}::tells": "passed"}
    assert (found.complete, found.canary, found.exit_status) == (True, "right", 0)


def test_tests_that_do_not_compile_are_a_result(box: tuple[Path, Path, Installed, Sandbox], tmp_path: Path) -> None:
    found = run(box, tmp_path, {FILE: TEST.replace("hour(", "minute(")})
    assert found.collection_errors == ("src/test/java",)
    assert (found.outcomes, found.ended, found.complete, found.exit_status) == ({}, "finished", True, 1)


def test_a_product_that_ends_the_process_has_no_complete_report(
    box: tuple[Path, Path, Installed, Sandbox], tmp_path: Path
) -> None:
    found = run(
        box, tmp_path, {"src/main/java/org/example/Clock.java": CLOCK.replace("return", "System.exit(0); return")}
    )
    assert not found.complete
    assert f"{FILE}::tells" not in found.outcomes


def test_a_class_in_the_place_of_the_librarys_assertions_is_found_out(
    box: tuple[Path, Path, Installed, Sandbox], tmp_path: Path
) -> None:
    shadow = (
        "package org.junit.jupiter.api; public class Assertions { public static void assertEquals(int a, int b) { } }"
    )
    found = run(box, tmp_path, {"src/main/java/org/junit/jupiter/api/Assertions.java": shadow})
    assert found.canary == "wrong"
    assert not found.complete


def test_the_lock_gives_the_same_again_from_the_cache_alone_and_nothing_else(
    box: tuple[Path, Path, Installed, Sandbox], tmp_path: Path
) -> None:
    folder, cache, installed, sandbox = box
    assert len(installed.lock.splitlines()) > 50
    assert b"/" not in installed.lock
    lay(tmp_path / "box" / "tree", {"pom.xml": POM % "", "src/main/java/org/example/Clock.java": CLOCK, FILE: TEST})
    workshop = Workshop(tmp_path / "box", cache, installed.lock, offline=True)
    assert Java().install(installed.environment, workshop, sandbox).lock == installed.lock
    left = sorted(path.relative_to(folder / "tree").as_posix() for path in (folder / "tree").rglob("*.*"))
    assert left == ["pom.xml", "src/main/java/org/example/Clock.java", FILE]
    other = installed.lock.replace(b"5.10.2", b"5.10.1")
    with pytest.raises(Rejected, match="dependencies") as raised:
        lay(tmp_path / "other" / "tree", {"pom.xml": POM % "", FILE: TEST})
        Java().install(installed.environment, Workshop(tmp_path / "other", cache, other, offline=True), sandbox)
    assert raised.value.reason == "install_failed"
