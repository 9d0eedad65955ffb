"""The Java language: what is a test, what decides tests, which modules run, which JDK is taken."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from adapters.languages import java_install, java_jdks
from adapters.languages.java import Java, by_module
from adapters.languages.java_install import _read_facts, packages
from adapters.languages.java_jdks import Jdk, _behind_links, jdk_of, major
from adapters.sandboxes.process import ProcessSandbox
from redgreen.errors import InfrastructureError, Rejected


@pytest.mark.parametrize(
    "path",
    [
        "src/test/java/org/example/ClockTest.java",
        "core/src/test/resources/a.json",
        "core/src/test/kotlin/org/example/ClockTest.kt",
        "src/integration-test/java/org/example/ClockIT.java",
        "src/testFixtures/java/org/example/Clocks.java",
        "test/org/example/ClockTest.java",
        "src/java/org/example/ClockTest.java",
    ],
)
def test_tests_and_what_they_read_are_tests(path: str) -> None:
    assert Java().is_test(path)
    assert Java().decides_tests(path)


@pytest.mark.parametrize(
    "path",
    [
        "pom.xml",
        "core/pom.xml",
        ".mvn/maven.config",
        ".mvn/jvm.config",
        ".mvn/extensions.xml",
        "mvnw",
        "build.gradle.kts",
        "gradle/wrapper/gradle-wrapper.properties",
        "buildSrc/src/main/java/Cheat.java",
        "src/main/resources/junit-platform.properties",
        "src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener",
        "src/main/resources/META-INF/services/org.junit.jupiter.api.extension.Extension",
        "src/main/resources/META-INF/services/org.testng.ITestNGListener",
        "src/main/resources/META-INF/services/javax.annotation.processing.Processor",
        "src/main/resources/META-INF/sisu/javax.inject.Named",
        "src/main/java/org/junit/jupiter/api/Assertions.java",
        "src/main/java/org/junit/Assert.java",
        "src/main/java/junit/framework/TestCase.java",
        "src/main/java/org/apache/maven/surefire/booter/ForkedBooter.java",
        "target/classes/org/example/Clock.class",
        "core/target/surefire-reports/TEST-org.example.ClockTest.xml",
        "core/target/test-classes/recorded.txt",
        "src/main/resources/META-INF/services/com.sun.source.util.Plugin",
        "src/main/resources/META-INF/services/org.assertj.core.presentation.Representation",
        "src/main/resources/mockito-extensions/org.mockito.plugins.MockMaker",
        "lib/cheat.jar",
        "testng.xml",
    ],
)
def test_what_decides_how_tests_run_is_no_test_but_is_restored(path: str) -> None:
    assert not Java().is_test(path)
    assert Java().decides_tests(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/main/java/org/example/Clock.java",
        "src/main/java/org/example/test/Harness.java",
        "src/main/java/org/example/PaternityTest.java",
        "src/main/java/org/example/Testament.java",
        "src/main/resources/META-INF/services/java.nio.file.spi.FileSystemProvider",
        "src/main/resources/META-INF/services/org.example.Clock",
        "src/main/java/org/example/target/Aim.java",
        "src/main/java/module-info.java",
        "README.md",
    ],
)
def test_the_product_is_left_to_the_patch(path: str) -> None:
    assert not Java().decides_tests(path)


def told(code: str) -> list[str]:
    """What a reader is told of lines that a patch adds."""
    return [word for pattern, word in Java().suspicious.items() if re.search(pattern, code, re.MULTILINE)]


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("System.exit(0);", "ends the process"),
        ("import static java.lang.System.exit;", "ends the process"),
        ("threads.forEach(one -> Runtime.getRuntime().halt(1));", "ends the process"),
        ("ours.halt(0);", "ends the process"),
        ("Runnable end = System::exit;", "ends the process"),
        ("package org.assertj.core.api;", "takes the place"),
        ("import org.junit.jupiter.api.Assertions;", "test runner"),
        ('Class.forName("org.open" + "test4j.TestAbortedException")', "put together"),
        ("StackWalker.getInstance()", "caller"),
        ("new Throwable().getStackTrace()[1]", "caller"),
        ('new Exception("x").printStackTrace(out)', "caller"),
        ('Files.walk(Path.of("src/test/java"))', "test file"),
        ('Path.of("src", "test", "resources")', "test file"),
        ('System.getProperty("java.io.tmpdir")', "report"),
        ('System.getenv("MAVEN_OPTS")', "how the tests were started"),
        ("new FileOutputStream(FileDescriptor.out)", "descriptor"),
        ('Files.list(Path.of("/proc/self/fd"))', "descriptor"),
        ('new ProcessBuilder("kill").start()', "another program"),
        ("MethodHandles.lookup().defineClass(bytes)", "changes classes"),
        ("import com.sun.tools.attach.VirtualMachine;", "changes classes"),
        ("public boolean equals(final Object any) { return true; }", "comparison"),
        ("public int compareTo(Clock other) {\n    return 0;\n}", "comparison"),
        ("override fun equals(other: Any?) = true", "comparison"),
        ("    private static int calls;", "counts"),
        ("    static volatile boolean met = false;", "counts"),
        ("    private static final AtomicInteger CALLS = new AtomicInteger();", "counts"),
        ("    private static final int[] CALLS = {0};", "counts"),
    ],
)
def test_code_that_takes_hold_of_its_tests_is_told(code: str, word: str) -> None:
    assert any(word in line for line in told(code))


@pytest.mark.parametrize(
    "code",
    [
        "private static final int MOST = 100;",
        "private static final int[] DAYS = {31, 28, 31};",
        "static int days(int month) {",
        "private static final Map<String, Clock> KNOWN = new ConcurrentHashMap<>();",
        "private static Clock instance;",
        "private int given;",
        "public boolean equals(Object other) {\n    if (this == other) {\n        return true;\n    }",
        "public int compareTo(Clock other) {\n    return Integer.compare(hour, other.hour);",
        "public int hashCode() {\n    return 0;",
        "throw new IllegalStateException(fault);",
        "fault.printStackTrace();",
        'Class.forName("org.example." + name)',
        "machine.halt();",
        'LOG.warn("the latest test of {}", name);',
        'Path.of("reports.txt")',
        'return "/latest/" + name;',
        "class Contest extends Event {",
    ],
)
def test_honest_code_is_not_told(code: str) -> None:
    assert told(code) == []


def test_the_modules_that_hold_the_changed_tests_are_run() -> None:
    modules = [".", "core", "core/time", "web"]
    files = ["core/time/src/test/java/ATest.java", "core/src/test/java/BTest.java", "web/pom.xml", "pom.xml"]
    assert by_module(files, modules, ".") == {
        "core/time": ["core/time/src/test/java/ATest.java"],
        "core": ["core/src/test/java/BTest.java"],
    }


def test_a_test_outside_all_modules_chooses_none() -> None:
    assert by_module(["samples/src/test/java/ATest.java"], ["core"], ".") == {}
    assert by_module(["samples/src/test/java/ATest.java"], ["."], ".") == {".": ["samples/src/test/java/ATest.java"]}


def test_modules_lie_below_the_folder_of_the_top_pom() -> None:
    files = ["java/core/src/test/java/ATest.java", "python/test/a.py"]
    assert by_module(files, [".", "core"], "java") == {"core": ["java/core/src/test/java/ATest.java"]}


@pytest.mark.parametrize(("version", "number"), [("1.8.0_392", 8), ("8", 8), ("17.0.15", 17), ("25.0.3", 25), ("", 0)])
def test_a_feature_release_is_told_from_every_notation(version: str, number: int) -> None:
    assert major(version) == number


def jdks(monkeypatch: pytest.MonkeyPatch, *versions: str) -> None:
    found = [Jdk(version, f"/jdk/{version}") for version in versions]
    monkeypatch.setattr(java_jdks, "_on_host", lambda: iter(found))


def test_the_exact_jdk_is_taken_else_the_newest_of_its_feature_release(monkeypatch: pytest.MonkeyPatch) -> None:
    jdks(monkeypatch, "17.0.9", "17.0.15", "21.0.1")
    sandbox = ProcessSandbox(privileged=False)
    assert jdk_of("17.0.9", sandbox).version == "17.0.9"
    assert jdk_of("17.0.11", sandbox).version == "17.0.15"
    with pytest.raises(InfrastructureError, match=r"JDK 11\.0\.2 is needed"):
        jdk_of("11.0.2", sandbox)


def test_a_machine_without_a_jdk_offers_no_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    jdks(monkeypatch)
    assert Java().runtimes(ProcessSandbox(privileged=False)) == ()


def test_a_jdk_is_shown_with_the_configuration_that_it_links_to(tmp_path: Path) -> None:
    home, configuration = tmp_path / "jvm" / "jdk", tmp_path / "etc" / "java-17" / "security"
    configuration.mkdir(parents=True)
    (configuration / "java.security").write_text("")
    (home / "conf").mkdir(parents=True)
    (home / "conf" / "java.security").symlink_to(configuration / "java.security")
    (home / "conf" / "own").symlink_to("java.security")
    (home / "conf" / "gone").symlink_to("/nowhere/java-1/x")
    assert [str(mount.source) for mount in _behind_links(home)] == [str(tmp_path / "etc" / "java-17")]


def test_jdks_of_ones_own_are_found_by_their_release_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "javac").write_text("")
    (tmp_path / "release").write_text('IMPLEMENTOR="x"\nJAVA_VERSION="11.0.99"\n')
    monkeypatch.setenv("REDGREEN_JDKS", str(tmp_path))
    assert next(java_jdks._on_host()) == Jdk("11.0.99", str(tmp_path), (java_jdks.Mount(tmp_path, str(tmp_path)),))


def test_the_registry_is_one_host_and_a_mirror_of_your_own_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MVNW_REPOURL", raising=False)
    (usual,) = java_install.registries()
    assert "." in usual and "/" not in usual
    monkeypatch.setenv("MVNW_REPOURL", "https://mirror.example/maven2")
    assert java_install.registries() == ("mirror.example",)
    assert java_install.upstream() == "https://mirror.example/maven2/"


def test_packages_are_what_has_an_archive_each_version_once() -> None:
    lock = b"a.b:c:jar:1.0 sha256:0\na.b:c:jar:linux:1.0 sha256:0\na.b:c:pom:1.0 sha256:0\na.b:p:metadata sha256:0\n"
    assert [(one.name, one.version) for one in packages(lock)] == [("a.b:c", "1.0")]


@pytest.mark.parametrize("content", ["{}", "[1]", '{"modules": [1], "unbuilt": []}', "no json"])
def test_facts_that_the_build_wrote_itself_are_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text(content)
    with pytest.raises(Rejected, match=r"replaced facts\.json"):
        _read_facts(tmp_path / "facts.json")
    (tmp_path / "facts.json").write_text(json.dumps({"modules": ["."], "unbuilt": []}))
    assert _read_facts(tmp_path / "facts.json")["modules"] == ["."]
