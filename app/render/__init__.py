"""Terminal output of the command: a run in progress, and the answer, on a terminal or in lines.

`progress` accumulates the events of a run. `plan_tree` draws it as a tree, `live` in place while it changes, `watchers`
in lines. `answer` prints the answer with its sources and its foot, `markdown` its Markdown, `search_results` the
passages of a search and tables of figures. `text_wrapping` breaks lines, `labels` holds the few words around. Text from
outside is made printable here, and is never markup.
"""
