"""Results as the writer makes them, for what shows them."""

import json
from pathlib import Path
from typing import Any

_RESULT = Path(__file__).parents[1] / "data" / "result.json"

ANSWER = """## Prices

Aurora costs **20 euros** a month [1]. It was founded in 2011 [2]; see `aurora --help`.

| Year | Price (EUR) |
|---|---|
| 2021 | 15 [2] |
| 2022 | 18 [2] |
| 2023 | 20 [1] |

1. First, install it [1].
   - On Linux, take the package.
2. Then run it (unverified).

```python
print("<b>hello</b>")
```

> Words of the maker.
"""


def make_result(answer: str = ANSWER, **changes: Any) -> dict[str, Any]:
    """A result about two versions of a private document, a page of the web and a calculation."""
    return {**json.loads(_RESULT.read_text(encoding="utf-8")), "answer": answer, **changes}
