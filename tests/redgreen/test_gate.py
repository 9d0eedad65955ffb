"""The gate on runs made by hand: what becomes a task, and why everything else does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from redgreen.documents import Outcome, Run, Verified
from redgreen.errors import Rejected
from redgreen.gate import decide, flaky_ids, passing

OLD, NEW = "t/test_a.py::test_old", "t/test_b.py::test_new"
LETTERS: dict[str, Outcome] = {
    "p": "passed",
    "f": "failed",
    "e": "error",
    "s": "skipped",
    "x": "xfailed",
    "X": "xpassed",
}


def run(outcomes: str = "", **facts: Any) -> Run:
    """`"pf"` is: the old test passed, the new one failed; `-` leaves one out."""
    pairs = zip((OLD, NEW, "t/test_c.py::test_third"), outcomes, strict=False)
    read = {test: LETTERS[letter] for test, letter in pairs if letter != "-"}
    clean = not {"failed", "error"} & set(read.values()) and not facts.get("collection_errors")
    common = {"ended": "finished", "exit_status": 0 if clean else 1, "complete": True, "canary": "right"}
    return Run(outcomes=read, **{**common, **facts})


def thrice(outcomes: str, **facts: Any) -> tuple[Run, ...]:
    return (run(outcomes, **facts),) * 3


def rejection(base: Sequence[Run], red: Sequence[Run], green: Sequence[Run]) -> tuple[str, str]:
    with pytest.raises(Rejected) as caught:
        decide(base, red, green)
    return caught.value.reason, str(caught.value)


@pytest.mark.parametrize("before", ["f", "e", "-"])
def test_a_new_test_that_fails_errs_or_is_absent_before_the_fix_is_fail_to_pass(before: str) -> None:
    proved = decide(thrice("p"), thrice("p" + before), thrice("pp"))
    assert proved == Verified(
        fail_to_pass=(NEW,), pass_to_pass=(OLD,), gold_exit_statuses=(0,), exit_agrees=True, canary="right"
    )


@pytest.mark.parametrize("before", ["p", "s", "x", "X"])
def test_a_test_that_passes_skips_or_fails_as_expected_before_the_fix_is_not_fail_to_pass(before: str) -> None:
    assert rejection(thrice("p"), thrice("p" + before), thrice("pp"))[0] == "not_red"


@pytest.mark.parametrize("after", ["s", "x", "X", "-"])
def test_what_does_not_genuinely_pass_after_the_fix_is_required_of_nobody(after: str) -> None:
    proved = decide(thrice("p"), thrice("pff"), thrice("pp" + after))
    assert proved.fail_to_pass == (NEW,)
    assert proved.pass_to_pass == (OLD,)


def test_a_test_that_existed_and_only_vanished_from_a_red_run_proves_nothing() -> None:
    reason, _ = rejection(thrice("pp"), thrice("p-", complete=False, ended="crashed"), thrice("pp"))
    assert reason == "not_red"


@pytest.mark.parametrize("broken", ["t/test_b.py", "t", "", NEW])
def test_a_test_that_existed_counts_as_failing_when_its_file_cannot_be_loaded(broken: str) -> None:
    proved = decide(thrice("pp"), thrice("p-", collection_errors=(broken,)), thrice("pp"), {NEW})
    assert proved.fail_to_pass == (NEW,)


def test_a_test_that_the_fix_leaves_alone_is_not_failing_because_its_file_cannot_be_loaded() -> None:
    proved = decide(thrice("pp-"), thrice("p--", collection_errors=("t",)), thrice("ppp"))
    assert (proved.fail_to_pass, proved.pass_to_pass) == (("t/test_c.py::test_third",), (OLD, NEW))


def test_a_test_that_failed_on_the_base_needs_no_change_to_count_when_its_file_cannot_be_loaded() -> None:
    proved = decide(thrice("pf"), thrice("p-", collection_errors=("t",)), thrice("pp"))
    assert proved.fail_to_pass == (NEW,)


@pytest.mark.parametrize("broken", ["t/test_a.py", "t/test_b", "t/test_b.p", "est_b.py"])
def test_another_file_that_cannot_be_loaded_explains_no_absence(broken: str) -> None:
    assert rejection(thrice("pp"), thrice("p-", collection_errors=(broken,)), thrice("pp"))[0] == "not_red"


def test_an_absence_must_be_explained_in_every_red_run() -> None:
    red = (run("p-", collection_errors=("t/test_b.py",)), run("p-"), run("p-"))
    assert rejection(thrice("pp"), red, thrice("pp"))[0] == "not_red"


@pytest.mark.parametrize(
    ("base", "red", "green"),
    [
        (("pp", "pf", "pp"), ("pf", "pf", "pf"), ("pp", "pp", "pp")),
        (("pp", "pp", "pp"), ("pf", "pp", "pf"), ("pp", "pp", "pp")),
        (("pp", "pp", "pp"), ("pf", "pf", "pf"), ("pp", "pp", "pf")),
        (("pp", "p-", "pp"), ("pf", "pf", "pf"), ("pp", "pp", "pp")),
    ],
    ids=["in base", "in red", "in green", "missing once"],
)
def test_a_test_that_differs_between_runs_of_one_kind_is_flaky(
    base: Sequence[str], red: Sequence[str], green: Sequence[str]
) -> None:
    kinds = [tuple(map(run, kind)) for kind in (base, red, green)]
    assert rejection(*kinds)[0] == "flaky"
    with_third = [
        tuple(run(text + letter) for text in kind) for kind, letter in zip((base, red, green), "pfp", strict=True)
    ]
    proved = decide(*with_third)
    assert proved.flaky == (NEW,)
    assert proved.fail_to_pass == ("t/test_c.py::test_third",)
    assert NEW not in proved.pass_to_pass


def test_flaky_and_passing_sets_of_no_run_are_empty() -> None:
    assert flaky_ids([]) == set()
    assert passing([]) == set()


def test_pass_to_pass_holds_what_passed_in_every_base_run_or_in_every_red_run() -> None:
    only_base = decide(thrice("p"), thrice("sf"), thrice("pp"))
    assert only_base.pass_to_pass == (OLD,)
    only_red = decide(thrice("s"), thrice("pf"), thrice("pp"))
    assert only_red.pass_to_pass == (OLD,)


def test_a_test_is_never_in_both_sets() -> None:
    proved = decide(thrice("ppp"), thrice("pfp"), thrice("ppp"))
    assert proved.fail_to_pass == (NEW,)
    assert proved.pass_to_pass == (OLD, "t/test_c.py::test_third")


def test_a_red_run_in_which_nothing_compiles_is_red() -> None:
    broken = thrice("", collection_errors=("t",), canary="absent")
    proved = decide(thrice("p"), broken, thrice("pp"))
    assert (proved.fail_to_pass, proved.pass_to_pass) == ((NEW,), (OLD,))


@pytest.mark.parametrize("facts", [{"complete": False, "canary": "absent"}, {"canary": "right"}])
def test_a_red_run_without_any_test_is_too_little_if_its_report_is_cut_or_its_runner_could_start(facts: Any) -> None:
    with pytest.raises(Rejected, match="nothing shows what fails"):
        decide(thrice("p"), thrice("", collection_errors=("t",), **facts), thrice("pp"))


@pytest.mark.parametrize(
    ("base", "red", "green", "reason", "word"),
    [
        (thrice("p"), thrice("pf"), thrice("pf"), "not_green", NEW),
        (thrice("p"), thrice("pf"), thrice("p", collection_errors=("t/test_b.py",)), "not_green", "t/test_b.py"),
        (thrice("f"), thrice("ff"), thrice("fp"), "baseline_broken", "no test passes both"),
        (thrice(""), thrice(""), thrice(""), "no_tests_ran", "no run"),
        (thrice(""), thrice("pf"), thrice("pp"), "baseline_broken", "base"),
        (thrice("p"), thrice("", ended="no_report"), thrice("pp"), "baseline_broken", "no_report"),
        (thrice("p", complete=False), thrice("pf"), thrice("pp"), "baseline_broken", "incomplete"),
        (thrice("p"), thrice("pf"), thrice("pp", complete=False), "not_green", "incomplete"),
        (thrice("p"), (run("p", ended="timeout", complete=False),), thrice("pp"), "timeout", "red"),
        (thrice("p"), thrice("pf"), (run("", ended="timeout"),), "timeout", "green"),
        (thrice("p"), (run("p", ended="out_of_memory"),), thrice("pp"), "unsupported", "memory"),
    ],
)
def test_every_other_candidate_is_rejected_with_its_reason(
    base: Sequence[Run], red: Sequence[Run], green: Sequence[Run], reason: str, word: str
) -> None:
    told = rejection(base, red, green)
    assert told[0] == reason
    assert word in told[1]


def test_one_incomplete_green_run_of_three_is_enough_to_reject() -> None:
    green = (run("pp"), run("pp"), run("pp", complete=False, exit_status=3))
    assert rejection(thrice("p"), thrice("pf"), green) == (
        "not_green",
        "a green run's report is incomplete (finished, exit status 3)",
    )


def test_a_wrong_canary_makes_a_report_incomplete_and_an_absent_one_is_written_down() -> None:
    proved = decide(thrice("p"), thrice("pf"), thrice("pp", canary="absent"))
    assert proved.canary == "absent"


def test_the_gold_runs_calibrate_the_exit_status() -> None:
    """A suite that always ends with another status (a coverage floor) is judged by that."""
    green = (run("pp", exit_status=2), run("pp", exit_status=1), run("pp", exit_status=2))
    proved = decide(thrice("p"), thrice("pf"), green)
    assert proved.gold_exit_statuses == (1, 2)
    assert proved.exit_agrees is False


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("short", ["base", "red", "green"])
def test_fewer_than_three_runs_of_a_kind_never_make_a_task(short: str, count: int) -> None:
    kinds = {"base": thrice("pp"), "red": thrice("pf"), "green": thrice("pp")}
    kinds[short] = kinds[short][:count]
    assert rejection(kinds["base"], kinds["red"], kinds["green"]) == (
        "no_tests_ran",
        f"{count} {short} runs where 3 are asked for",
    )
