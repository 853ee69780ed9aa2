"""The `weiwo` command.

A command is one module with a `typer.Typer` named `app`, listed in `command_group.py` and imported when it is named. It
prints what it found on standard output (one object with `--json`), says the rest on standard error in single lines, and
exits with a code of `errors.py`. LangGraph is imported by functions alone, but for commands that do nothing without.

Modules:
    main              what is read before any command; how a failure is told
    command_group     the table of commands; words that are a question
    lazy_group        groups whose commands are imported when they are named
    options           options that several commands take; what was typed, checked
    text_parameters   text as it was typed, without pydantic
    help_page         help in panels
    output            standard output and error
    progress_line     how far a longer work is
    event_loop        a command's coroutine, stopped by signals
    session           the database and the graph
    errors            exit codes
    questions         ask, check, resume, feedback
    threads           threads, show, refresh
    documents         index, corpus, search, stats
    memory            memory: wishes, answers, plans, procedures
    setup             trust, setup, doctor
    evaluation        eval
    tools, mcp, serve commands of one module each
"""
