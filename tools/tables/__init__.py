"""Tables of a corpus, asked by a typed request: rows are filtered, grouped and added up, never quoted at random.

The contract: a request names a table, columns and values; it is checked against the table before anything runs, and
what is wrong comes back with the nearest name. DuckDB runs it in a worker process, in memory, without files or network,
within limits of memory and time. A result gives the number of matching rows and cites up to 20 of them by location. No
SQL from outside and no code of a model runs: identifiers are ours (`c0`, `c1`), and values are parameters.

Modules: `structure` (the tables on a grid of cells), `columns` (types of columns), `totals` (rows that add up others),
`table_store` and `parquet` (storage), `request` (the typed request and its check), `query` and `relation` (the SQL
statement), `engine` (DuckDB, in a process of its own), `catalog` (the tables of a corpus), `query_table` (the tool).
"""
