"""Cached properties read by several threads."""

from threading import Barrier, Thread

from weiwo.state.cached_property import cached_property


class Link:
    """Two properties that read each other's of the next link, the first of a chain once another thread has begun too."""

    def __init__(self, following: "Link | None" = None, begun: Barrier | None = None) -> None:
        self.following, self.begun, self.computed = following, begun, 0

    def _count(self) -> None:
        self.computed += 1
        if self.begun:
            self.begun.wait(120)

    @cached_property
    def first(self) -> int:
        """How many links follow, read by turns."""
        self._count()
        return self.following.second + 1 if self.following else 0

    @cached_property
    def second(self) -> int:
        """The same."""
        self._count()
        return self.following.first + 1 if self.following else 0


def test_threads_that_read_two_properties_in_turn_do_not_wait_for_each_other():
    begun = Barrier(2)
    one, other = Link(Link(), begun), Link(Link(), begun)
    threads = [Thread(target=lambda: one.first, daemon=True), Thread(target=lambda: other.second, daemon=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    assert (vars(one)["first"], vars(other)["second"]) == (1, 1)


def test_a_value_is_computed_once_and_kept():
    link = Link(Link())
    assert (link.first, link.first, link.computed) == (1, 1, 1)
    assert isinstance(Link.first, cached_property)
