#!/bin/bash
# k8s_dns.sh DIR - keeps a hosts file for each headless Service in DIR, which dnsmasq reads: its ready endpoints by their host names.
# With KUBECONFIG. Ends with what it started by SIGTERM.
# Its interpreter is named outright: by its own name it is found again when it is to end.
set -uo pipefail
DIR=$1
trap 'trap - TERM; kill 0' TERM
# No jsonpath: kubectl's cannot print more than one object with a range.
ROW='{{.metadata.namespace}} {{index .metadata.labels "kubernetes.io/service-name"}}{{range .endpoints}}{{if and .conditions.ready .hostname}} {{index .addresses 0}}={{.hostname}}{{end}}{{end}}{{"\n"}}'
while :; do
  while read -r space service endpoints; do
    for e in $endpoints; do
      echo "${e%%=*} ${e#*=}.$service.$space.svc.cluster.local"
    done >"$DIR.new"
    mv "$DIR.new" "$DIR/$space.$service"
  done < <(kubectl get endpointslices -A --watch -o "go-template=$ROW")
  sleep 1
done
