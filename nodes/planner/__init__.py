"""The planner: makes a plan of typed tasks (a directed acyclic graph), checks and repairs it, and asks for approval.

    node       plans by a model, from memory or by rule, and revisions of failed plans
    prompt     prompts for a model
    toolset    the tools that a plan may use
    autofix    obvious repairs of a sketch
    validator  requirements of a plan before it runs (a complaint names task and field)
    approval   a person approves, edits or sends back a plan

A plan that leaves this room is valid.
"""
