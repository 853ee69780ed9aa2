"""The cost notice: what a deep search is expected to cost, said before it runs; above `WEIWO_ASK_COST` it asks."""

import os
from pathlib import Path
from typing import Final

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.output import YES, can_ask, hint
from weiwo.app.cli.questions.requests import answering, read_line
from weiwo.app.cli.questions.spending import expect_tokens, read_spending
from weiwo.app.render.labels import label
from weiwo.state.settings import Settings
from weiwo.text.language import detect_language

VARIABLE: Final = "WEIWO_ASK_COST"


def tell_cost(question: str, settings: Settings, *, as_json: bool) -> None:
    """Say what a deep search is expected to cost; on a terminal ask whether to run it, where that is much.

    Nothing is said of a search that is not deep, or of models whose price is not known.

    Args:
        question: The question, which tells the language.
        settings: The settings of the run.
        as_json: Whether one object is to be printed, and nobody asked.

    Raises:
        UsageError: `WEIWO_ASK_COST` is no amount.
        CommandError: The person would rather not.
    """
    if settings.depth != "deep" or not settings.models:
        return
    from weiwo.models.prices import cost_of, list_price_date, price_of  # noqa: PLC0415 - heavy

    names = set(settings.models.values())
    prices = [price for name in names if (price := price_of(settings, name)) is not None]
    if len(prices) < len(names):
        return
    most = (max(price[0] for price in prices), max(price[1] for price in prices))
    sent, received, answers = expect_tokens(read_spending(Path(settings.home)), settings.depth)
    expected = cost_of(most, sent, received)
    limit = min(cost_of((max(most),) * 2, settings.limits.max_tokens, 0), settings.limits.max_cost or float("inf"))
    language, listed = detect_language(question), list_price_date(settings, names)
    why = label(language, "cost_as_before", f"{answers:,}") if answers else label(language, "cost_assumed")
    told = label(language, "cost", f"{expected:.2f}", f"{sent + received:,}", why, f"{limit:.2f}")
    hint(told + label(language, "list_prices", listed) * bool(listed))
    threshold = _read_threshold()
    if threshold is None or expected <= threshold or as_json or not can_ask():
        return
    stopped = "nothing was asked; give --depth normal, or raise WEIWO_ASK_COST"
    with answering(stopped):
        if read_line(label(language, "cost_prompt")).casefold() in YES:
            return
    raise CommandError(stopped)


def _read_threshold() -> float | None:
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise UsageError(f"{VARIABLE}; {text[:40]!r} is no amount of US dollars; write, say, 0.50")
    return amount
