import type { Command } from "npm:commander@15.1.0";
import { kubernetesManifest } from "../../config/launch/kubernetes_manifest.ts";
import type { LaunchPlan } from "../../config/launch/launch_plan.ts";
import { launchWords } from "../../config/launch/launch_words.ts";
import { mpiScript } from "../../config/launch/mpi_script.ts";
import { slurmScript } from "../../config/launch/slurm_script.ts";
import { LAUNCH_OPTIONS } from "../../config/options/commands/launch_options.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import { flagOf } from "../../config/options/option.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import type { GivenOptions, Settings } from "../../config/options/settings.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { checkShard } from "../../config/plan/load/check_shard.ts";
import { resolvePhases } from "../../config/plan/load/resolve_phases.ts";
import { PROFILE_OPTIONS } from "../../config/options/profile/profile_options.ts";
import { USER_AGENT, VERSION } from "../../config/plan/version.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { writeMessage, writeOut } from "../terminal/terminal.ts";

/** The engines whose scripts are printed. */
export const ENGINES = ["slurm", "k8s", "mpi"] as const;

/** Options of a run that the launcher sets itself. */
const ITS_OWN = [
  ...["shard", "shardEnv", "rendezvous", "rendezvousTokenFile", "rendezvousToken"],
  ...["barrier", "startAt", "dryRun", "printDenoFlags", "ab"],
] as const;

/** Options that only manifests have a place for. */
const KUBERNETES_ONLY = ["image", "memory", "claim", "jobset"] as const;
const QUANTITY = /^\d+(\.\d+)?(k|[KMGTPE]i|[MGTPE]|e\d+)?$/;
const CLAIM = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** Names of Kubernetes' objects, which also fit Slurm. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/**
 * Runs `inferometer launch`: prints what starts a run as several shards. Nothing is started.
 * @param args all arguments
 * @returns the exit code
 */
export async function launchCommand(
  command: Command,
  engine: string,
  args: readonly string[],
): Promise<number> {
  if (!ENGINES.some((name) => name === engine)) {
    throw new UsageError("launch", `Must be one of ${ENGINES.join(", ")}: got "${engine}"`);
  }
  const given = await optionValues(command, LAUNCH_OPTIONS);
  const settings = resolveOptions(LAUNCH_OPTIONS, given);
  const { shards, jobName } = settings;
  if (shards === undefined) throw new UsageError("--shards", "How many is needed, as --shards 4");
  if (!NAME.test(jobName)) {
    throw new UsageError(
      "--job-name",
      `Must consist of at most 40 lowercase letters, digits and dashes: got ${
        JSON.stringify(jobName)
      }`,
    );
  }
  const run = await optionValues(command, PROFILE_COMMAND_OPTIONS, () => undefined);
  checkRun(run, engine, shards);
  checkKubernetes({ ...given, jobName }, engine, run.artifactDir);
  const { words, secretVariables, listVariables } = launchWords(args.slice(1), engine);
  for (const name of listVariables) {
    writeMessage(
      "warning",
      `${name}: Set it to all values of the option, one a line: one of them is a secret, and none ` +
        "of them is printed",
    );
  }
  const plan: LaunchPlan = {
    shards,
    tasksPerNode: settings.tasksPerNode,
    cpus: settings.cpus,
    timeLimit: settings.timeLimit,
    jobName,
    port: settings.rendezvousPort,
    runWords: words,
    artifactDir: run.artifactDir,
    seed: run.randomSeed,
    secretVariables,
    product: USER_AGENT,
  };
  writeOut(scriptOf(engine, plan, settings));
  return EXIT_CODE.done;
}

/** What an engine is given to start the shards. */
function scriptOf(
  engine: string,
  plan: LaunchPlan,
  { image, memory, claim, jobset }: Settings<typeof LAUNCH_OPTIONS>,
): string {
  if (engine === "slurm") return slurmScript(plan);
  if (engine === "mpi") return mpiScript(plan);
  return kubernetesManifest({
    ...plan,
    image: image ?? `inferometer:${VERSION}`,
    memory,
    claim,
    isJobSet: jobset,
    ...randomParts(),
  });
}

/** Checks what is told now, and not by every shard. */
function checkRun(
  run: GivenOptions<typeof PROFILE_COMMAND_OPTIONS>,
  engine: string,
  shards: number,
): void {
  const set = ITS_OWN.find((name) => run[name] !== undefined && run[name] !== false);
  if (set !== undefined) {
    throw new UsageError(
      flagOf(set),
      "Cannot be combined with launch, which sets it for each process",
    );
  }
  if (run.collect === true && engine !== "k8s") {
    throw new UsageError("--collect", "The nodes share a folder here: leave it out");
  }
  if (run.requestRateSeries !== undefined || run.inputFile !== undefined) return;
  const options = Object.entries(run).filter(([name]) => name in PROFILE_OPTIONS);
  // The files are sent by the rendezvous, which the manifest says.
  const given = { ...Object.fromEntries(options), collect: false };
  const phases = resolvePhases(resolveOptions(PROFILE_OPTIONS, given));
  checkShard({ index: 0, count: shards }, phases);
}

/**
 * Checks what an API server would refuse, or what is for Kubernetes alone.
 * @throws {UsageError} naming the option
 */
function checkKubernetes(
  given: GivenOptions<typeof LAUNCH_OPTIONS>,
  engine: string,
  artifactDir: string | undefined,
): void {
  if (engine !== "k8s") {
    const set = KUBERNETES_ONLY.find((name) => given[name] !== undefined && given[name] !== false);
    if (set !== undefined) throw new UsageError(flagOf(set), `Only with launch k8s, not ${engine}`);
    return;
  }
  const { image, memory, claim, jobName = "" } = given;
  const refuse = (flag: string, wanted: string, text: string): never => {
    throw new UsageError(flag, `Must be ${wanted}: got ${JSON.stringify(text)}`);
  };
  // Its Service has that name.
  if (!/^[a-z]/.test(jobName)) refuse("--job-name", "a name that begins with a letter", jobName);
  if (image !== undefined && !/^[^\s]+$/.test(image)) {
    refuse("--image", "the name of an image", image);
  }
  if (memory !== undefined && !QUANTITY.test(memory)) {
    refuse("--memory", "a quantity of Kubernetes, as 2Gi or 500M", memory);
  }
  if (claim !== undefined && (!CLAIM.test(claim) || claim.length > 253)) {
    refuse("--claim", "the name of a volume claim, of small letters, digits, dashes, dots", claim);
  }
  // A folder of results stands beside that for temporary files, which pods need.
  if (artifactDir !== undefined && (/:/.test(artifactDir) || /^\/(tmp)?\/*$/.test(artifactDir))) {
    refuse("--artifact-dir", "a folder below / of its own, without a colon", artifactDir);
  }
}

/** What differs from one manifest to the next. */
function randomParts(): { readonly token: string; readonly freshSeed: number } {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return {
    token: [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    freshSeed: crypto.getRandomValues(new Uint32Array(1))[0] as number >>> 1,
  };
}
