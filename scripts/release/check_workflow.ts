import { parseDocument } from "yaml";
import { TARGETS } from "../compile/targets.ts";

/** What a workflow can refer to. */
export interface WorkflowSurroundings {
  /** Tasks of `deno.json`. */
  readonly tasks: ReadonlySet<string>;
  /** Whether there is a file of this path. */
  exists(path: string): Promise<boolean>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly strategy?: { readonly matrix?: { readonly include?: readonly { target?: string }[] } };
  readonly steps?: readonly { readonly run?: string; readonly uses?: string; with?: unknown }[];
  readonly "timeout-minutes"?: number;
}

/** Looks for what a workflow runs that is not there; returns what is wrong. */
export async function checkWorkflow(
  text: string,
  { tasks, exists }: WorkflowSurroundings,
): Promise<string[]> {
  const document = parseDocument(text);
  if (document.errors.length > 0) return document.errors.map(({ message }) => message);
  const workflow = document.toJS() as {
    jobs?: Readonly<Record<string, Job>>;
    permissions?: unknown;
  };
  const jobs = workflow.jobs ?? {};
  const problems: string[] = [];
  if (Object.keys(jobs).length === 0) problems.push("It has no jobs");
  if (workflow.permissions === undefined) problems.push("It does not say what it may do");
  for (const [name, job] of Object.entries(jobs)) {
    for (const needed of [job.needs ?? []].flat()) {
      if (!(needed in jobs)) problems.push(`${name} needs ${needed}, which is no job`);
    }
    if (job["timeout-minutes"] === undefined) problems.push(`${name} has no timeout`);
    const matrix = job.strategy?.matrix?.include?.map(({ target }) => target);
    if (matrix !== undefined && matrix.join(" ") !== TARGETS.map(({ name }) => name).join(" ")) {
      problems.push(`${name} is for ${matrix.join(", ")}`);
    }
    for (const { run, uses, with: inputs } of job.steps ?? []) {
      if (uses !== undefined && !/^([\w.-]+\/[\w./-]+@(v\d+|[0-9a-f]{40})|\.\/.+)$/.test(uses)) {
        problems.push(`${name} uses ${uses} without a version`);
      }
      const words = `${run ?? ""} ${JSON.stringify(inputs ?? {})}`;
      for (const [, task] of words.matchAll(/\bdeno task ([\w:-]+)/g)) {
        if (!tasks.has(task as string)) {
          problems.push(`${name} runs the task ${task}, which is none`);
        }
      }
      for (const [path] of words.matchAll(/(?<![\w/-])(scripts|src|tests|\.ci)\/[\w./-]*\w/g)) {
        if (!await exists(path)) problems.push(`${name} runs ${path}, which is not there`);
      }
    }
  }
  return problems;
}
