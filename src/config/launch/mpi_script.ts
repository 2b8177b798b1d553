import { quoted } from "../options/redacted_command.ts";
import type { LaunchPlan } from "./launch_plan.ts";
import { commandLines, runOptions, secretChecks } from "./shell_lines.ts";

/** A script around `mpirun`: the shards as its processes, and their merge. */
export function mpiScript(plan: LaunchPlan): string {
  const { shards, tasksPerNode, port, artifactDir, seed } = plan;
  const profile = commandLines([
    ...['"$INFEROMETER" profile', "--shard mpi", `--rendezvous "$HEAD:${port}"`],
    ...['--rendezvous-token-file "$token"', '--artifact-dir "$DIR"'],
    ...[`--random-seed ${seed ?? '"$SEED"'}`, ...runOptions(plan)],
  ], "    ");
  return `#!/bin/bash
# Printed by ${plan.product}. Run it with the options of mpirun that name the hosts, for example
#   MPIRUN="mpirun --hostfile hosts --map-by ppr:${tasksPerNode}:node" HEAD=first-host bash THIS_FILE
set -euo pipefail
INFEROMETER=\${INFEROMETER:-inferometer}
read -r -a mpirun <<<"\${MPIRUN:-mpirun}"
# The host of rank 0, as the others know it.
HEAD=\${HEAD:-$(hostname)}
# A folder that all hosts see.
DIR=${artifactDir === undefined ? "${DIR:-$PWD/artifacts/mpi-$$}" : quoted(artifactDir)}
mkdir -p "$DIR"
${secretChecks(plan)}${
    seed === undefined ? "SEED=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')\n" : ""
  }
# Shards identify each other by this token, which is valid for this run only.
token=$DIR/.rendezvous-token
trap 'rm -f "$token"' EXIT
(umask 077 && od -An -N32 -tx1 /dev/urandom | tr -d ' \\n' >"$token")

rc=0
# mpirun would end all processes when one fails: merge reports which one did, and what is missing.
# shellcheck disable=SC2016
"\${mpirun[@]}" -n ${shards} sh -c '"$@" || echo "a shard ended with exit code $?" >&2' shard \\
  ${profile} || rc=$?

"$INFEROMETER" merge "$DIR" --expect-shards ${shards} || rc=$?
exit "$rc"
`;
}
