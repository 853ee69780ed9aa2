"""Plans: making them by rule or model, identity of tasks, filling with values, and replacement.

    plan_rules      prompt text about tasks, tools and documents; analysis as a task
    plan_reply      the sketch of a plan from a model
    rule_plan       the plan that rules make of a question
    table_request   requests over tables with a model
    tool_choice     which tools a question calls for, ranked and chosen
    references      references to tasks filled with their values
    task_identity   matching of new and old tasks, and the results handed on by an old plan
    replanning      the next plan after a partial failure
    expectation     the expected cost of a plan, from earlier costs of tasks
    perspectives    who would look at a deep question, and at what
    question_graph  a plan as text: each question under the one it came from

Used by several agents. Knows none of them.
"""
