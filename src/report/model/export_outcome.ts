import type { SystemName } from "../../config/plan/systems_plan.ts";

/** Outcome of sending the results of a run to a system. */
export interface ExportOutcome {
  readonly system: SystemName;
  /** Where it is: a URL without credentials, or a path. */
  readonly place: string;
  /** Numbers of accepted items by kind, in the plural: spans, files. */
  readonly sent: Readonly<Record<string, number>>;
  /** Numbers of rejected items by kind. */
  readonly failed: Readonly<Record<string, number>>;
  /** Last reported reason for rejected items; undefined if all were accepted. */
  readonly failure: string | undefined;
  /** Link to the run in that system; undefined if it has none. */
  readonly link?: string | undefined;
}

/** Returns the outcome in a line: `1 message, 12 of 15 spans`. */
export function outcomeCounts({ sent, failed }: ExportOutcome): string {
  const kinds = new Set([...Object.keys(sent), ...Object.keys(failed)]);
  return [...kinds].flatMap((kind) => {
    const count = sent[kind] ?? 0;
    const lost = failed[kind] ?? 0;
    const noun = (number: number): string => number === 1 ? kind.replace(/s$/, "") : kind;
    if (count + lost === 0) return [];
    return lost === 0
      ? `${count} ${noun(count)}`
      : `${count} of ${count + lost} ${noun(count + lost)}`;
  }).join(", ");
}
