#!/usr/bin/env bash
# Measures a server in a pipeline and fails the job if it is broken or slow.
#
#   ./ci_gate.sh http://localhost:8000
#
# MAX_TTFT_P99_MS is 500 unless the environment says otherwise.
set -uo pipefail

url=$1
limit=${MAX_TTFT_P99_MS:-500}
folder=$(mktemp -d)

# Waits up to two minutes for a server that is just starting. More than 1 % of failed requests make
# the run fail.
inferometer profile --url "$url" --wait-for-model-timeout "${WAIT:-2m}" --streaming \
  --concurrency 8 --request-count 64 --isl 200 --osl 64 --max-error-rate 0.01 \
  --artifact-dir "$folder/run" --ui none
code=$?

case $code in
  0) ;;
  1) echo "FAIL: no valid reply, too many failures, or results that could not be written" && exit 1 ;;
  2) echo "FAIL: wrong usage or configuration" && exit 2 ;;
  130 | 143) echo "FAIL: interrupted, the results are partial" && exit "$code" ;;
  *) echo "FAIL: exit code $code" && exit "$code" ;;
esac

# The line of the CSV: name, avg, min, max, sum, then percentiles.
csv=$folder/run/profile_export_aiperf.csv
column=$(head -n 1 "$csv" | tr , '\n' | grep -n '^p99$' | cut -d : -f 1)
p99=$(grep '^Time to First Token' "$csv" | cut -d , -f "$column")
if awk "BEGIN { exit !($p99 > $limit) }"; then
  echo "FAIL: TTFT p99 is $p99 ms, more than $limit"
  exit 3
fi
echo "PASS: TTFT p99 is $p99 ms, at most $limit"
