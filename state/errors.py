"""The error tree: every exception of Weiwo's own derives from `WeiwoError`.

Those that stand for a wrong value, a missing thing or a broken machine are also the built-in exception that says so,
named in brackets. A message is one line for people and holds no secret. Each class lives beside the code that raises
it; what is handled inside one folder and never leaves it is marked `·`.

    WeiwoError
    ├── SettingsError (ValueError)            state.environment             a setting cannot be used
    ├── PlanFormatError (ValueError)          state.plan                      a plan is not of the interchange form
    ├── StateUpdateError (InvalidUpdateError)  state.channels                  an update is not of a field's type
    ├── QuestionError (ValueError)            nodes.shared.question.validation  a question cannot be asked
    ├── UnknownYearError (ValueError)         nodes.shared.question.table_periods  · a period has no year
    ├── ProcedureFolderError (ValueError)     nodes.memory.procedures         the folder of procedures cannot be used
    ├── ProcedureFormatError (ValueError)     nodes.memory.procedures       · a file is no procedure
    ├── WishError (ValueError)                nodes.memory.wishes             a wish cannot be kept
    ├── MemoryStoreError (RuntimeError)       nodes.memory.memory_store       what is remembered cannot be read
    ├── ModelCallError                        models.errors                   a model gave no usable reply
    │   ├── ModelUnavailableError             models.errors                   it cannot be asked at all
    │   ├── BudgetExhaustedError              models.errors                   the run has no room for the call
    │   └── ModelRequestError                 models.errors                   the request brought no reply
    ├── SchemaMismatchError (ValueError)      models.coercion               · a reply's JSON does not fit its schema
    ├── ToolCallError (ToolException)         tools.calling.errors            a tool call came to nothing
    │   └── ToolNotCalledError                tools.calling.errors            it was not made, for the run's own reasons
    ├── CorpusError (ValueError)              tools.corpus.base               a corpus cannot be used
    │   ├── NoPlaceError                      tools.corpus.base               there is nowhere to keep an index
    │   ├── BusyError                         tools.corpus.index.writer       another process writes to it
    │   ├── EmbeddingError                    tools.corpus.index.embedding_models  the embedding model gives no vectors
    │   ├── PolicyError                       tools.corpus.retrieval.routing_policy  a retrieval policy cannot be read
    │   └── DatasetError                      tools.corpus.evaluation.dataset an evaluation set cannot be read
    ├── DocumentNotFoundError (LookupError)   tools.corpus.base               a corpus has no such document
    ├── UnreadableError (ValueError)          tools.corpus.formats.encodings  a file holds no text that can be read
    ├── WorkerError                           tools.corpus.ingestion.worker_pool  · a parsing process did not finish
    ├── GenerationBuriedError                 tools.corpus.retrieval.passage_search  · a generation of an index is gone
    ├── EngineError                           tools.tables.engine_pool        the table engine failed
    ├── TableRequestError (ValueError)        tools.tables.request          · a request to a table cannot be run
    ├── _TableTooLargeError (ValueError)      tools.tables.table_store      · a table that cannot be asked
    ├── VectorsMissingError                   tools.selection.vector_cache  · texts have no vector yet
    ├── UrlRefusedError (ValueError)          tools.web.fetching.url_guard    a URL may not be fetched
    ├── _RefusedError                         tools.web.fetching.guarded_proxy  · a browser's request is refused
    ├── UnknownHostError (OSError)            tools.web.fetching.guarded_transport  · nobody has that host name
    ├── ProviderError                         tools.web.providers.provider  · a search provider says it did not search
    ├── StorageError (RuntimeError)           graph.persistence.storage       threads cannot be kept or read
    │   ├── DatabaseUrlError                  graph.persistence.storage       the database's address is none
    │   └── CheckpointError                   graph.persistence.storage       what is kept of one thread cannot be read
    │       ├── OlderCheckpointError          graph.persistence.storage       it is an older version's, and does not fit
    │       └── DamagedCheckpointError        graph.persistence.storage       it is damaged, or another program's
    ├── UnreadableCheckpointError (ValueError)  graph.persistence.checkpoint_reader  · only the graph can read it
    ├── ForkError (ValueError)                graph.persistence.forks         a run cannot be forked as asked
    ├── ThreadBusyError (RuntimeError)        graph.persistence.thread_lock   another process works on the thread
    ├── LostClaimError (RuntimeError)         graph.persistence.claims        another process has claimed the thread
    ├── ForeignThreadError (RuntimeError)     graph.persistence.thread_lock   a user of the server owns the thread
    ├── AnswerError (ValueError)              app.session.waiting           · an answer fits nothing that waits
    ├── RequestError                          app.server.errors             · a request cannot be served
    ├── OidcError                             app.server.access.oidc        · a login at an issuer is not set up
    ├── ServeError                            app.server.serve              · the server cannot start
    ├── AbnormalExitError (RuntimeError)      nodes.executor.task_calls.isolation  foreign code tried to end the process
    ├── AppError                              app.errors                      what a user is told
    │   ├── MisuseError                       app.errors                      what was asked for cannot be
    │   └── CommandError                      app.cli.errors                  it ends the command with a code of its own
    │       ├── UsageError                    app.cli.errors                  it was called in a way it cannot be
    │       └── StoppedError                  app.cli.errors                  a person stopped the run
    ├── ExperimentError                       app.evaluation.experiment       results of an evaluation cannot be used
    ├── ServerError                           models.local_servers  · a model server answers as it should not
    ├── DraftError (ValueError)               app.cli.questions.plan_files  · a text holds no plan
    ├── ExportError                           app.export.files                a result cannot be exported
    └── InterruptedRunError                   app.cli.event_loop            · a signal ended the command's work
"""


class WeiwoError(Exception):
    """Root of every error of Weiwo's own."""
