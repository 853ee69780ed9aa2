"""What the command shows: a run while it goes on, and its answer, on a terminal or in lines.

`progress` is what the events of a run add up to. `plan_tree` draws it as a tree, `live` in place while it changes,
`watchers` in lines; `answer` prints the answer with its sources and its foot, `markdown` its Markdown, `search_results`
the passages of a search and tables of figures. `text_wrapping` breaks lines, `labels` holds the few words around. Text
from outside is made printable here, and is never markup.
"""
