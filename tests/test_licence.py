"""Which licence a project has, and whether a set may use it. Texts here are the phrases that tell, not the licences."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redgreen.licence import LICENCE_FILES, allowed, identify, is_copyleft, is_licence_file

MIT = "Permission is hereby granted, free of charge, ... shall be\n included in all copies"
BSD2 = "Redistributions in\n   binary form must reproduce ..."
BSD3 = BSD2 + "\n\n* Neither the name of the author nor ..."
APACHE = "   Apache License\n   Version 2.0, January 2004"
GPL3 = "   GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June ... the GNU Affero General Public License Version 3"
LGPL3 = "GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3 ... GNU General Public License version 3"


@pytest.mark.parametrize(
    ("text", "spdx"),
    [
        (MIT, "MIT"),
        ("Permission is hereby granted, free of charge, to any", "MIT-0"),
        (BSD2, "BSD-2-Clause"),
        (BSD3, "BSD-3-Clause"),
        (f"{BSD3} All advertising materials mentioning", "BSD-4-Clause"),
        (APACHE, "Apache-2.0"),
        (
            "Permission to use, copy, modify, and/or distribute this software for any purpose, appear in all copies",
            "ISC",
        ),
        ("Permission to use, copy, modify, and/or distribute this software for any purpose", "0BSD"),
        ("Mozilla Public License Version 2.0", "MPL-2.0"),
        ("Mozilla Public License, v. 2.0", "MPL-2.0"),
        ("Eclipse Public License - v 2.0", "EPL-2.0"),
        ("Eclipse Public License - v 1.0", "EPL-1.0"),
        ("Boost Software License - Version 1.0", "BSL-1.0"),
        ("European Union Public Licence v. 1.2", "EUPL-1.2"),
        ("GNU LIBRARY GENERAL PUBLIC LICENSE\nVersion 2, June 1991", "LGPL-2.0-only"),
        ("PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2", "PSF-2.0"),
        ("This is free and unencumbered software released into the public domain.", "Unlicense"),
        ("The origin of this software must not be misrepresented", "Zlib"),
        ("CC0 1.0 Universal", "CC0-1.0"),
        (GPL3, "GPL-3.0-only"),
        ("GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991", "GPL-2.0-only"),
        (LGPL3, "LGPL-3.0-only"),
        ("GNU LESSER GENERAL PUBLIC LICENSE\nVersion 2.1", "LGPL-2.1-only"),
        ("GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3", "AGPL-3.0-only"),
        ("# **" + MIT.replace(" ", "\r\n  ") + "**", "MIT"),
        ("the GNU General Public License as published by some foundation; either\nversion 2 of it", "GPL-2.0-only"),
        (f"{MIT} and beside it {GPL3}", "MIT AND GPL-3.0-only"),
        ("All rights reserved.", None),
        ("", None),
    ],
)
def test_recognises_texts(text: str, spdx: str | None) -> None:
    assert identify({"LICENSE": text.encode()}) == spdx


@pytest.mark.parametrize(
    ("files", "spdx"),
    [
        ({"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE}, "Apache-2.0 OR MIT"),
        (
            {"LICENSE": "Under either of these, at your choice", "LICENSE.APACHE": APACHE, "LICENSE.BSD": BSD2},
            "Apache-2.0 OR BSD-2-Clause",
        ),
        ({"LICENSE": MIT + APACHE}, "MIT AND Apache-2.0"),
        ({"LICENSE": MIT, "COPYING": GPL3}, "GPL-3.0-only AND MIT"),
        ({"COPYING": GPL3, "COPYING.LESSER": LGPL3}, "LGPL-3.0-only"),
        ({"LICENSE": MIT, "LICENSE.third-party": GPL3}, "MIT"),
        ({"LICENSE": MIT, "LICENSE-APACHE": APACHE}, "MIT"),
        ({"LICENSES/MIT.txt": MIT}, "MIT"),
    ],
)
def test_puts_several_texts_together(files: dict[str, str], spdx: str) -> None:
    assert identify({path: text.encode() for path, text in files.items()}) == spdx


@pytest.mark.parametrize(
    ("path", "text", "spdx"),
    [
        ("pyproject.toml", '[project]\nlicense = "mit or apache-2.0"', "MIT OR Apache-2.0"),
        ("pyproject.toml", '[project]\nlicense = {text = "BSD-3-Clause"}', "BSD-3-Clause"),
        ("pyproject.toml", '[project]\nlicense = {text = "MIT License"}', "MIT"),
        ("pyproject.toml", '[project]\nlicense = {file = "LICENSE"}', None),
        ("pyproject.toml", '[project]\nclassifiers = ["License :: OSI Approved :: MIT License"]', "MIT"),
        ("pyproject.toml", '[project]\nclassifiers = ["License :: OSI Approved :: BSD License"]', None),
        ("pyproject.toml", '[tool.poetry]\nlicense = "ISC"', "ISC"),
        ("pyproject.toml", "[project\n", None),
        ("pyproject.toml", "project = 1\nclassifiers = 2", None),
        ("setup.cfg", "[metadata]\nlicense = MIT\n", "MIT"),
        ("setup.cfg", "[metadata]\nlicense = Apache 2.0\nlicense_files = LICENSE", "Apache-2.0"),
        ("setup.cfg", "[metadata]\nclassifiers =\n    License :: OSI Approved :: ISC License (ISCL)\n", "ISC"),
        ("setup.py", "setup(name='x', license='BSD-2-Clause', version=1)", "BSD-2-Clause"),
        (
            "setup.py",
            "print 'old'\nsetup(\n  classifiers=['License :: OSI Approved :: Apache Software License'])",
            "Apache-2.0",
        ),
        ("setup.py", "license = __license__", None),
        ("package.json", json.dumps({"license": "MIT"}), "MIT"),
        ("package.json", json.dumps({"licenses": [{"type": "MIT"}]}), "MIT"),
        ("package.json", json.dumps({"license": "SEE LICENSE IN x", "licenses": "MIT", "classifiers": 3}), None),
        ("package.json", "[" * 100_000, None),
        ("Cargo.toml", '[package]\nlicense = "MIT/Apache-2.0"', "MIT OR Apache-2.0"),
        ("Cargo.toml", '[workspace.package]\nlicense = "Zlib"', "Zlib"),
        (
            "pom.xml",
            "<licenses><license>\n<name> The Apache Software License, Version 2.0 </name></license></licenses>",
            "Apache-2.0",
        ),
        ("pom.xml", "<project><name>MIT</name></project>", None),
        ("setup.cfg", f"license = {'(' * 100_000}", None),
    ],
)
def test_reads_metadata(path: str, text: str, spdx: str | None) -> None:
    assert identify({path: text.encode()}) == spdx


@pytest.mark.parametrize(
    ("name", "spdx"),
    [
        ("Simplified BSD", "BSD-2-Clause"),
        ("New BSD License", "BSD-3-Clause"),
        ("License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)", "MPL-2.0"),
        ("License :: OSI Approved :: Python Software Foundation License", "PSF-2.0"),
        ("License :: OSI Approved :: The Unlicense (Unlicense)", "Unlicense"),
        ("License :: OSI Approved :: zlib/libpng License", "Zlib"),
        ("License :: CC0 1.0 Universal (CC0 1.0) Public Domain Dedication", "CC0-1.0"),
        ("License :: OSI Approved :: Eclipse Public License 2.0 (EPL-2.0)", "EPL-2.0"),
        ("License :: OSI Approved :: GNU Affero General Public License v3", "AGPL-3.0-only"),
        ("License :: OSI Approved :: GNU Lesser General Public License v3 or later (LGPLv3+)", "LGPL-3.0-only"),
        ("License :: OSI Approved :: GNU Lesser General Public License v2 (LGPLv2)", "LGPL-2.1-only"),
        ("License :: OSI Approved :: GNU General Public License (GPL)", "GPL-2.0-only"),
        ("License :: OSI Approved", None),
        ("BSD", None),
    ],
)
def test_knows_the_names_that_mean_one_licence(name: str, spdx: str | None) -> None:
    assert identify({"package.json": json.dumps({"license": name}).encode()}) == spdx


def test_a_valid_expression_counts_before_the_text_and_the_text_before_names() -> None:
    assert identify({"package.json": b'{"license": "ISC"}', "LICENSE": MIT.encode()}) == "ISC"
    assert identify({"setup.cfg": b"license = Apache 2.0", "LICENSE": MIT.encode()}) == "MIT"


def test_a_permissive_word_beside_a_copyleft_text_is_not_believed() -> None:
    assert identify({"package.json": b'{"license": "MIT"}', "LICENSE": GPL3.encode()}) == "GPL-3.0-only"


def test_names_that_do_not_say_how_they_go_together_all_count() -> None:
    both = [
        "License :: OSI Approved :: MIT License",
        "License :: OSI Approved :: GNU General Public License v3 (GPLv3)",
    ]
    assert identify({"setup.py": repr(both).encode()}) == "MIT AND GPL-3.0-only"


def test_reads_texts_in_utf_16_and_with_a_mark_at_the_start() -> None:
    assert identify({"LICENSE": MIT.encode("utf-16")}) == "MIT"
    assert identify({"pyproject.toml": b'\xef\xbb\xbf[project]\nlicense = "MIT"'}) == "MIT"


@pytest.mark.parametrize(
    "spdx",
    [
        "GPL-2.0-or-later",
        "AGPL-3.0-only",
        "LGPL-2.1+",
        "MPL-2.0",
        "EPL-2.0",
        "EUPL-1.2",
        "OSL-3.0",
        "CC-BY-SA-4.0",
        "MIT AND GPL-3.0-only",
        "GPL-2.0-only WITH Classpath-exception-2.0",
        "(MIT AND LGPL-3.0-only) OR GPL-2.0-only",
        "",
        "(((",
    ],
)
def test_copyleft(spdx: str) -> None:
    assert is_copyleft(spdx)
    assert not allowed(spdx, ())


@pytest.mark.parametrize(
    "spdx",
    [
        "MIT",
        "Apache-2.0 OR GPL-3.0-only",
        "BSD-3-Clause AND (MIT OR MPL-2.0)",
        "PSF-2.0",
        "CC0-1.0",
        "Apache-2.0 WITH LLVM-exception",
    ],
)
def test_permissive(spdx: str) -> None:
    assert not is_copyleft(spdx)
    assert allowed(spdx, ())


@pytest.mark.parametrize("spdx", [None, "", "Proprietary", "LicenseRef-Own", "BUSL-1.1", "CC-BY-NC-4.0", "MIT OR"])
def test_what_is_unknown_or_not_free_is_not_allowed(spdx: str | None) -> None:
    assert not allowed(spdx, ())


def test_a_list_allows_exactly_what_it_names() -> None:
    assert allowed("MPL-2.0", ("mpl-2.0",))
    assert allowed("MIT OR Apache-2.0", ("MIT",))
    assert allowed("GPL-2.0-only OR MIT", ("GPL-2.0-only OR MIT",))
    assert not allowed("MIT AND Apache-2.0", ("MIT",))
    assert not allowed("Apache-2.0", ("MIT",))
    assert not allowed(None, ("MIT",))


def test_wants_the_files_at_the_top_and_no_others() -> None:
    assert all(
        map(is_licence_file, ["LICENSE", "licence.md", "COPYING", "UNLICENSE", "LICENSES/MIT.txt", "pyproject.toml"])
    )
    assert not any(
        map(is_licence_file, ["src/LICENSE", "README.md", "vendor/x/package.json", "LICENSES/a/b.txt", "licenser.d/x"])
    )
    assert "pyproject.toml" in LICENCE_FILES


@given(
    st.dictionaries(
        st.sampled_from(["LICENSE", "setup.py", "setup.cfg", "pyproject.toml", "package.json", "pom.xml"]), st.binary()
    )
)
def test_any_bytes_are_a_licence_or_none(files: dict[str, bytes]) -> None:
    assert identify(files) is None


@given(st.text(alphabet="()ANDORWITH MIT-", max_size=40))
def test_any_text_can_be_asked_whether_it_is_allowed(spdx: str) -> None:
    assert allowed(spdx, ()) in (True, False)


def test_two_words_that_give_everything_away_are_a_licence_and_no_other_text_of_them_is() -> None:
    assert identify({"LICENSE": b"Public Domain.\n"}) == "LicenseRef-Public-Domain"
    assert allowed("LicenseRef-Public-Domain", ())
    assert identify({"LICENSE": b"This is not in the Public Domain.\n"}) is None
    assert not allowed("LicenseRef-Proprietary", ())
