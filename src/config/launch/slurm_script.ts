import { quoted } from "../options/redacted_command.ts";
import type { LaunchPlan } from "./launch_plan.ts";
import { commandLines, runOptions, secretChecks } from "./shell_lines.ts";

/** Time at most between Slurm's first word that the job's time is over, and the end of it. */
const WARNING_SECONDS = 60;
/**
 * Warning time as a fraction of the time limit: a short job would otherwise be warned when it
 * begins.
 */
const WARNING_PART = 0.1;

/** A batch script for `sbatch`: the shards as tasks of one step, and their merge. */
export function slurmScript(plan: LaunchPlan): string {
  const { shards, tasksPerNode, cpus, timeLimit, jobName, port, artifactDir, seed } = plan;
  const nodes = Math.ceil(shards / tasksPerNode);
  const directives = [
    `--job-name=${jobName}`,
    `--nodes=${nodes}`,
    `--ntasks=${shards}`,
    `--ntasks-per-node=${Math.min(shards, tasksPerNode)}`,
    `--cpus-per-task=${Math.ceil(cpus)}`,
    ...(timeLimit === undefined
      ? []
      : [`--time=${slurmTime(timeLimit)}`, `--signal=TERM@${warningSeconds(timeLimit)}`]),
    "--no-requeue",
    "--output=%x-%j.log",
  ];
  const directory = artifactDir === undefined
    ? "$SLURM_SUBMIT_DIR/artifacts/$SLURM_JOB_ID"
    : undefined;
  const profile = commandLines([
    ...['"$INFEROMETER" profile', "--shard slurm", `--rendezvous "$head:${port}"`],
    ...['--artifact-dir "$DIR"', `--random-seed ${seed ?? '"$SLURM_JOB_ID"'}`],
    ...runOptions(plan),
  ], "    ");
  return `#!/bin/bash
# Printed by ${plan.product}. Submit it: sbatch THIS_FILE
${directives.map((directive) => `#SBATCH ${directive}`).join("\n")}
set -euo pipefail
INFEROMETER=\${INFEROMETER:-inferometer}
# A folder that all nodes see.
DIR=${directory === undefined ? quoted(artifactDir ?? "") : `\${DIR:-${directory}}`}
mkdir -p "$DIR"
${secretChecks(plan)}
# Shards identify each other by this token, which is valid for this job only.
INFEROMETER_RENDEZVOUS_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \\n')
export INFEROMETER_RENDEZVOUS_TOKEN
# The first task, which is shard 0, runs on the first node.
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)

# scancel reaches the shards, which write what they have; then this script continues.
trap : TERM
rc=0
# A shard that fails does not end the others. Options are quoted so that no shell changes them.
# shellcheck disable=SC2016
srun --kill-on-bad-exit=0 --wait=0 --output="$DIR/shard-%t.log" \\
  ${profile} || rc=$?

"$INFEROMETER" merge "$DIR" --expect-shards ${shards} || rc=$?
exit "$rc"
`;
}

function warningSeconds(timeLimit: number): number {
  return Math.min(WARNING_SECONDS, Math.max(1, Math.floor(timeLimit * WARNING_PART)));
}

/** `1-02:03:04`. */
function slurmTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (number: number): string => String(number).padStart(2, "0");
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor(whole / 3600) % 24;
  return `${days > 0 ? `${days}-` : ""}${two(hours)}:${two(Math.floor(whole / 60) % 60)}:${
    two(whole % 60)
  }`;
}
