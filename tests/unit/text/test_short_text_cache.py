"""The cache of what is found in short texts."""

from weiwo.text.short_text_cache import cache_short_texts


def test_a_short_text_is_read_once_and_each_caller_gets_a_list_of_their_own():
    read = []

    @cache_short_texts
    def find_words(text, least=1):
        read.append(text)
        return [word for word in text.split() if len(word) >= least]

    first = find_words("a bc")
    first.clear()
    assert find_words("a bc") == ["a", "bc"]
    assert find_words("a bc", 2) == ["bc"]
    assert read == ["a bc", "a bc"]


def test_a_long_text_is_not_kept():
    read = []

    @cache_short_texts
    def find_words(text):
        read.append(text)
        return text.split()

    long = "word " * 1_000
    assert find_words(long) == find_words(long)
    assert len(read) == 2
