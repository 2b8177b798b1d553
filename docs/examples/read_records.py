"""Reads the record of every request with pandas.

    python read_records.py artifacts/nightly/profile_export.jsonl

Each line of the file is a request: "metadata" says when and where, "metrics" holds values with
their units, "error" stands in failed ones.
"""

import json
import sys

import pandas as pd


def read_records(path: str) -> pd.DataFrame:
    """A row for each request, a column for each metric; NaN where a request has none."""
    rows = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            metadata = record["metadata"]
            row = {
                "phase": metadata["benchmark_phase"],
                "start": pd.to_datetime(metadata.get("request_start_ns"), unit="ns", utc=True),
                "error": record.get("error", {}).get("kind"),
            }
            for tag, metric in record["metrics"].items():
                # A list holds the gaps between chunks.
                if not isinstance(metric["value"], list):
                    row[f"{tag} ({metric['unit']})"] = metric["value"]
            rows.append(row)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    records = read_records(sys.argv[1])
    # Warm-up belongs to no statistic.
    records = records[records["phase"] == "profiling"]
    valid = records[records["error"].isna()]
    print(f"{len(records)} requests, {len(valid)} valid")
    print(records["error"].value_counts().to_string())
    for name in ["time_to_first_token (ms)", "request_latency (ms)"]:
        if name in valid:
            p50, p99 = valid[name].quantile([0.5, 0.99])
            print(f"{name}: p50 {p50:.2f}, p99 {p99:.2f}")
