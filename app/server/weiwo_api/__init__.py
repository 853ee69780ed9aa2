"""Weiwo's own API, which the page draws from, and the page's files.

installation_routes  what the installation is: settings, corpora, tools
setup_routes         settings that are set on the page
answer_routes        a thread: its answer, passages, feedback, forks
answer_views         downloads, and passages in their context
memory_routes        what is remembered
uploads              files that a person drops
descriptions         settings and tools, described
page_files           the page itself
"""
