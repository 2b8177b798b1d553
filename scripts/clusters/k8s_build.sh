#!/usr/bin/env bash
# k8s_build.sh - builds a real Kubernetes (kube-apiserver, controller-manager, scheduler, kubelet, kubectl) and etcd
# from the Go module proxy only. ~7 min cold on 2 cores, several GiB of Go module+build cache, ~490 MB of binaries in $BIN.
# k8s.io/kubernetes has "replace => ./staging/..." lines, which only count in the main module, and requires v0.0.0 of its staging
# modules; so a wrapper module repeats every replace with the published staging version (v1.X.Y <-> v0.X.Y).
set -euo pipefail
KV=${KV:-1.34.4} EV=${EV:-3.6.4} BIN=${BIN:-${TMPDIR:-/tmp}/clusters/k8s/bin} WORK=${WORK:-${TMPDIR:-/tmp}/clusters/k8s/wrap}
SV=0.${KV#1.}
mkdir -p "$BIN" "$WORK/kube" "$WORK/etcd"
export CGO_ENABLED=0
if ! [ -x "$BIN/etcd" ]; then
  cd "$WORK/etcd"
  printf 'module etcdwrap\n\ngo 1.24\n' >go.mod
  printf 'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n' >main.go
  go get "go.etcd.io/etcd/server/v3@v$EV" "github.com/gorilla/websocket@${WEBSOCKET:-v1.5.4-0.20250319132907-e064f32e3674}"; go mod tidy -e
  nice -n 10 go build -trimpath -ldflags '-s -w' -o "$BIN/etcd" .
fi
if ! [ -x "$BIN/kube-controller-manager" ] || ! [ -x "$BIN/kube-scheduler" ] || ! [ -x "$BIN/kubelet" ] || ! [ -x "$BIN/kube-apiserver" ] || ! [ -x "$BIN/kubectl" ]; then
  cd "$WORK/kube"
  mod=$(go mod download -json "k8s.io/kubernetes@v$KV" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
  { printf 'module wrap\n\ngo 1.24.0\ngodebug default=go1.24\n\nrequire k8s.io/kubernetes v%s\n\n' "$KV"
    # Patches of what it asks for: proxies need not have every version.
    printf 'require (\n\tgoogle.golang.org/grpc %s\n\tgithub.com/opencontainers/selinux %s\n)\n\nreplace (\n' \
      "${GRPC:-v1.72.2}" "${SELINUX:-v1.12.0}"
    grep -oE '^\s*k8s.io/\S+ => \./staging' "$mod" | awk -v v="$SV" -v cli="${CLI:-0.34.2}" '{print "\t"$1" => "$1" v"($1 == "k8s.io/cli-runtime" ? cli : v)}'
    echo ')'; } >go.mod
  printf 'package main\n\nfunc main() {}\n' >main.go
  printf '//go:build tools\n\npackage main\n\nimport (\n' >tools.go
  for c in kube-apiserver kube-controller-manager kube-scheduler kubelet; do printf '\t_ "k8s.io/kubernetes/cmd/%s/app"\n' $c; done >>tools.go
  echo ')' >>tools.go
  go mod tidy -e
  IFS=. read -r maj min _ <<<"$KV"
  LD="-s -w -X k8s.io/component-base/version.gitVersion=v$KV -X k8s.io/component-base/version.gitMajor=$maj -X k8s.io/component-base/version.gitMinor=$min"
  for c in kubectl kube-apiserver kube-controller-manager kube-scheduler kubelet; do
    [ -x "$BIN/$c" ] || GOFLAGS=-mod=mod nice -n 10 go build -trimpath -ldflags "$LD" -o "$BIN/$c" "k8s.io/kubernetes/cmd/$c"; echo "built $c" >&2
  done
fi
if ! [ -x "$BIN/pause" ]; then
  mkdir -p "$WORK/pause"; cd "$WORK/pause"
  printf 'module pause\n\ngo 1.21\n' >go.mod
  printf 'package main\n\nimport (\n\t"os"\n\t"os/signal"\n\t"syscall"\n)\n\nfunc main() {\n\tc := make(chan os.Signal, 1)\n\tsignal.Notify(c, syscall.SIGINT, syscall.SIGTERM)\n\t<-c\n}\n' >main.go
  go build -trimpath -ldflags '-s -w' -o "$BIN/pause" .
fi
ls -la "$BIN" >&2
