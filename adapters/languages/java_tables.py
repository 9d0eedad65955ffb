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
    | (^|/)META-INF/services/(
        org\.(junit|testng|hamcrest|assertj|mockito|opentest4j|spockframework|apache\.maven|codehaus\.groovy\.transform)
        | junit\. | net\.jqwik | io\.(cucumber|kotest)
        | javax\.annotation\.processing | com\.sun\.source     # part of the compiler, of the tests' too
      )
    | (^|/)META-INF/(maven/|plexus/|sisu/|MANIFEST\.MF$) | (^|/)mockito-extensions/
    | (^|/)(org/(junit|testng|hamcrest|opentest4j|apiguardian|assertj|mockito|apache/maven/surefire)|junit/framework)/
    | ^(?!(.*/)?src/)(.*/)?target/                     # a build leaves alone what is newer there than its source
    | (^|/)(target|build|bin|out|\.gradle)/.*\.(class|jar|lst|xml|properties)$
    | \.(class|jar|war|jmod)$ | (^|/)(\.?hotspot_compiler|\.hotspotrc|\.attach_pid\d+)$
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

LIBRARY = (
    r"(junit\.(framework|extensions)|org\.(junit|testng|opentest4j|hamcrest|assertj|mockito|easymock|powermock|awaitility"
    r"|spockframework|springframework\.(boot\.)?test)|com\.google\.common\.truth|net\.jqwik|io\.(cucumber|kotest)|spock)"
)
STATE = r"(int|long|short|byte|char|boolean|double|float|Integer|Long|Short|Byte|Character|Boolean)"
COUNTER = r"([\w.]+\.)?(Atomic(Integer|Long|Boolean)|Long(Adder|Accumulator))"
WORDS = r"((private|protected|public|volatile|transient)\s+)*"

SUSPICIOUS = {
    r"\bSystem\s*(\.|::)\s*exit\b|\bsetSecurityManager\s*\(|\bimport static java\.lang\.System\.(\*|exit)"
    r"|\bgetRuntime\(\)\s*(\.|::)\s*(halt|exit)\b|\.\s*halt\s*\(\s*[\w+-]|\bProcessHandle\b[^;]*\bdestroy": (
        "ends the process: System.exit, Runtime.halt or the like"
    ),
    r"\baddShutdownHook\b|\bsun\.misc\.Signal\b": "acts when the process ends: addShutdownHook",
    rf"^\s*package\s+{LIBRARY}\b": "takes the place of a test library",
    rf"\b{LIBRARY}\.|(?i:\bmaven\W+surefire)": "names the test runner or a test library",
    r"\b(forName|loadClass|findClass)\s*\(\s*\"[^\"\n]*\"\s*(\+|\.\s*concat\s*\()\s*\"": (
        "takes a class by a name that is put together"
    ),
    r"\bStackWalker\b|\bget(All)?StackTraces?\b|\bgetClassContext\b|\bgetCallerClass\b|\bdumpStack\b"
    r"|\bnew (Throwable|\w*Exception)\([^()]*\)\s*\.\s*printStackTrace\b": "looks for its caller",
    r"\"[^\"\n]*(\bsrc[/\\]+test|\btest-classes|(Test|Tests|TestCase|IT)(\$\w+)?\.(java|class)\b)"
    r"|\"(\.{0,2}/)?tests?[/\\]|\"src\"\s*,\s*\"test\"": "names a test file or the tests' folder",
    r"\bjava\.io\.tmpdir\b|\bTEST-|<testcase\b|<testsuite\b|\breports/": "looks for the tests' report, or writes one",
    r"\"(sun\.java\.command|java\.class\.path|MAVEN_\w+|JAVA_TOOL_OPTIONS)\"": "asks how the tests were started",
    r"\bFileDescriptor\s*\.\s*(out|err|in)\b|\bnew FileDescriptor\s*\(|/proc/(self|thread-self|\"|\d|%)|/dev/fd": (
        "writes to an open descriptor"
    ),
    r"\bProcessBuilder\b|\bgetRuntime\(\)\s*\.\s*exec\b": "starts another program",
    r"\bdefine(Hidden|Anonymous)?Class\b|\bjava\.lang\.instrument\b|\btools\.attach\b|\ballowAttachSelf\b"
    r"|\bsun\.misc\.Unsafe\b|\bjdk\.internal\b|\bByteBuddyAgent\b|\bcom\.sun\.source\b": (
        "makes or changes classes: an agent, defineClass or the like"
    ),
    r"\bboolean\s+equals\s*\([^)]*\)\s*\{\s*return\s+(true|Boolean\.TRUE)\b"
    r"|\bint\s+(compareTo|compare)\s*\([^)]*\)\s*\{\s*return\s+0\s*;"
    r"|\bfun\s+equals\s*\([^)]*\)[^={\n]*(=|\{\s*return)\s*true\b": "answers every comparison alike",
    rf"^\s*{WORDS}static\s+{WORDS}{STATE}(\[\])*\s+\w+\s*[;=]"
    rf"|^\s*{WORDS}static\s+{WORDS}(final\s+)?{WORDS}{COUNTER}\s+\w+\s*[;=]"
    rf"|\bstatic\s+final\s+{STATE}\[\]\s+\w+\s*=\s*(new\s+\w+\s*\[\s*1\s*\]|(new\s+\w+\[\]\s*)?\{{\s*\w+\s*\}})\s*;": (
        "counts or keeps state between calls: static"
    ),
    r"(?i)redgreen": "names redgreen",
}
"""See `Language.suspicious`."""
