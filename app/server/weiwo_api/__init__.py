"""Weiwo's own API for the page, and the page's files.

installation_routes  the installation: settings, corpora, tools, described
setup_routes         settings that are set on the page
answer_routes        a thread: its answer, downloads, passages in their context, feedback, forks
memory_routes        the memory
uploads              files that a person drops
page_files           the page itself
"""
