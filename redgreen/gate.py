"""The gate: from three base, three red and three green runs to a task, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from redgreen.documents import Outcome, Reason, Run, Verified
from redgreen.errors import Rejected

RUNS = 3
"""Runs of each kind: fewer show nothing about flakiness."""
FAILING = {"failed", "error"}
Outcomes = Mapping[str, Outcome]


def flaky_ids(runs: Sequence[Run]) -> set[str]:
    """Tests that did not come out alike in all runs of one kind, be it that one run lacks them."""
    everywhere = {test for run in runs for test in run.outcomes}
    return {test for test in everywhere if len({run.outcomes.get(test) for run in runs}) > 1}


def passing(runs: Sequence[Run]) -> set[str]:
    """Tests that genuinely passed in every one of the runs."""
    if not runs:
        return set()
    return set.intersection(*({test for test, outcome in run.outcomes.items() if outcome == "passed"} for run in runs))


def cannot_be_loaded(test: str, run: Run) -> bool:
    return any(_within(test, broken) for broken in run.collection_errors)


def _fails_before(test: str, base: Sequence[Run], red: Sequence[Run], taken_along: Container[str]) -> bool:
    """Failing, erroring or absent in every red run.

    Absent counts only where the absence means something: the test is new, or its file could not be loaded. A test that
    existed and is merely missing (a hang or a crash ate the rest of the suite) proves nothing, nor does one that was
    only taken along by what else its file holds.
    """
    known = any(test in run.outcomes for run in base)
    for run in red:
        outcome = run.outcomes.get(test)
        if outcome is None:
            if known and not cannot_be_loaded(test, run):
                return False
            if test in taken_along:
                return False
        elif outcome not in FAILING:
            return False
    return True


def _within(test: str, suite: str) -> bool:
    """Whether a test's id lies below the id of a file or suite. An unnamed suite holds everything."""
    return not suite or test == suite or test.startswith((suite + "::", suite + "/"))


def decide(base: Sequence[Run], red: Sequence[Run], green: Sequence[Run], changed: Container[str] = ()) -> Verified:
    """Prove a task from its runs. `changed`: of the tests that no red run could load, those that the fix changes.

    fail_to_pass: failing, erroring or absent in every red run, genuinely passing in every green run.
    pass_to_pass: passing in every base run or in every red run, and in every green run.
    What differs between runs of one kind is flaky, and required by nobody.

    Raises:
        Rejected: with a reason of the closed list.
    """
    _check_runs(base, red, green)
    flaky = flaky_ids(base) | flaky_ids(red) | flaky_ids(green)
    gold = passing(green) - flaky
    left_alone = {test for test in passing(base) if test not in changed}
    fail_to_pass = {test for test in gold if _fails_before(test, base, red, left_alone)}
    pass_to_pass = ((passing(base) | passing(red)) & gold) - fail_to_pass
    if not fail_to_pass:
        _reject_without_fail_to_pass(base, red, green, flaky)
    if not pass_to_pass:
        raise Rejected("baseline_broken", "no test passes both before and after the fix")
    return Verified(
        fail_to_pass=tuple(sorted(fail_to_pass)),
        pass_to_pass=tuple(sorted(pass_to_pass)),
        flaky=tuple(sorted(flaky)),
        gold_exit_statuses=tuple(sorted({run.exit_status for run in green if run.exit_status is not None})),
        exit_agrees=all(run.exit_agrees for run in green),
        canary="right" if all(run.canary == "right" for run in green) else "absent",
        broken=tuple(sorted({suite for run in green for suite in run.collection_errors})),
    )


def _check_runs(base: Sequence[Run], red: Sequence[Run], green: Sequence[Run]) -> None:
    for kind, runs in (("base", base), ("red", red), ("green", green)):
        if any(run.ended == "timeout" for run in runs):
            raise Rejected("timeout", f"a {kind} run did not end in time")
        if any(run.ended == "out_of_memory" for run in runs):
            raise Rejected("unsupported", f"a {kind} run needs more memory than the limit")
        if len(runs) < RUNS:
            raise Rejected("no_tests_ran", f"{len(runs)} {kind} runs where {RUNS} are asked for")
    if not any(run.outcomes for run in [*base, *red, *green]):
        raise Rejected("no_tests_ran", "no run reported a single test")
    if any(not run.outcomes for run in base):
        raise Rejected("baseline_broken", f"a base run reported no test ({base[0].ended})")
    if any(not run.outcomes and not _says_what_is_broken(run) for run in red):
        raise Rejected("baseline_broken", f"a red run reported no test ({red[0].ended}): nothing shows what fails")
    for kind, runs in (("base", base), ("green", green)):
        if any(not run.complete for run in runs):
            reason: Reason = "baseline_broken" if kind == "base" else "not_green"
            bad = next(run for run in runs if not run.complete)
            raise Rejected(reason, f"a {kind} run's report is incomplete ({bad.ended}, exit status {bad.exit_status})")


def _says_what_is_broken(run: Run) -> bool:
    """A compiled project with one module has no result at all where a new test does not compile: that is one. Where a
    runner could be started, as our canaries show, and not one test loads, too little is known."""
    return run.complete and bool(run.collection_errors) and run.canary == "absent"


def _reject_without_fail_to_pass(
    base: Sequence[Run], red: Sequence[Run], green: Sequence[Run], flaky: set[str]
) -> None:
    """Say which of the reasons it is: each looks at the tests that failed, or were not there, before the fix."""
    before = {test for run in [*red, *green] for test in run.outcomes if _ever_fails_before(test, base, red)}
    if before & flaky & {test for run in green for test in run.outcomes}:
        raise Rejected("flaky", f"what fails before the fix does not come out alike: {_some(before & flaky)}")
    failing_after = {test for run in green for test, outcome in run.outcomes.items() if outcome in FAILING}
    if before & failing_after:
        raise Rejected("not_green", f"still failing with the fix: {_some(before & failing_after)}")
    broken = {suite for run in green for suite in run.collection_errors}
    if broken and not (broken <= {suite for run in base for suite in run.collection_errors}):
        raise Rejected("not_green", f"cannot be loaded with the fix: {_some(broken)}")
    raise Rejected("not_red", "every test that passes with the fix passes without it")


def _ever_fails_before(test: str, base: Sequence[Run], red: Sequence[Run]) -> bool:
    if any(run.outcomes.get(test) in FAILING for run in red):
        return True
    return any(test not in run.outcomes for run in red) and not any(test in run.outcomes for run in base)


def _some(tests: set[str], most: int = 3) -> str:
    named = ", ".join(sorted(tests)[:most])
    return named if len(tests) <= most else f"{named} and {len(tests) - most} more"
