import { createTransport } from "../../client/http/create_transport.ts";
import type { Transport } from "../../client/http/transport.ts";
import type { RunPlan, Target } from "../../config/plan/run_plan.ts";
import { type Redactor, redactor } from "../../core/secrets/redactor.ts";
import { askServer, urlBeside } from "./ask_server.ts";
import type { Question } from "../../telemetry/engines/engine.ts";
import { QUESTIONS } from "./questions.ts";
import { serverFacts } from "./server_facts.ts";
import type { AskedQuestion, ServerFact, ServerInfo } from "./server_info.ts";

/** Maximum time for an answer, in milliseconds. */
const TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;
/** Maximum number of servers that are queried. */
const MAX_SERVERS = 8;

/**
 * Queries the servers of a run for their properties. Failures are not errors: they are recorded
 * with the question.
 * @param signal ends the queries: unanswered questions stay open
 */
export async function askServers(plan: RunPlan, signal: AbortSignal): Promise<ServerInfo[]> {
  const targets = new Map(plan.targets.map((target) => [urlBeside(target, ""), target]));
  const transport = createTransport(plan.transport, {
    reuse: "never",
    trust: plan,
    nowNs: () => Math.round(performance.now() * 1e6),
  });
  try {
    const asked = [...targets].slice(0, MAX_SERVERS).map(([url, target]) =>
      askOne(transport, plan, url, target, signal)
    );
    return await Promise.all(asked);
  } finally {
    transport.close();
  }
}

async function askOne(
  transport: Transport,
  plan: RunPlan,
  url: string,
  target: Target,
  signal: AbortSignal,
): Promise<ServerInfo> {
  const redact = redactor(plan.secrets);
  const answers = await Promise.all(
    QUESTIONS.map((question) => answerTo(question, transport, plan, target, redact, signal)),
  );
  const facts = new Map<string, string>();
  // The first one to say something is believed.
  for (const { facts: some } of answers) {
    for (const [name, value] of some) if (!facts.has(name)) facts.set(name, value);
  }
  return {
    url,
    facts: [...facts].sort(([a], [b]) => a < b ? -1 : 1),
    asked: answers.map(({ asked }) => asked),
  };
}

async function answerTo(
  { path, prefix, pick }: Question,
  transport: Transport,
  plan: RunPlan,
  target: Target,
  redact: Redactor,
  signal: AbortSignal,
): Promise<{ readonly facts: readonly ServerFact[]; readonly asked: AskedQuestion }> {
  try {
    const reply = await askServer(transport, target, plan, path, {
      ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal },
    });
    const asked: AskedQuestion = [path, `HTTP ${reply.status}`];
    if (reply.status !== 200) return { facts: [], asked };
    const object = objectIn(reply.text);
    if (object === undefined) return { facts: [], asked: [path, "HTTP 200, no JSON object"] };
    const facts = await serverFacts(pick === undefined ? object : pick(object), prefix, redact);
    return { facts, asked };
  } catch (error) {
    const reason = signal.aborted ? "no answer before the run" : (error as Error).message;
    return { facts: [], asked: [path, redact(reason).replace(/\p{Cc}+/gu, " ").slice(0, 200)] };
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}
