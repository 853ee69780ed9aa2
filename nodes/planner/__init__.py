"""The planner: plans a DAG of typed tasks, validates and repairs the DAG, and asks for approval.

    node       a plan sketched by a model, out of memory or by rule; the next revision of a failed plan
    prompt     prompts for a model
    toolset    the tools that a plan may use
    autofix    obvious repairs of a sketch
    validator  requirements of a plan before it runs; each complaint names task and field
    approval   a person approves, edits or sends back a plan

A plan that leaves this room is valid.
"""
