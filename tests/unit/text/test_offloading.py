"""Work over short texts is done on the event loop, and over long texts in a thread."""

import threading

import pytest

from weiwo.state import Evidence
from weiwo.text.offloading import offload_long, offload_reading


@pytest.mark.parametrize(("characters", "on_the_loop"), [(100, True), (100_000, False)])
async def test_only_long_texts_are_read_in_a_thread(characters, on_the_loop):
    own = threading.get_ident()
    assert (await offload_long(characters, threading.get_ident) == own) is on_the_loop
    passage = Evidence(id="e", text="x" * characters, source="s.md", title="s")
    assert (await offload_reading([passage], threading.get_ident) == own) is on_the_loop
