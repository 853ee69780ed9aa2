"""Finding and trying what answers and searches: shared by `weiwo setup` and the settings of the page.

servers      model servers on this machine
model_probe  a model's speed, one question asked of it, and its switch for thinking
trial        settings tried in a process of their own, before they are kept
"""
