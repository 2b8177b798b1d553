import type { Command } from "npm:commander@15.1.0";
import { artifactNames } from "../../report/export/artifact_names.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { RECOMPUTE_OPTIONS } from "../../config/options/commands/recompute_options.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import type { Settings } from "../../config/options/settings.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { goodputObjectives } from "../../config/plan/resolve/objectives.ts";
import { linesOf } from "../../results/collect/exported_files.ts";
import {
  type RecomputedFolder,
  recomputedFolder,
  type Redefinition,
} from "../../results/collect/recomputed_folder.ts";
import { hasVerdicts } from "../../results/collect/has_verdicts.ts";
import { readDamage } from "../../results/collect/run_damage.ts";
import { reportRun } from "../../results/collect/report_run.ts";
import { vllmResult } from "../../results/collect/vllm_result.ts";
import { consoleReport } from "../../report/console/console_report.ts";
import { printableText } from "../../report/console/printable_text.ts";
import type { RunFolder } from "../../results/collect/run_folder.ts";
import { openRunFolder } from "../../results/collect/run_folder.ts";
import { recountedTokens, TOKEN_TAGS } from "../../results/collect/recounted_tokens.ts";
import { hubSettings } from "../../config/hub/hub_settings.ts";
import { resolveTokenizer } from "../../config/plan/prompts/resolve_dataset.ts";
import type { TokenizerPlan } from "../../config/plan/run_plan.ts";
import {
  buildTokenizer,
  readTokenizerSource,
} from "../../load/dataset/tokenizers/tokenizer_source.ts";
import { consoleStyle } from "../terminal/console_style.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { namedRun } from "../operands/named_run.ts";
import { warnOfDamage } from "../operands/warn_of_damage.ts";
import { hasColor, widthOf, writeError, writeMessage, writeOut } from "../terminal/terminal.ts";

const encoder = new TextEncoder();

/** The file of `--format vllm`. */
const VLLM_FILE = "vllm_bench_serve.json";

/**
 * Runs `inferometer recompute`: the files of a run under other definitions.
 * @param operand the artifact folder of the run
 * @returns the exit code
 */
export async function recomputeCommand(command: Command, operand: string): Promise<number> {
  const settings = resolveOptions(
    RECOMPUTE_OPTIONS,
    await optionValues(command, RECOMPUTE_OPTIONS),
  );
  const { from, to, format, artifactDir, overwrite = false } = settings;
  if (to !== undefined && to <= (from ?? 0)) {
    throw new UsageError("--to", `Must be later than --from: got ${to}`);
  }
  const { folder, run } = await namedRun(operand);
  if (run === undefined) {
    throw new UsageError(
      undefined,
      `${folder} holds no records of this program: nothing to recompute`,
    );
  }
  if (settings.goodputNeedsCorrect && !hasVerdicts(run)) {
    throw new UsageError(
      "--goodput-needs-correct",
      `${folder} has no checked answers; run it with --verify answers or --verify-tasks`,
    );
  }
  const damage = await readDamage(run);
  warnOfDamage(folder, damage);
  const tokenizer = settings.tokenizer === undefined
    ? undefined
    : await countedAnew(settings.tokenizer, folder, run);
  const changed = recomputedFolder(
    tokenizer?.run ?? run,
    redefinition(settings, run, tokenizer),
    damage,
  );
  if (changed.isEmpty) {
    throw new UsageError(
      from === undefined ? "--to" : "--from",
      `No request began from ${from ?? 0} s ${to === undefined ? "on" : `to ${to} s`}`,
    );
  }
  const place = overwrite ? folder : artifactDir ?? `${folder}-recomputed`;
  if (!overwrite) await assertNoRun(place, folder);
  await Deno.mkdir(place, { recursive: true });
  const sink = new FolderSink(place);
  const told = changed.changes.join("; ") || "nothing: these are the run's own definitions";
  const style = consoleStyle(settings);
  // Standard output is one object then.
  const write = style === "json" ? writeError : writeOut;
  write(`Recomputed: ${printableText(told, Infinity)}\n`);
  if (format === "vllm") {
    await sink.write(VLLM_FILE, [vllmResult(changed.folder)]);
    writeOut(`${printableText(`${place}/${VLLM_FILE}`, Infinity)}\n`);
    return EXIT_CODE.done;
  }
  if (!overwrite) {
    await copyFiles(folder, place, run.files, changed, tokenizer !== undefined);
  }
  const { report, facts, metrics, failure } = await reportRun(changed.folder, sink);
  writeOut(consoleReport(report, {
    style,
    width: widthOf(Deno.stdout),
    color: hasColor(Deno.stdout),
    directory: place,
    traceTiming: facts.plan.output.showTraceTiming,
    serverMetrics: metrics,
  }));
  if (failure === undefined) return EXIT_CODE.done;
  writeMessage("error", failure);
  return EXIT_CODE.failed;
}

/** The definitions that the options name. */
function redefinition(
  settings: Settings<typeof RECOMPUTE_OPTIONS>,
  { manifest: { facts: { plan } } }: RunFolder,
  tokenizer: Redefinition["tokenizer"],
): Redefinition {
  const { sliceDuration, itlDialect, itlDialects, from, to } = settings;
  return {
    tokenizer,
    objectives: goodputObjectives(settings, plan.objectives),
    sliceNs: sliceDuration === undefined ? undefined : Math.round(sliceDuration * 1e9),
    itlDialect,
    itlDialects,
    fromNs: from === undefined ? undefined : Math.round(from * 1e9),
    toNs: to === undefined ? undefined : Math.round(to * 1e9),
  };
}

/** The run with tokens of another tokenizer; undefined if it is the run's own. */
async function countedAnew(
  named: string,
  folder: string,
  { manifest: { facts }, files }: RunFolder,
): Promise<
  { readonly run: RunFolder; readonly name: string; readonly plan: TokenizerPlan } | undefined
> {
  const plan = await resolveTokenizer({
    tokenizer: named,
    model: undefined,
    offline: true,
    hub: hubSettings(),
  });
  const tokenizer = await buildTokenizer(
    await readTokenizerSource({ tokenizer: plan, useServerTokenCount: false }),
  );
  if (tokenizer === undefined || tokenizer.name === facts.tokenizer) return undefined;
  const { rawRecords } = artifactNames(facts.plan.output.prefix);
  if (!files.has(rawRecords)) {
    throw new UsageError(
      "--tokenizer",
      `${folder} has no ${rawRecords}, which has the texts: run with --export-level raw`,
    );
  }
  if (facts.plan.appliesChatTemplate === true) {
    throw new UsageError("--tokenizer", "The run counted with a chat template: run it again");
  }
  const amend = await recountedTokens(
    `${folder}/${rawRecords}`,
    facts.plan.endpointType,
    tokenizer,
  );
  return { run: await openRunFolder(folder, amend), name: tokenizer.name, plan };
}

/** A folder with a run, or the run's own, is not written into. */
async function assertNoRun(place: string, folder: string): Promise<void> {
  const [there, own] = await Promise.all(
    [place, folder].map((path) => Deno.realPath(path).catch(() => path)),
  );
  if (there === own) {
    throw new UsageError(
      "--artifact-dir",
      `${place} is the run itself: --overwrite replaces its files`,
    );
  }
  const hasRun = await Deno.stat(`${place}/run`).then(() => true, () => false);
  if (hasRun) throw new UsageError("--artifact-dir", `${place} holds a run: name another folder`);
}

/** The other files of a run; lines of requests that are left out now, or that judge, are changed. */
async function copyFiles(
  folder: string,
  place: string,
  files: ReadonlySet<string>,
  { folder: { manifest }, changes, includes }: RecomputedFolder,
  isRecounted: boolean,
): Promise<void> {
  const { plan, baseEpochNs } = manifest.facts;
  const names = artifactNames(plan.output.prefix);
  // A request was judged by the run's objectives, and its tokens timed by the run's definition.
  const stale = [
    /,"good_request_count":\{[^}]*\}/,
    ...(plan.itlDialect === undefined
      ? []
      : [/,"inter_token_latency":\{[^}]*\}/, /,"output_token_throughput_per_user":\{[^}]*\}/]),
    ...(isRecounted ? TOKEN_TAGS.map((tag) => new RegExp(`,"${tag}":\\{[^}]*\\}`)) : []),
  ];
  for (const name of [names.records, names.rawRecords, names.inputs, names.console]) {
    if (!files.has(name)) continue;
    if (changes.length === 0 || name === names.inputs) {
      await Deno.copyFile(`${folder}/${name}`, `${place}/${name}`);
    } else if (name === names.records) {
      const lines = new FolderSink(place).openLines(name);
      for await (const line of linesOf(`${folder}/${name}`)) {
        const [, startNs] = /"request_start_ns":(\d+)/.exec(line) ?? [];
        const isProfiling = line.includes('"benchmark_phase":"profiling"');
        if (
          isProfiling && startNs !== undefined && !includes(Number(BigInt(startNs) - baseEpochNs))
        ) {
          continue;
        }
        const kept = stale.reduce((text, pattern) => text.replace(pattern, ""), line);
        if (line !== "") lines.append([encoder.encode(`${kept}\n`)]);
      }
      lines.close();
    }
  }
}
