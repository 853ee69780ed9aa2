"""The `weiwo` command.

A command is a module with a `typer.Typer` named `app`, listed in `command_group.py` and imported when its name is used.
It prints its results on standard output (one object with `--json`), writes everything else to standard error in single
lines, and exits with a code of `errors.py`. LangGraph is imported only inside functions, except for commands that do
nothing without it.

Modules:
    main              parsing before any command, reporting of failures
    command_group     the table of commands, arguments that are a question
    lazy_group        groups whose commands are imported when they are named
    options           shared options, validation of arguments
    help_command      `--help` and `--help-all`
    help_page         help in panels
    output            standard output and error
    progress_line     progress of a longer operation
    event_loop        a command's coroutine, stopped by signals
    session           the database and the graph
    errors            exit codes
    questions         ask, check, resume, feedback
    threads           threads, show, refresh
    documents         index, corpus, search, stats
    memory            memory: preferences, answers, plans, procedures
    setup             trust, setup, doctor
    evaluation        eval
    tools, mcp, serve commands of one module each
"""
