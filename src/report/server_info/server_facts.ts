import { redactedServerText } from "../../core/secrets/server_texts.ts";
import type { Redactor } from "../../core/secrets/redactor.ts";
import type { ServerFact } from "./server_info.ts";
import { serverText } from "./server_text.ts";

/** Most facts of a server. */
const MAX_FACTS = 500;
const MAX_DEPTH = 5;
const MAX_NAME = 100;
const MAX_VALUE = 200;
/** Characters of a longer value that are kept. */
const MAX_BEGINNING = 60;

/** Names of facts that change while a server runs, or each time it starts. */
const VOLATILE = new RegExp(
  "(^|\\.)(created|modified_at|permission|internal_states|random_seed|pid|uptime|timestamp|" +
    "prompt|next_token|id_task|is_processing|is_sleeping|slots|last_[a-z_]+|" +
    "[a-z_]*_(time|timestamp|throughput)|memory_usage)(\\.|$)",
);

/**
 * The facts in a server's reply: texts, numbers and flags by their paths in it, secrets and control
 * characters taken out. Empty values are left out, long ones cut and marked with a hash of the whole.
 */
export async function serverFacts(
  reply: unknown,
  prefix: string,
  redact: Redactor,
): Promise<ServerFact[]> {
  const facts: ServerFact[] = [];
  for (const [path, text] of leaves(reply, "", 0)) {
    if (facts.length === MAX_FACTS) break;
    const name = serverText(prefix + path).slice(0, MAX_NAME);
    const value = redactedServerText(path, serverText(text), redact);
    if (value !== "") facts.push([name, await shortened(value)]);
  }
  return facts;
}

function* leaves(value: unknown, path: string, depth: number): Generator<[string, string]> {
  if (VOLATILE.test(path) || value === null || value === undefined) return;
  if (typeof value !== "object") {
    if (path !== "") yield [path, String(value)];
    return;
  }
  const below = (key: string): string => path === "" ? key : `${path}.${key}`;
  if (Array.isArray(value)) {
    const isFlat = value.every((entry) => typeof entry !== "object" || entry === null);
    if (isFlat && path !== "") yield [path, value.map(String).join(", ")];
    else if (depth < MAX_DEPTH) {
      for (const [at, entry] of value.entries()) {
        yield* leaves(entry, below(`${at + 1}`), depth + 1);
      }
    }
    return;
  }
  if (depth === MAX_DEPTH) return;
  for (const [key, entry] of Object.entries(value)) {
    // Keys that carry dots, or hostile ones, are names like any other.
    yield* leaves(entry, below(key), depth + 1);
  }
}

async function shortened(text: string): Promise<string> {
  if (text.length <= MAX_VALUE) return text;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = [...new Uint8Array(digest).subarray(0, 6)]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${text.slice(0, MAX_BEGINNING)}... (${text.length} characters, sha256 ${hash})`;
}
