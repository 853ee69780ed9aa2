"""Finding and trying models and search services, for `weiwo setup` and the page's settings.

words        phrases of the set-up, with a server's problem among them
model_probe  a model's speed, one question asked of it, and its switch for thinking
trial        settings tried in a process of their own, before they are kept
"""
