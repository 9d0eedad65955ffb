"""The ledger: what runs spend is counted once, at its most until it is settled, whoever counts beside."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from redgreen.documents import Limit
from redgreen.errors import UsageError
from redgreen.ledger import Ledger, Spent

NONE = Limit()


def test_a_call_counts_at_its_most_until_it_is_settled(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "spend.jsonl", "demo/a")
    name, _ = ledger.reserve(Spent(usd=0.5, tokens=900, turns=1), NONE, NONE)
    assert name
    assert ledger.spent() == Spent(usd=0.5, tokens=900, turns=1)
    ledger.settle(name, Spent(usd=0.1, tokens=200, turns=1))
    assert ledger.spent() == Spent(usd=0.1, tokens=200, turns=1)


@pytest.mark.parametrize(
    ("limit", "words"),
    [(Limit(usd=0.9), "usd: 1 of 0.9"), (Limit(tokens=99), "tokens: 100 of 99"), (Limit(turns=1), "turns: 2 of 1")],
)
def test_a_call_that_could_exceed_a_limit_is_refused_before_it_is_made(
    tmp_path: Path, limit: Limit, words: str
) -> None:
    one = Spent(usd=0.5, tokens=50, turns=1)
    for scope, limits in (("run", (limit, NONE)), ("total", (NONE, limit))):
        ledger = Ledger(tmp_path / scope / "spend.jsonl", "demo/a")
        assert ledger.reserve(one, *limits)[0]
        assert ledger.reserve(one, *limits) == (None, f"{scope} budget, {words}")
        assert ledger.spent() == one


def test_another_run_counts_for_the_total_and_not_for_the_run(tmp_path: Path) -> None:
    one, limit = Spent(usd=0.5, turns=1), Limit(usd=0.5)
    assert Ledger(tmp_path / "spend.jsonl", "demo/a").reserve(one, NONE, NONE)[0]
    other = Ledger(tmp_path / "spend.jsonl", "demo/b")
    assert other.reserve(one, NONE, limit)[0] is None
    assert other.reserve(one, limit, NONE)[0]


def test_many_at_once_never_spend_more_than_the_limit(tmp_path: Path) -> None:
    def ask(_: int) -> bool:
        return Ledger(tmp_path / "spend.jsonl", "demo/a").reserve(Spent(turns=1), Limit(turns=10), NONE)[0] is not None

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(40))) == 10


def test_half_a_line_of_a_killed_process_is_passed_over_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "spend.jsonl"
    ledger = Ledger(path, "demo/a")
    assert ledger.reserve(Spent(turns=1), NONE, NONE)[0]
    path.write_bytes(path.read_bytes() + b'{"call": "x", "tok')
    assert ledger.reserve(Spent(turns=1), NONE, NONE)[0]
    assert ledger.spent().turns == 2
    path.write_bytes(b'{"no": "call"}\n' + path.read_bytes())
    with pytest.raises(UsageError, match=r"spend\.jsonl: line 1: no record of a call"):
        ledger.spent()
