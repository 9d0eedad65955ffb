"""What a Java project says of itself, read from its files: where its build is, which JDK it wants, which Maven."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

from adapters.languages.java_jdks import major
from redgreen.errors import Rejected

MAVEN_VERSION = "3.9.11"
MAVEN_SHA256 = "0d7125e8c91097b36edb990ea5934e6c68b4440eef4ea96510a0f6815e7eeadb"
"""Where no wrapper says which."""

USUAL_JDK = 17
"""Runs what was written for 7 to 17, and is what the image has."""

OLDEST_TARGET = {7: 19, 6: 11, 5: 8}
"""The newest JDK that still compiles for an old release; 8 and later all do."""

RELEASE_PROPERTY = re.compile(
    r"maven\.compiler\.(release|source|target)|(java|jdk|javac?)[._-]?(source|target|release|version)"
)
CI_VERSION = re.compile(r"java(?:-version|_version|-package)?\s*:\s*[\[\"']?([^\n#]+)|\b(?:oracle|open)jdk-?(\d+)")


@dataclass(frozen=True)
class Project:
    """`root` is the folder of the top pom, relative to the tree. `maven` is what the wrapper asks for, or ours."""

    root: str
    modules: int
    maven: str
    maven_sha256: str
    least: int
    most: int | None
    said: tuple[str, ...]
    """Where the wanted JDK came from."""


def read_project(tree: Path) -> Project:
    """Read the files that say how a tree is built.

    Raises:
        Rejected: unsupported, where it is no Maven build that can be had here.
    """
    root = _root(tree)
    poms = [(path, _parse(path, tree)) for path in _poms(tree / root)]
    least, most, said = _wanted(tree, poms)
    version, sha256, wrapped = _wrapper(tree / root)
    return Project(root, len(poms), version, sha256, least, most, (*said, *([wrapped] if wrapped else [])))


def choose(project: Project, available: Sequence[str]) -> str | None:
    """One modern JDK for all; a newer one where the project asks for it, an older one where it refuses ours."""
    fit = [one for one in available if project.least <= major(one) and (not project.most or major(one) <= project.most)]
    usual = [one for one in fit if major(one) == USUAL_JDK]
    later = [one for one in fit if major(one) > USUAL_JDK]
    return usual[-1] if usual else later[0] if later else fit[-1] if fit else None


def _root(tree: Path) -> str:
    if (tree / "pom.xml").is_file():
        return "."
    below = sorted(path.parent.name for path in tree.glob("*/pom.xml"))
    if len(below) == 1:
        return below[0]
    if below:
        raise Rejected("unsupported", f"no pom.xml at the root, and several below it: {', '.join(below[:3])}")
    names = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew")
    for name in names:
        if (tree / name).is_file():
            raise Rejected("unsupported", f"{name}: Gradle's distributions are on no package registry")
    for name in ("build.xml", "BUILD", "BUILD.bazel", "build.sbt"):
        if (tree / name).is_file():
            raise Rejected("unsupported", f"{name}: only Maven is supported")
    raise Rejected("unsupported", "no pom.xml: only Maven is supported")


def _poms(root: Path) -> Iterator[Path]:
    """The top pom and those of the modules it names, theirs too."""
    waiting = [root / "pom.xml"]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop(0)
        if path in seen or not path.is_file() or len(seen) > 500:
            continue
        seen.add(path)
        yield path
        for name in re.findall(r"<module>\s*([^<\s]+)\s*</module>", path.read_text(errors="replace")):
            place = path.parent / name
            waiting.append(place if place.suffix == ".xml" else place / "pom.xml")


def _parse(path: Path, tree: Path) -> ElementTree.Element:
    """A pom without namespaces.

    Raises:
        Rejected: unsupported, with the place of the fault.
    """
    parser = ElementTree.XMLParser()
    try:
        parser.feed(path.read_bytes())
        element = parser.close()
    except (ElementTree.ParseError, expat.ExpatError, ValueError, LookupError) as fault:
        raise Rejected("unsupported", f"{path.relative_to(tree)}: no XML: {fault}") from None
    for one in element.iter():
        if isinstance(one.tag, str):
            one.tag = one.tag.rpartition("}")[2]
    return element


def _wanted(tree: Path, poms: Sequence[tuple[Path, ElementTree.Element]]) -> tuple[int, int | None, tuple[str, ...]]:
    """The oldest and newest JDK that will do, and who says so."""
    targets: dict[int, str] = {}
    least, most, said = 0, None, []
    for path, pom in poms:
        name = path.relative_to(tree).as_posix()
        properties = {one.tag: (one.text or "").strip() for holder in pom.iter("properties") for one in holder}
        for key, value in properties.items():
            if RELEASE_PROPERTY.fullmatch(key) and re.fullmatch(r"(1\.)?\d{1,2}", value):
                targets.setdefault(major(value), f"{name}: {key} {value}")
        for plugin in pom.iter("plugin"):
            artifact = plugin.findtext("artifactId", "").strip()
            if artifact == "maven-compiler-plugin":
                for tag in ("release", "source", "target"):
                    for one in plugin.iter(tag):
                        value = _resolved((one.text or "").strip(), properties)
                        if re.fullmatch(r"(1\.)?\d{1,2}", value):
                            targets.setdefault(major(value), f"{name}: {tag} {value}")
            if artifact == "maven-enforcer-plugin":
                for rule in plugin.iter("requireJavaVersion"):
                    low, high = version_range(_resolved(rule.findtext("version", "").strip(), properties))
                    if low > least or high:
                        least, most = max(least, low), high or most
                        said.append(f"{name}: requireJavaVersion")
    if targets:
        highest, lowest = max(targets), min(targets)
        least = max(least, highest)
        said.append(targets[highest])
        if lowest in OLDEST_TARGET and (not most or OLDEST_TARGET[lowest] < most):
            most = OLDEST_TARGET[lowest]
            said.append(targets[lowest])
    if least <= USUAL_JDK and (named := _named_by_ci(tree)) and min(named) > USUAL_JDK:
        least = min(named)
        said.append("CI")
    return least, most, tuple(dict.fromkeys(said))


def _resolved(value: str, properties: dict[str, str]) -> str:
    found = re.fullmatch(r"\$\{([^}]+)\}", value)
    return properties.get(found[1], "") if found else value


def version_range(text: str) -> tuple[int, int | None]:
    """(least, most) of Maven's notation: `17` and `[17,)` are 17 or later, `[1.8,9)` is 8 alone."""
    if re.fullmatch(r"[\d.]+", text):
        return major(text), None
    found = re.fullmatch(r"[\[(]\s*([\d.]*)\s*(?:,\s*([\d.]*)\s*)?([\])])", text)
    if not found:
        return 0, None
    low, high, end = found.groups()
    if high is None:
        return (major(low), major(low)) if low else (0, None)
    return major(low), (major(high) - (end == ")") if high else None)


def _named_by_ci(tree: Path) -> set[int]:
    found: set[int] = set()
    for path in [*sorted((tree / ".github/workflows").glob("*.y*ml")), tree / ".travis.yml", tree / ".sdkmanrc"]:
        if path.is_file():
            for line, number in CI_VERSION.findall(path.read_text(errors="replace")):
                words = re.findall(r"(?<![\d.])(?:1\.)?(\d{1,2})(?![\d])", line) if line else [number]
                found |= {int(word) for word in words if 5 <= int(word) <= 40}
    return found


def _wrapper(root: Path) -> tuple[str, str, str]:
    """Maven's version, the sha256 of its archive if the wrapper says it, and where it stands."""
    path = root / ".mvn/wrapper/maven-wrapper.properties"
    text = path.read_text(errors="replace") if path.is_file() else ""
    found = re.search(r"^\s*distributionUrl\s*=.*/apache-maven-([\w.-]+)-bin\.(?:zip|tar\.gz)\s*$", text, re.M)
    if not found:
        return MAVEN_VERSION, MAVEN_SHA256, ""
    if not re.match(r"3\.", found[1]):
        raise Rejected("unsupported", f"the wrapper asks for Maven {found[1]}: only 3 is supported")
    digest = re.search(r"^\s*distributionSha256Sum\s*=\s*([0-9a-f]{64})\s*$", text, re.M)
    zipped = found[0].rstrip().endswith(".zip")
    return found[1], digest[1] if digest and zipped else "", ".mvn/wrapper/maven-wrapper.properties"
