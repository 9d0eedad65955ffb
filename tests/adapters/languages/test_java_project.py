"""What poms, wrappers and CI files say: the top of the build, the JDK, Maven's version."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.languages.java_project import MAVEN_VERSION, choose, read_project, version_range
from redgreen.errors import Rejected

AVAILABLE = ["8.0.392", "11.0.2", "17.0.15", "21.0.1", "25.0.3"]


def pom(inner: str = "") -> str:
    return f'<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>{inner}</project>'


def write(tmp_path: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def properties(**values: str) -> str:
    return (
        "<properties>"
        + "".join(f"<{k.replace('_', '.')}>{v}</{k.replace('_', '.')}>" for k, v in values.items())
        + "</properties>"
    )


@pytest.mark.parametrize(
    ("inner", "version"),
    [
        ("", "17.0.15"),
        (properties(maven_compiler_source="1.8"), "17.0.15"),
        (properties(maven_compiler_target="1.7"), "17.0.15"),
        (properties(maven_compiler_target="1.6"), "11.0.2"),
        (properties(maven_compiler_source="5"), "8.0.392"),
        (properties(maven_compiler_release="21"), "21.0.1"),
        (properties(java_version="22"), "25.0.3"),
        (properties(maven_compiler_release="1.8", java_version="21"), "21.0.1"),
    ],
)
def test_one_modern_jdk_unless_the_project_refuses_it(inner: str, version: str, tmp_path: Path) -> None:
    assert choose(read_project(write(tmp_path, {"pom.xml": pom(inner)})), AVAILABLE) == version


def plugin(artifact: str, inner: str) -> str:
    return f"<build><plugins><plugin><artifactId>{artifact}</artifactId>{inner}</plugin></plugins></build>"


def test_the_compilers_own_configuration_counts_and_names_properties(tmp_path: Path) -> None:
    inner = properties(jdk="21") + plugin(
        "maven-compiler-plugin", "<configuration><release>${jdk}</release></configuration>"
    )
    project = read_project(write(tmp_path, {"pom.xml": pom(inner)}))
    assert (project.least, project.said) == (21, ("pom.xml: release 21",))


def test_the_enforcers_rule_bounds_both_ends(tmp_path: Path) -> None:
    rule = "<requireJavaVersion><version>[1.8,12)</version></requireJavaVersion>"
    rule = f"<configuration><rules>{rule}</rules></configuration>"
    project = read_project(write(tmp_path, {"pom.xml": pom(plugin("maven-enforcer-plugin", rule))}))
    assert (project.least, project.most) == (8, 11)
    assert choose(project, AVAILABLE) == "11.0.2"
    assert choose(project, ["17.0.1"]) is None


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("17", (17, None)),
        ("[17,)", (17, None)),
        ("[1.8,9)", (8, 8)),
        ("[11]", (11, 11)),
        ("(,21]", (0, 21)),
        ("x", (0, None)),
    ],
)
def test_version_ranges_are_read_as_maven_reads_them(text: str, bounds: tuple[int, int | None]) -> None:
    assert version_range(text) == bounds


def test_ci_speaks_only_where_it_knows_later_jdks_alone(tmp_path: Path) -> None:
    workflow = ".github/workflows/ci.yml"
    write(tmp_path, {"pom.xml": pom(), workflow: "java-version: [ 8, 11, 17, 21 ]\n"})
    assert choose(read_project(tmp_path), AVAILABLE) == "17.0.15"
    write(tmp_path, {workflow: "java-version: [21, 25-ea]\n"})
    assert choose(read_project(tmp_path), AVAILABLE) == "21.0.1"
    write(tmp_path, {"pom.xml": pom(properties(maven_compiler_release="25"))})
    assert choose(read_project(tmp_path), AVAILABLE) == "25.0.3"


def test_modules_are_read_too(tmp_path: Path) -> None:
    top = pom("<modules><module>core</module><module>gone</module></modules>")
    project = read_project(
        write(tmp_path, {"pom.xml": top, "core/pom.xml": pom(properties(maven_compiler_release="21"))})
    )
    assert (project.modules, project.least, project.said) == (2, 21, ("core/pom.xml: maven.compiler.release 21",))


def test_the_wrapper_says_which_maven(tmp_path: Path) -> None:
    wrapper = ".mvn/wrapper/maven-wrapper.properties"
    address = "https://repository.example/org/apache/maven/apache-maven/3.8.6/apache-maven-3.8.6-bin.zip"
    digest = "ab" * 32
    write(tmp_path, {"pom.xml": pom(), wrapper: f"distributionUrl={address}\ndistributionSha256Sum={digest}\n"})
    project = read_project(tmp_path)
    assert (project.maven, project.maven_sha256) == ("3.8.6", digest)
    write(tmp_path, {wrapper: f"distributionUrl={address.replace('3.8.6', '4.0.0-rc-3')}\n"})
    with pytest.raises(Rejected, match="asks for Maven 4"):
        read_project(tmp_path)


def test_without_a_wrapper_it_is_a_maven_whose_hash_we_know(tmp_path: Path) -> None:
    project = read_project(write(tmp_path, {"pom.xml": pom()}))
    assert project.maven == MAVEN_VERSION
    assert len(project.maven_sha256) == 64


def test_the_only_pom_below_the_root_is_the_top(tmp_path: Path) -> None:
    assert read_project(write(tmp_path, {"java/pom.xml": pom()})).root == "java"
    with pytest.raises(Rejected, match="several below it: java, kotlin"):
        read_project(write(tmp_path, {"kotlin/pom.xml": pom()}))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("build.gradle.kts", "Gradle's distributions are on no package registry"),
        ("build.xml", "only Maven"),
        ("a", "no pom"),
    ],
)
def test_other_builds_are_refused_by_their_name(name: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=told) as raised:
        read_project(write(tmp_path, {name: ""}))
    assert raised.value.reason == "unsupported"


def test_a_pom_that_is_no_xml_is_named_with_the_place(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=r"pom\.xml: no XML: .*line 2"):
        read_project(write(tmp_path, {"pom.xml": "<project>\n<oops"}))
