import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { PayloadTable } from "../../load/dataset/payloads/payload_table.ts";

/** A request that is longer than a record of TLS, with room for its head. */
const LONG_BODY_BYTES = 15 * 1024;

/**
 * A sentence where requests go out in several TLS records over sockets on which the runtime does not
 * turn Nagle's algorithm off: the last record then waits until the server has confirmed the one
 * before, which it does 40 ms later (measured: a round trip of 20 kB takes 42.5 ms instead of 0.3).
 */
export function heldBackNote(
  { clientCert, targets, transport }: Pick<RunPlan, "clientCert" | "targets" | "transport">,
  { data: { segments, segmentsPerBody } }: PayloadTable,
): string | undefined {
  const isTls = targets.some(({ origin }) => origin.protocol === "https:");
  if (clientCert === undefined || transport !== "socket" || !isTls) return undefined;
  const width = segmentsPerBody * 2;
  for (let body = 0; body < segments.length; body += width) {
    let bytes = 0;
    for (let at = body; at < body + width; at += 2) bytes += segments[at + 1] as number;
    if (bytes > LONG_BODY_BYTES) {
      return "With --client-cert, requests of more than 15 kB may wait up to 40 ms in this " +
        "machine's network stack, which is in their TTFT: use --transport fetch";
    }
  }
  return undefined;
}
