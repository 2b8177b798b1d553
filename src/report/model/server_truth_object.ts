import type { ServerTruth } from "./server_truth.ts";
import type { TruthPart } from "./truth_part.ts";
import type { TtftBasis } from "./ttft_split.ts";

/** The key `server_truth`; nothing where servers were not evaluated. */
export function serverTruthObject(truth: ServerTruth | undefined): Record<string, unknown> {
  return truth === undefined ? {} : { "server_truth": truthObject(truth) };
}

/** Values of all parts, and why some are null by their full names: `cache.hit_rate`. */
function truthObject(
  { cache, speculation, pools, ttftSplit }: ServerTruth,
): Record<string, unknown> {
  const parts: Readonly<Record<string, TruthPart<object>>> = {
    "cache": cache,
    "speculation": speculation,
    "pools": pools,
    "ttft_split_ms": ttftSplit,
  };
  const named = Object.entries(parts);
  return {
    ...Object.fromEntries(named.map(([name, { values }]) => [name, values])),
    "ttft_split_basis": basisObject(ttftSplit.basis),
    "reasons": Object.fromEntries(
      named.flatMap(([part, { reasons }]) =>
        Object.entries(reasons).map((
          [name, reason],
        ) => [name === "" ? part : `${part}.${name}`, reason])
      ),
    ),
  };
}

/** Origin of the parts of the time to first token; null if it is not split. */
function basisObject(basis: TtftBasis | undefined): Record<string, unknown> | null {
  return basis === undefined ? null : {
    "client_ms": basis.clientMs,
    "source": basis.source,
    "window": basis.window,
    "dispatch": basis.dispatch ?? null,
  };
}
