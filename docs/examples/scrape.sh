#!/usr/bin/env bash
# Collects the metrics of servers under existing traffic, without sending a request.
#
#   ./scrape.sh node1:8000 node2:8000
#
# DURATION is 60s unless the environment says otherwise. The pages themselves are kept as well, so
# that other statistics can be made of them later, without the servers.
set -euo pipefail

duration=${DURATION:-60s}
folder=${FOLDER:-metrics}

inferometer scrape "$@" --duration "$duration" --artifact-dir "$folder" --overwrite \
  --server-metrics-formats json,csv,parquet --record "$folder.jsonl"

# The same pages once more, with Prometheus' own interpolation and in slices of a second.
inferometer replay "$folder.jsonl" --artifact-dir "$folder-slices" --overwrite \
  --histogram-estimator interpolation --slice-duration 1s

echo "statistics: $folder/server_metrics_export.json"
