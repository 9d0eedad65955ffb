"""What Java's files mean: tests, what decides how tests run, and the plug-ins of Maven that are no tests."""

from __future__ import annotations

import re

SOURCE = re.compile(r"\.(java|kt|groovy|scala)$")

TESTS = re.compile(
    r"""
    (^|/)src/(test|tests|integration-?test|it|testFixtures|test-?fixtures|functional-?test)[^/]*/
    | ^(?!(.*/)?src/main/)(.*/)?(
        tests?/                                                       # Ant's way, and poms that name their folders
        | (Test[A-Z]\w*|\w+(Test|Tests|TestCase|IT|ITCase))\.(java|kt|groovy|scala)$
    )
    """,
    re.VERBOSE,
)
"""Tests, and what tests read. Below `src/main` nothing is a test, whatever its name."""

DECIDES = re.compile(
    r"""
    (^|/)pom(\.\w+)?\.xml$ | (^|/)\.mvn/ | (^|/)mvnw(\.cmd)?$ | (^|/)(maven|jvm)\.config$ | (^|/)settings\.xml$
    | (^|/)(build|settings|init)\.gradle(\.kts)?$ | (^|/)gradle(\.properties|w|w\.bat)$ | (^|/)gradle/ | (^|/)buildSrc/
    | (^|/)(junit-platform|surefire|testng)[\w.-]*\.(properties|xml|ya?ml)$
    | (^|/)\.(mavenrc|java-version|sdkmanrc|jvmopts)$
    | (^|/)META-INF/services/(org\.junit|org\.testng|junit\.|org\.apache\.maven|javax\.annotation\.processing)
    | (^|/)META-INF/(maven/|plexus/|sisu/|MANIFEST\.MF$)
    | (^|/)(org/(junit|testng|hamcrest|opentest4j|apiguardian|assertj|mockito|apache/maven/surefire)|junit/framework)/
    | (^|/)(target|build|bin|out|\.gradle)/.*\.(class|jar|lst|xml|properties)$
    | \.(class|jar|war|jmod)$ | (^|/)(hotspot_compiler|\.hotspotrc|\.attach_pid\d+)$
    """,
    re.VERBOSE,
)
"""What decides how tests run besides them: build files, their extensions and options, engines and listeners that are
found by name, classes that take the place of the test library's, annotation processors, compiled leftovers.

A build file holds the dependencies too. It is taken from the fix all the same: the box is offline and holds what the
base asked for, so a dependency that a patch adds could not be had anyway, and Surefire is set up there."""

NO_TESTS = """
animal-sniffer-maven-plugin apache-rat-plugin bnd-baseline-maven-plugin buildnumber-maven-plugin
checker-maven-plugin clirr-maven-plugin cobertura-maven-plugin coveralls-maven-plugin
cyclonedx-maven-plugin dependency-check-maven directory-maven-plugin docker-maven-plugin
duplicate-finder-maven-plugin findbugs-maven-plugin fmt-maven-plugin forbiddenapis formatter-maven-plugin
git-code-format-maven-plugin gitflow-maven-plugin googleformatter-maven-plugin impsort-maven-plugin
jacoco-maven-plugin japicmp-maven-plugin license-maven-plugin maven-artifact-plugin maven-changes-plugin
maven-checkstyle-plugin maven-enforcer-plugin maven-gpg-plugin maven-javadoc-plugin maven-pmd-plugin
maven-release-plugin maven-scm-plugin maven-scm-publish-plugin maven-site-plugin maven-source-plugin
maven-toolchains-plugin modernizer-maven-plugin nexus-staging-maven-plugin revapi-maven-plugin
rewrite-maven-plugin sonar-maven-plugin sortpom-maven-plugin spdx-maven-plugin spotbugs-maven-plugin
spotless-maven-plugin tidy-maven-plugin versions-maven-plugin xml-maven-plugin
""".replace("\n", " ").strip()
"""Artifact ids of plug-ins that check style, licences, compatibility or coverage, sign, or ask git: taken out of the
build, so that no patch fails for a style, and nothing of theirs has to be installed."""

SKIPS = {
    "maven.gitcommitid.skip": "true",
    "license.skip": "true",
    "frontend.skip": "true",
    "skipITs": "true",
    "gpg.skip": "true",
}
"""Properties for plug-ins that others depend on, so that they stay in the build and do nothing."""

SUSPICIOUS = {
    r"\bSystem\.(exit|setSecurityManager)\(|\bRuntime\.getRuntime\(\)\.(halt|exit)\(": "ends the process: System.exit",
    r"\borg\.(junit|testng|opentest4j|apache\.maven)\b": "names the test runner",
    r"(?i)redgreen": "names redgreen",
}
"""See `Language.suspicious`."""
