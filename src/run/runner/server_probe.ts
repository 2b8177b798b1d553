import { createTransport } from "../../client/http/create_transport.ts";
import type { GetReply } from "../../client/http/get_reply.ts";
import type { Transport } from "../../client/http/transport.ts";
import type { ServerAccess } from "../../config/plan/server_access.ts";
import type { Target } from "../../config/plan/run_plan.ts";
import { askServer, urlBeside } from "../../report/server_info/ask_server.ts";

/** Longest that a single question to a server may take. */
const PROBE_TIMEOUT_MS = 10_000;
const POLL_MS = 500;
const MODELS = "/v1/models";
const HTTP2_ADVICE =
  "it speaks HTTP/2 without TLS, which is not supported: name its port for HTTP/1.1 or https://";
/** Longest list of models that is read; those of public hubs take about a megabyte. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** A server that cannot be asked, or does not answer as it should. */
export class ServerUnavailableError extends Error {
  override readonly name = "ServerUnavailableError";
}

/**
 * Asks a server which model it serves, when it is ready as {@linkcode waitForModels} has it.
 * @throws {ServerUnavailableError} if it does not say
 */
export async function findModel(
  targets: readonly Target[],
  access: ServerAccess,
  interrupt?: AbortSignal,
): Promise<string> {
  await waitForModels(targets, access, interrupt);
  const target = targets[0] as Target;
  const url = urlBeside(target, MODELS);
  const advice = "name the model with --model";
  const transport = transportFor(access);
  try {
    const reply = await ask(transport, target, access, interrupt);
    if (!isOk(reply)) {
      const { status } = reply;
      const isRefused = status === 401 || status === 403;
      throw new ServerUnavailableError(
        `${url} returned HTTP ${status}; ${isRefused ? "check --api-key" : advice}`,
      );
    }
    const [model] = modelsOf(reply) ?? [];
    if (typeof model?.id === "string" && model.id !== "") return model.id;
    throw new ServerUnavailableError(`${url} lists no model: ${advice}`);
  } catch (error) {
    if (error instanceof ServerUnavailableError) throw error;
    const reason = reasonOf(error);
    const remedy = remedyOf(reason, advice);
    throw new ServerUnavailableError(
      `Cannot get the model list of ${url}: ${reason}${remedy === "" ? "" : `; ${remedy}`}`,
    );
  } finally {
    transport.close();
  }
}

/**
 * Waits until every server lists a model, or the wait is interrupted; returns at once if nobody is to
 * wait. Front ends of several workers answer long before the first worker has its model.
 * @throws {ServerUnavailableError} if one does not in time, or refuses the key
 */
export async function waitForModels(
  targets: readonly Target[],
  access: ServerAccess,
  interrupt?: AbortSignal,
): Promise<void> {
  const timeoutMs = access.readinessTimeoutNs / 1e6;
  if (timeoutMs === 0) return;
  const deadline = performance.now() + timeoutMs;
  const transport = transportFor(access);
  const over = new AbortController();
  const signal = interrupt === undefined ? over.signal : AbortSignal.any([interrupt, over.signal]);
  const waitFor = async (target: Target): Promise<void> => {
    const url = urlBeside(target, MODELS);
    for (let last = "no answer"; !signal.aborted;) {
      try {
        const reply = await ask(transport, target, access, signal, deadline);
        const { status } = reply;
        if (status === 401 || status === 403) {
          throw new ServerUnavailableError(`${url} returned HTTP ${status}; check --api-key`);
        }
        if (!isOk(reply)) last = `HTTP ${status}`;
        else if (modelsOf(reply)?.length === 0) last = "no models listed";
        else return;
      } catch (error) {
        if (error instanceof ServerUnavailableError) throw error;
        // The silence of a last short question says less than the answer before it.
        if (performance.now() < deadline || last === "no answer") last = reasonOf(error);
      }
      if (signal.aborted) return;
      const pauseMs = access.readinessIntervalNs === undefined
        ? POLL_MS
        : access.readinessIntervalNs / 1e6;
      if (performance.now() + pauseMs > deadline) {
        const seconds = timeoutMs / 1000;
        throw new ServerUnavailableError(`${url} is not ready within ${seconds} s: ${last}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  try {
    await Promise.all(targets.map(waitFor));
  } finally {
    over.abort();
    transport.close();
  }
}

/**
 * What helps against a reason; empty if the reason names it.
 * @param advice where the server does not answer
 */
function remedyOf(reason: string, advice: string): string {
  // How a record of TLS begins.
  if (/it begins with "\\u001[56]\\u0003/.test(reason)) return "use https:// in --url";
  // The reason names the option.
  if (/use (http:\/\/|--transport)/.test(reason)) return "";
  // How the settings of HTTP/2 begin.
  if (/it begins with "\\u0000\\u0000/.test(reason)) return HTTP2_ADVICE;
  if (/TLS|certificate/i.test(reason)) return "trust its issuer with --ca-cert, or check --url";
  return `start the server, or ${advice}`;
}

/** The models of a list; undefined if the reply is none. */
function modelsOf({ text }: GetReply): readonly { readonly id?: unknown }[] | undefined {
  try {
    const { data } = JSON.parse(text);
    // Servers in Go write their empty list so.
    if (data === null) return [];
    return Array.isArray(data) ? data.map((model) => model ?? {}) : undefined;
  } catch {
    return undefined;
  }
}

/** Asks with what the requests will be carried by. */
function transportFor(access: ServerAccess): Transport {
  return createTransport(access.transport, {
    reuse: "never",
    trust: access,
    nowNs: () => Math.round(performance.now() * 1e6),
  });
}

function ask(
  transport: Transport,
  target: Target,
  access: ServerAccess,
  signal?: AbortSignal,
  deadline = Infinity,
): Promise<GetReply> {
  const timeoutMs = Math.max(1, Math.min(PROBE_TIMEOUT_MS, deadline - performance.now()));
  return askServer(transport, target, access, MODELS, {
    ...{ timeoutMs, maxBytes: MAX_LIST_BYTES, signal },
  });
}

function isOk({ status }: GetReply): boolean {
  return status >= 200 && status < 300;
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /refused/i.test(message) ? "connection refused" : message;
}
