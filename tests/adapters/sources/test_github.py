"""Which fixes the github source finds, in which order, with which statement and base."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from github_data import commit, hidden, issue, moment, oid, pull
from github_mining import mined, numbers
from github_server import GitHub
from graphql import GraphQLSchema, NoDeprecatedCustomRule, parse, specified_rules, validate

from adapters.sources.github import newest_merge_first
from adapters.sources.github_api import PAGE_SIZE
from adapters.sources.github_queries import QUERIES
from redgreen.errors import UsageError
from redgreen.fixes import Fix


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.split("(")[0])
def test_every_query_is_valid_against_githubs_published_schema(schema: GraphQLSchema, query: str) -> None:
    assert validate(schema, parse(query), [*specified_rules, NoDeprecatedCustomRule]) == []


def test_the_schema_check_sees_a_field_that_github_does_not_have(schema: GraphQLSchema) -> None:
    assert validate(schema, parse(QUERIES[0].replace("mergedAt", "mergedWhen"))) != []


def test_yields_the_issue_of_a_merged_pull_request(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(7, 3)]
    assert list(mined(github, tmp_path)) == [
        Fix(
            repo="acme/widget",
            url="https://github.com/acme/widget.git",
            commit=oid("squash7"),
            title="title of issue 1007",
            body="body of issue 1007",
            statement_source="issue",
            pull=7,
            issues=(1007,),
            merged_at="2024-01-04T00:00:00Z",
            base=None,
        )
    ]


def test_takes_the_repository_from_an_address_and_clones_from_there(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(7, 3)]
    [fix] = mined(github, tmp_path, repos=("ssh://git@example.org/acme/widget.git",))
    assert (fix.repo, fix.url) == ("acme/widget", "ssh://git@example.org/acme/widget.git")


def test_leaves_out_what_closes_no_issue_changes_no_test_or_has_no_merge_commit(github: GitHub, tmp_path: Path) -> None:
    lost = {**pull(4, 4), "mergeCommit": None}
    github.pulls = [pull(1, 1), pull(2, 2, issues=()), pull(3, 3, files=["src/widget.py"]), lost]
    assert numbers(mined(github, tmp_path)) == [1]


def test_finds_a_test_beyond_the_first_hundred_changed_files(github: GitHub, tmp_path: Path) -> None:
    many = [f"src/part{number}.py" for number in range(230)]
    github.pulls = [pull(1, 1, files=[*many, "tests/test_part.py"]), pull(2, 2, files=many)]
    assert numbers(mined(github, tmp_path)) == [1]
    assert github.count("Files") == 4


def test_sets_several_issues_apart_and_counts_only_its_own(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(1, 1, issues=(issue(9), issue(8), issue(5, "acme/elsewhere")))]
    [fix] = mined(github, tmp_path)
    assert fix.issues == (8, 9)
    assert fix.title == "title of issue 5 / title of issue 8 / title of issue 9"
    assert fix.body.count("\n---\n") == 2
    assert "# Issue 2 of 3: title of issue 8\n\nbody of issue 8\n" in fix.body


def test_an_issue_that_the_token_may_not_see_is_left_out_and_the_rest_kept(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(1, 1, issues=(issue(8), {**issue(9), "title": hidden}))]
    [fix] = mined(github, tmp_path)
    assert fix.issues == (8,)


def test_orders_by_merge_over_many_pages_although_github_lists_by_update(github: GitHub, tmp_path: Path) -> None:
    days = {number: (number * 37) % 101 for number in range(1, 101)}
    github.pulls = [pull(number, day, updated=day + (number * 13) % 29) for number, day in days.items()]
    assert numbers(mined(github, tmp_path)) == sorted(days, key=lambda number: days[number], reverse=True)
    assert github.count("Merged") == 100 / PAGE_SIZE


def test_pages_no_further_than_the_consumer_asks(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(number, number) for number in range(1, 101)]
    fixes = mined(github, tmp_path)
    assert github.count("Merged") == 0
    assert numbers(islice(fixes, PAGE_SIZE - 1)) == list(range(100, 101 - PAGE_SIZE, -1))
    assert github.count("Merged") == 1
    next(fixes)
    assert github.count("Merged") == 2


def test_since_and_until_are_days_of_the_merge_and_since_ends_the_paging(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(number, number + 0.5) for number in range(1, 101)]
    assert numbers(mined(github, tmp_path, since="2024-03-01", until="2024-03-03")) == [62, 61, 60]
    assert github.count("Merged") == 2


def test_a_rebased_branch_starts_before_its_oldest_commit(github: GitHub, tmp_path: Path) -> None:
    own = (commit("one", authored=moment(1)), commit("two", authored=moment(2)), commit("three", authored=moment(3)))
    main = [
        commit("three+", ("two+",), authored=moment(3), pulls=(1,)),
        commit("two+", ("one+",), authored=moment(2), pulls=(1,)),
        commit("one+", ("main",), authored=moment(1), pulls=(1,)),
        commit("main", ("older",)),
    ]
    github.pulls = [pull(1, 4, commits=own, merged_as=main)]
    assert [(fix.commit, fix.base) for fix in mined(github, tmp_path)] == [(oid("three+"), oid("main"))]


def test_a_rebased_branch_ends_where_the_one_that_it_was_stacked_on_begins(github: GitHub, tmp_path: Path) -> None:
    own = (commit("one", authored=moment(1)), commit("two", authored=moment(2)), commit("three", authored=moment(3)))
    main = [
        commit("three+", ("two+",), authored=moment(3), pulls=(2,)),
        commit("two+", ("one+",), authored=moment(2), pulls=(2,)),
        commit("one+", ("main",), authored=moment(1), pulls=(1,)),
        commit("main", ("older",)),
    ]
    github.pulls = [pull(2, 4, commits=own, merged_as=main)]
    assert [fix.base for fix in mined(github, tmp_path)] == [oid("one+")]


def test_a_squash_and_a_merge_commit_leave_the_base_to_their_parents(github: GitHub, tmp_path: Path) -> None:
    own = (commit("one", authored=moment(1)), commit("two", authored=moment(2)))
    squash = [commit("two+", ("main",), authored=moment(3)), commit("main", ("older",))]
    merge = [commit("merge", ("main", "two"), authored=moment(3)), *own[::-1]]
    github.pulls = [pull(1, 1, commits=own, merged_as=squash), pull(2, 2, commits=own, merged_as=merge), pull(3, 3)]
    assert [(fix.pull, fix.base) for fix in mined(github, tmp_path)] == [(3, None), (2, None), (1, None)]
    assert [asked["number"] for name, asked in github.asked if name == "History"] == [1]


def test_a_rebased_branch_too_long_to_follow_is_left_out_aloud(
    github: GitHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tuple(commit(f"c{place}", (f"c{place - 1}",), authored=moment(place)) for place in range(1, 120))
    github.pulls = [pull(1, 200, commits=own, merged_as=list(own[::-1])), pull(2, 201)]
    assert numbers(mined(github, tmp_path)) == [2]
    assert "pull request 1 left out: rebased" in capsys.readouterr().err


def test_named_pull_requests_are_asked_for_directly_with_their_own_text_if_need_be(
    github: GitHub, tmp_path: Path
) -> None:
    github.pulls = [*(pull(number, number) for number in range(1, 60)), pull(60, 60, issues=(), files=["readme"])]
    fixes = list(mined(github, tmp_path, pulls=(5, 60, 5)))
    assert [(fix.pull, fix.statement_source, fix.title) for fix in fixes] == [
        (60, "pull_request", "title of pull request 60"),
        (5, "issue", "title of issue 1005"),
    ]
    assert [name for name, _ in github.asked] == ["Pull", "Pull"]


def test_named_commits_are_asked_for_directly(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(number, number) for number in range(1, 60)]
    assert numbers(mined(github, tmp_path, commits=(oid("squash9")[:16],))) == [9]
    assert [name for name, _ in github.asked] == ["Commit"]
    with pytest.raises(UsageError, match="no pull request was merged as commit abcdef0"):
        list(mined(github, tmp_path, commits=("abcdef0",)))


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"repos": ("acme/gone",)}, "Could not resolve to a Repository with the name 'acme/gone'"),
        ({"pulls": (99,)}, "Could not resolve to a PullRequest with the number of 99"),
        ({"pulls": (2,)}, "pull request 2 is not merged"),
        ({"repos": ("no repository",)}, "no repository"),
    ],
)
def test_what_does_not_exist_is_a_usage_error(
    github: GitHub, tmp_path: Path, wish: dict[str, object], message: str
) -> None:
    github.pulls = [pull(1, 1), {**pull(2, 2), "mergedAt": None, "mergeCommit": None}]
    with pytest.raises(UsageError, match=message):
        list(mined(github, tmp_path, **wish))  # type: ignore[arg-type]
    assert github.clock.slept == []


def test_the_order_is_that_of_number_where_merges_share_a_second() -> None:
    merged = [{"number": number, "mergedAt": moment(1), "updatedAt": moment(1)} for number in (2, 3, 1)]
    assert [one["number"] for one in newest_merge_first([merged[:1], merged[1:]])] == [3, 2, 1]
