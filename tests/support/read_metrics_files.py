"""Reads files of server metrics the way users do, and prints what it found as JSON.

Usage: read_metrics_files.py parquet FILE [OTHER FILE]
       read_metrics_files.py csv FILE
"""

import json
import math
import sys


def plain(value):
    """A cell as JSON can hold it without loss: 64-bit integers as text, missing ones as null."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool) or isinstance(value, str):
        return value
    if hasattr(value, "item"):
        value = value.item()
    return str(value) if isinstance(value, int) else value


def table(columns, rows):
    return {"columns": list(columns), "rows": [[plain(cell) for cell in row] for row in rows]}


def read_parquet(path, other):
    import duckdb
    import pandas
    import polars
    import pyarrow.parquet

    arrow = pyarrow.parquet.read_table(path)
    duck = duckdb.sql(f"SELECT * FROM '{path}'")
    frame = polars.read_parquet(path)
    pandas_frame = pandas.read_parquet(path)
    # The way that the schema reference shows.
    metadata = pyarrow.parquet.read_metadata(path).schema.to_arrow_schema().metadata
    found = {
        "pyarrow": table(arrow.column_names, zip(*[c.to_pylist() for c in arrow.columns])),
        "duckdb": table(duck.columns, duck.fetchall()),
        "polars": table(frame.columns, frame.rows()),
        "pandas": table(pandas_frame.columns, pandas_frame.itertuples(index=False, name=None)),
        "arrowTypes": [str(field.type) for field in arrow.schema],
        "nullable": [field.nullable for field in arrow.schema],
        "metadata": {key.decode(): value.decode() for key, value in metadata.items()},
        "queries": queries(duckdb, path, other),
    }
    found["polarsQuery"] = sorted(
        list(row)
        for row in frame.filter(polars.col("metric_type") == "gauge")
        .group_by("metric_name")
        .agg([polars.col("value").mean().alias("avg"), polars.col("value").max().alias("max")])
        .rows()
    )
    lazy = polars.scan_parquet(path)
    found["lazyRows"] = (
        lazy.filter(polars.col("metric_name") == "vllm:kv_cache_usage_perc").collect().height
    )
    hist = pandas_frame[pandas_frame["metric_name"] == "vllm:e2e_request_latency_seconds"]
    pivot = hist.pivot(index="timestamp_ns", columns="bucket_le", values="bucket_count")
    found["pivot"] = [plain(count) for count in pivot.iloc[-1].tolist()]
    return found


def queries(duckdb, path, other):
    """The queries of the schema reference."""
    results = {
        "series": f"""SELECT timestamp_ns, value FROM '{path}'
            WHERE metric_name = 'vllm:kv_cache_usage_perc' ORDER BY timestamp_ns""",
        "label": f"""SELECT timestamp_ns, value FROM '{path}'
            WHERE metric_name = 'vllm:request_success' AND model_name = 'Qwen/Qwen3-0.6B'
            ORDER BY timestamp_ns""",
        "buckets": f"""SELECT bucket_le, bucket_count FROM '{path}'
            WHERE metric_name = 'vllm:e2e_request_latency_seconds'
            AND timestamp_ns = (SELECT MAX(timestamp_ns) FROM '{path}'
                WHERE metric_name = 'vllm:e2e_request_latency_seconds')
            ORDER BY CAST(REPLACE(bucket_le, '+Inf', '999999') AS DOUBLE)""",
        "runs": f"""SELECT metric_name, AVG(value) AS avg_value
            FROM read_parquet(['{path}', '{other}'], union_by_name=true)
            WHERE metric_type = 'gauge' GROUP BY metric_name ORDER BY metric_name""",
        "endpoints": f"""SELECT endpoint_url, metric_name, AVG(value) AS avg_value FROM '{path}'
            WHERE metric_type = 'gauge' GROUP BY endpoint_url, metric_name ORDER BY ALL""",
    }
    return {
        name: [[plain(cell) for cell in row] for row in duckdb.sql(query).fetchall()]
        for name, query in results.items()
    }


def read_csv(path):
    from io import StringIO

    import pandas as pd

    # The snippet of the tutorial, to the letter.
    with open(path) as f:
        sections = [pd.read_csv(StringIO(s)) for s in f.read().strip().split("\n\n") if s.strip()]
    return [
        {**table(section.columns, section.itertuples(index=False, name=None))}
        for section in sections
    ]


if __name__ == "__main__":
    kind, path, *rest = sys.argv[1:]
    print(json.dumps(read_parquet(path, rest[0]) if kind == "parquet" else read_csv(path)))
