import { isNode, LineCounter, parseDocument } from "npm:yaml@2.9.1";
import * as z from "npm:zod@4.6.7";
import { readFile, ReadFileError, utf8Text } from "../../../core/files/read_file.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { RatePoint } from "../run_plan.ts";

const FLAG = "--request-rate-series";
const MAX_BYTES = 1_000_000;
const MAX_RATE = 1_000_000;

const POINTS = z.array(z.strictObject({
  "time_s": z.number().nonnegative(),
  "qps": z.number().positive().max(MAX_RATE),
})).min(2, "At least two points are needed");

/**
 * The points of `--request-rate-series`: JSON that begins with a bracket or a brace, or the name of
 * a file of it; a list of points, or an object whose `points` they are.
 * @throws {UsageError} naming the file, line and column of what cannot be used
 */
export async function resolveRateSeries(given: string): Promise<RatePoint[]> {
  const isInline = /^\s*[[{]/.test(given);
  const text = isInline ? given : await readText(given);
  const lines = new LineCounter();
  // Read with positions, which JSON.parse does not tell; JSON is YAML.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const fail = (offset: number, message: string): never => {
    const { line, col } = lines.linePos(offset);
    const place = isInline ? `column ${col}` : `${given}:${line}:${col}`;
    throw new UsageError(FLAG, `${place}: ${message}`);
  };
  const [problem] = document.errors;
  if (problem !== undefined) fail(problem.pos[0], problem.message.split("\n")[0] as string);
  const root: unknown = document.toJS({ maxAliasCount: 0 });
  const isWrapped = typeof root === "object" && root !== null && "points" in root;
  const prefix = isWrapped ? ["points"] : [];
  const offsetOf = (path: readonly PropertyKey[]): number => {
    const node = path.length === 0 ? document.contents : document.getIn([...prefix, ...path], true);
    return isNode(node) ? node.range?.[0] ?? 0 : 0;
  };
  const parsed = POINTS.safeParse(isWrapped ? root.points : root);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue?.path ?? [];
    fail(offsetOf(path), `${fieldName(path)}${issue?.message}`);
    return [];
  }
  const points = parsed.data.map(({ time_s: seconds, qps: ratePerSecond }) => ({
    seconds,
    ratePerSecond,
  }));
  points.forEach(({ seconds }, index) => {
    const before = points[index - 1]?.seconds ?? -1;
    if (seconds > before) return;
    fail(offsetOf([index, "time_s"]), `time_s must ascend: got ${seconds} after ${before}`);
  });
  return points;
}

function fieldName(path: readonly PropertyKey[]): string {
  const field = path.at(-1);
  return typeof field === "string" ? `${field}: ` : "";
}

async function readText(path: string): Promise<string> {
  try {
    return utf8Text(await readFile(path, { maxBytes: MAX_BYTES, pipes: true }));
  } catch (error) {
    if (!(error instanceof ReadFileError)) throw error;
    throw new UsageError(FLAG, `${path}: ${error.message}`);
  }
}
