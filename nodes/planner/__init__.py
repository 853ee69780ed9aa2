"""The planner: plans a DAG of typed tasks, validates and repairs it, and has people approve it.

    node       a plan sketched by a model, out of memory or by rule; the next revision of one that broke
    prompt     what a model is told
    toolset    the tools that a plan may use
    autofix    a sketch mended where its meaning is obvious
    validator  what a plan must satisfy before it runs; each complaint names task and field
    approval   a person approves, edits or sends back a plan

A plan that leaves this room is valid.
"""
