"""The commands that measure: retrieval, answers, tools."""

from typing import Annotated, Any

import typer

from weiwo.app.cli.options import Json, takes_context

Limit = Annotated[int | None, typer.Option("--limit", min=1, help="The first so many questions.")]
Results = Annotated[
    str | None, typer.Option("--output", metavar="FOLDER", help="The folder of results. Default: below WEIWO_HOME.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with an evaluation that was stopped.")]

evaluation = typer.Typer()
evaluations = typer.Typer(help="Measure over labelled sets.", no_args_is_help=True)
evaluation.add_typer(evaluations, name="eval")


@evaluations.callback()
def _group() -> None:
    """Measure over labelled sets."""


@evaluations.command()
def retrieval(
    folder: Annotated[
        str | None,
        typer.Argument(
            metavar="DATASET_DIR",
            help="A BEIR-shaped folder: corpus.jsonl, queries.jsonl, qrels.tsv or qrels/test.tsv; or demo.",
        ),
    ] = None,
    *,
    k: Annotated[int, typer.Option("--k", "-k", min=1, max=100, help="How many documents count.")] = 5,
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy",
            metavar="NAME",
            help="all, or one of: auto, hybrid, keyword, vector.",
        ),
    ] = "all",
    learn: Annotated[bool, typer.Option("--learn", help="Let the policy in shadow learn from half the set.")] = False,
    promote: Annotated[
        bool, typer.Option("--promote", help="One step up, if the other half proves it: shadow, trial, default.")
    ] = False,
    demote: Annotated[
        bool, typer.Option("--demote", help="One step back; from shadow, forget what was learned. Needs no set.")
    ] = False,
    share: Annotated[
        float | None,
        typer.Option("--share", min=0.0, max=1.0, help="With --promote: what a policy on trial decides (0.05)."),
    ] = None,
    json: Json = False,
) -> None:
    """Evaluate each strategy, the router, and the best choice there is per question."""
    from weiwo.app.cli.evaluation.retrieval import eval_command  # noqa: PLC0415 - heavy

    eval_command(folder, k=k, strategy=strategy, learn=learn, promote=promote, demote=demote, share=share, as_json=json)


@evaluations.command()
@takes_context("model", "depth", "corpus", "web")
def answers(  # noqa: PLR0913 - each option is a parameter
    target: Annotated[
        str,
        typer.Argument(
            metavar="SET",
            help="A BEIR-shaped folder whose queries have answers, a file of JSON lines, or a folder of results.",
        ),
    ],
    *,
    limit: Limit = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Ask plain RAG and a ReAct loop, too: same model, search and limits.")
    ] = False,
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="PROVIDER:MODEL", help="Let this model grade what matching of words cannot."),
    ] = None,
    output: Results = None,
    resume: Resume = False,
    langsmith: Annotated[
        bool, typer.Option("--langsmith", help="Send the set as a dataset and the results as experiments to LangSmith.")
    ] = False,
    json: Json = False,
    context: Any,
) -> None:
    """Evaluate answers: what is right, wrong, cited and on the screen, and what it takes."""
    from weiwo.app.cli.evaluation.answers import answers_command  # noqa: PLC0415 - heavy
    from weiwo.app.cli.evaluation.experiments import ExperimentOptions  # noqa: PLC0415 - heavy

    options = ExperimentOptions(limit, judge, output, resume, json)
    answers_command(target, context, options, baseline=baseline, langsmith=langsmith)


@evaluations.command()
@takes_context("model", "depth", "corpus", "web")
def report(
    target: Annotated[
        str,
        typer.Argument(
            metavar="SET",
            help="A folder with documents/ and questions.jsonl, a file of JSON lines, or a folder of results.",
        ),
    ],
    *,
    limits: Annotated[
        str, typer.Option("--limits", metavar="N,N,…", help="Tool calls that an answer may take.")
    ] = "2,20,150",
    limit: Limit = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="PROVIDER:MODEL", help="Let this model look for facts told in other words."),
    ] = None,
    output: Results = None,
    resume: Resume = False,
    json: Json = False,
    context: Any,
) -> None:
    """Evaluate long answers, deep by default: facts covered, stale values, claims and citations that hold."""
    from weiwo.app.cli.evaluation.experiments import ExperimentOptions  # noqa: PLC0415 - heavy
    from weiwo.app.cli.evaluation.report import report_command  # noqa: PLC0415 - heavy

    context = context.model_copy(update={"depth": context.depth or "deep"})
    report_command(target, limits, context, ExperimentOptions(limit, judge, output, resume, json))


@evaluations.command()
def label(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder that weiwo telemetry --hard wrote.")],
    *,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="PROVIDER:MODEL", help="Let this model judge, and ask nobody.")
    ] = None,
) -> None:
    """Judge which documents answer the questions that were served badly: in the terminal, or by a model."""
    from weiwo.app.cli.evaluation.label import label_command  # noqa: PLC0415 - heavy

    label_command(folder, judge)


@evaluations.command()
def calibration(
    folders: Annotated[
        list[str], typer.Argument(metavar="RESULTS...", help="Folders of results of eval answers, with one model.")
    ],
    *,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the fit if it is better on the half it has not seen.")
    ] = False,
    json: Json = False,
) -> None:
    """Fit a model's confidence, so that what it says with 0.9 is right nine times in ten."""
    from weiwo.app.cli.evaluation.calibration import calibration_command  # noqa: PLC0415 - heavy

    calibration_command(folders, keep=keep, as_json=json)


@evaluations.command()
def tools(
    folder: Annotated[
        str,
        typer.Argument(metavar="DATASET_DIR", help="A BEIR-shaped folder whose documents are tools."),
    ],
    *,
    history: Annotated[
        str | None,
        typer.Option("--history", metavar="DATASET_DIR", help="Learn from this set which tools are used together."),
    ] = None,
    json: Json = False,
) -> None:
    """Evaluate how well the tools that a question needs are found."""
    from weiwo.app.cli.evaluation.tools import eval_tools_command  # noqa: PLC0415 - heavy

    eval_tools_command(folder, history, as_json=json)
