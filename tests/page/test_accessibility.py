"""axe-core finds nothing serious, in either theme; skipped where its package is not installed."""

from typing import Any

import pytest

from tests.page.player import STATIC, recording

AXE = STATIC.parent / "node_modules" / "axe-core" / "axe.min.js"


def serious(page: Any) -> list[str]:
    page.evaluate("(source) => { (0, eval)(source); }", AXE.read_text())
    passed, found = page.evaluate("axe.run(document).then(({passes, violations}) => [passes.length, violations])")
    assert passed > 15, "it looked"
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0]['failureSummary'][:300]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: make page")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_page, player, scheme):
    player.csp = False  # axe is brought in by the test
    page = new_page(color_scheme=scheme, reduced_motion="reduce")
    page.wait_for_selector("textarea[name=question]")
    assert serious(page) == []
    page.check("input[name=approve]")
    page.fill("textarea[name=question]", recording("approval")["question"])
    page.press("textarea[name=question]", "Enter")
    page.wait_for_selector("[data-interrupt=approve_plan]")
    page.click("[data-action=edit]")
    assert serious(page) == []
    page.click("[data-action=run-edited]")
    page.wait_for_selector(".shell[data-status=complete]")
    page.click("[data-action=show-plan]")
    page.click("[data-task=task_1]")
    page.wait_for_selector("[data-detail]")
    assert serious(page) == []
    page.goto(player.url + "/#/settings")
    page.click(".all-settings summary")
    page.wait_for_selector(".page table")
    assert serious(page) == []
