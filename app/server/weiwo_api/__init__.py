"""Weiwo's own API, which the page draws from, and the page's files.

installation_routes  what the installation is: settings, corpora, tools, described
setup_routes         settings that are set on the page
answer_routes        a thread: its answer, downloads, passages in their context, feedback, forks
memory_routes        what is remembered
uploads              files that a person drops
page_files           the page itself
"""
