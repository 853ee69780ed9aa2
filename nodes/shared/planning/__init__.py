"""Plans: made by rule, sketched by a model, identified, filled with values, and replaced where they broke.

    plan_rules      what a model is told of tasks, tools and documents; analysis as a task
    plan_reply      the sketch of a plan as a model gives it
    rule_plan       the plan that rules make of a question
    tool_choice     which tools a question calls for, ranked and chosen
    references      references to tasks filled with their values
    task_identity   which new task is an old one, and what an old plan hands on
    replanning      what comes after a plan that failed in part
    expectation     what a plan will take, from what such tasks took before
    perspectives    who would look at a deep question, and at what
    question_graph  a plan as text: each question under the one it came from

Used by several agents; knows none of them.
"""
