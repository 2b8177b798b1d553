import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import { createTransport } from "../../client/http/create_transport.ts";
import { getReply } from "../../client/http/get_reply.ts";
import { accessHeaderLines } from "../../config/plan/access_header_lines.ts";
import type { RunPlan, Target } from "../../config/plan/run_plan.ts";
import { ServerUnavailableError, waitForModels } from "./server_probe.ts";

/** Longest that a first answer may take: models may be loaded by it. */
const PROBE_TIMEOUT_MS = 60_000;
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
/** Asks for one token. */
const SMALLEST = { texts: ["Hello"], images: [], outputTokens: 1, extra: {} };

/**
 * Waits until every server is ready in the way that the plan says: that it lists a model, that it
 * answers a small request for each model, or both. Returns at once if nobody is to wait.
 * @param isListed whether the servers have already been waited for to list a model
 * @throws {ServerUnavailableError} if one is not in time, or refuses the key
 */
export async function waitForReadiness(
  plan: RunPlan,
  isListed: boolean,
  interrupt?: AbortSignal,
): Promise<void> {
  const { readinessMode = "models", readinessTimeoutNs } = plan;
  if (readinessTimeoutNs === 0) return;
  const deadline = performance.now() + readinessTimeoutNs / 1e6;
  if (readinessMode !== "inference" && !isListed) {
    await waitForModels(plan.targets, plan, interrupt);
  }
  if (readinessMode === "models") return;
  const transport = createTransport(plan.transport, {
    reuse: "never",
    trust: plan,
    nowNs: () => Math.round(performance.now() * 1e6),
  });
  try {
    await Promise.all(
      plan.targets.flatMap((target) =>
        plan.models.map((model) =>
          waitForAnswer(plan, transport, { target, model }, deadline, interrupt)
        )
      ),
    );
  } finally {
    transport.close();
  }
}

async function waitForAnswer(
  plan: RunPlan,
  transport: ReturnType<typeof createTransport>,
  { target, model }: { readonly target: Target; readonly model: string },
  deadline: number,
  interrupt: AbortSignal | undefined,
): Promise<void> {
  const type = configuredType(plan);
  const fields = type.buildBody(SMALLEST, { ...plan.body, model, streaming: false });
  const body = type.body.encode(fields);
  const headerLines = accessHeaderLines(plan, target, type);
  const url = `${target.origin.protocol}//${target.origin.host}${target.path.replace(/\?.*/, "")}`;
  for (let last = "no answer";;) {
    try {
      const { status } = await getReply(transport, target.origin, target.path, {
        headerLines,
        timeoutMs: Math.max(1, Math.min(PROBE_TIMEOUT_MS, deadline - performance.now())),
        maxBytes: MAX_REPLY_BYTES,
        method: "POST",
        body,
        ...(interrupt === undefined ? {} : { signal: interrupt }),
      });
      if (status >= 200 && status < 300) return;
      if (status === 401 || status === 403) {
        throw new ServerUnavailableError(`${url} returned HTTP ${status}; check --api-key`);
      }
      last = `HTTP ${status}`;
    } catch (error) {
      if (error instanceof ServerUnavailableError) throw error;
      // The silence of a last short question says less than the answer before it.
      if (performance.now() < deadline || last === "no answer") {
        last = error instanceof Error ? error.message : String(error);
      }
    }
    if (interrupt?.aborted) return;
    const pauseMs = (plan.readinessIntervalNs ?? 5e8) / 1e6;
    if (performance.now() + pauseMs > deadline) {
      const seconds = plan.readinessTimeoutNs / 1e9;
      throw new ServerUnavailableError(
        `${url} does not answer a request for ${model} within ${seconds} s: ${last}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
