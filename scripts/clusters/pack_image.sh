#!/usr/bin/env bash
# pack_image.sh ROOTFS_DIR NAME:TAG ENTRYPOINT_JSON OUT.tar - a docker-archive image from a folder, with nothing but tar and sha256sum.
# import:  ctr -n k8s.io images import OUT.tar   (podman/docker load read the same file)
set -euo pipefail
ROOT=$1 NAME=$2 EP=$3 OUT=$4; T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$ROOT" -cf "$T/layer.tar" .
D=$(sha256sum "$T/layer.tar" | cut -d' ' -f1)
printf '{"architecture":"amd64","os":"linux","config":{"Entrypoint":%s,"Env":["PATH=/usr/bin:/bin"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]},"history":[{"created":"1970-01-01T00:00:00Z"}]}' "$EP" "$D" >"$T/cfg.json"
C=$(sha256sum "$T/cfg.json" | cut -d' ' -f1); mv "$T/cfg.json" "$T/$C.json"
printf '[{"Config":"%s.json","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$C" "$NAME" >"$T/manifest.json"
tar -C "$T" -cf "$OUT" manifest.json "$C.json" layer.tar
