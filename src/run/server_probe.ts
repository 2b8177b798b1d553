import { tlsReason } from "../http/tls_reason.ts";
import type { ServerAccess } from "../plan/resolve_plan.ts";
import type { Target } from "../plan/run_plan.ts";

/** Longest that a single question to a server may take. */
const PROBE_TIMEOUT_MS = 10_000;
const POLL_MS = 500;
/** Longest list of models that is read; those of public hubs take about a megabyte. */
const MAX_LIST_CHARACTERS = 16 * 1024 * 1024;

/** A server that cannot be asked, or does not answer as it should. */
export class ServerUnavailableError extends Error {
  override readonly name = "ServerUnavailableError";
}

/**
 * Asks a server which model it serves.
 * @throws {ServerUnavailableError} if it does not say
 */
export async function findModel(
  targets: readonly Target[],
  access: ServerAccess,
): Promise<string> {
  const target = targets[0] as Target;
  const url = modelsUrl(target);
  const advice = "name the model with --model";
  const client = clientFor(access);
  let text: string;
  try {
    const response = await ask(target, url, access, client);
    if (!response.ok) {
      throw new ServerUnavailableError(`${url} answers HTTP ${response.status}: ${advice}`);
    }
    text = await textOf(response);
  } catch (error) {
    if (error instanceof ServerUnavailableError) throw error;
    throw new ServerUnavailableError(
      `Cannot ask ${url} for its model: ${reasonOf(error)}; start the server, or ${advice}`,
    );
  } finally {
    client.close();
  }
  try {
    const id = JSON.parse(text)?.data?.[0]?.id;
    if (typeof id === "string" && id !== "") return id;
  } catch {
    // Not JSON: told below.
  }
  throw new ServerUnavailableError(`${url} lists no model: ${advice}`);
}

/**
 * Waits until every server lists its models, or the wait is interrupted.
 * @throws {ServerUnavailableError} if one does not in time, or refuses the key
 */
export async function waitForModels(
  targets: readonly Target[],
  access: ServerAccess,
  timeoutMs: number,
  interrupt: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const client = clientFor(access);
  const over = new AbortController();
  const signal = AbortSignal.any([interrupt, over.signal]);
  const waitFor = async (target: Target): Promise<void> => {
    const url = modelsUrl(target);
    for (let last = "no answer"; !signal.aborted;) {
      try {
        const { ok, status, body } = await ask(target, url, access, client, signal);
        await body?.cancel();
        if (ok) return;
        if (status === 401 || status === 403) {
          throw new ServerUnavailableError(`${url} answers HTTP ${status}: check --api-key`);
        }
        last = `HTTP ${status}`;
      } catch (error) {
        if (error instanceof ServerUnavailableError) throw error;
        last = reasonOf(error);
      }
      if (signal.aborted) return;
      if (performance.now() + POLL_MS > deadline) {
        const seconds = timeoutMs / 1000;
        throw new ServerUnavailableError(`${url} is not ready within ${seconds} s: ${last}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  try {
    await Promise.all(targets.map(waitFor));
  } finally {
    over.abort();
    client.close();
  }
}

/** The text of a reply, which has to end. */
async function textOf(response: Response): Promise<string> {
  let text = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.length > MAX_LIST_CHARACTERS) throw new Error("its list of models has no end");
  }
  return text;
}

function clientFor(access: ServerAccess): Deno.HttpClient {
  return Deno.createHttpClient({
    caCerts: [...access.caCerts, ...access.systemCerts],
    ...access.clientCert,
  });
}

async function ask(
  target: Target,
  url: string,
  access: ServerAccess,
  client: Deno.HttpClient,
  interrupt?: AbortSignal,
): Promise<Response> {
  const headers = new Headers(access.headers as [string, string][]);
  if (target.authorization !== undefined && !headers.has("authorization")) {
    headers.set("Authorization", target.authorization);
  }
  const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const signal = interrupt === undefined ? timeout : AbortSignal.any([timeout, interrupt]);
  return await fetch(url, { client, headers, redirect: "manual", signal });
}

/** `/v1/models` beside the endpoint. */
function modelsUrl({ origin, path }: Target): string {
  const base = path.replace(/\?.*$/, "").replace(/\/v1\/[^?]*$/, "");
  const folder = base === path || base.includes("/v1") ? "" : base;
  return `${origin.protocol}//${origin.host}${folder}/v1/models`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it does not answer";
  const cause = error.cause instanceof Error ? error.cause.message : error.message;
  if (/certificate|handshake/i.test(cause)) return tlsReason(cause);
  return /refused/i.test(cause) ? "connection refused" : cause.replace(/^.*: (?=[^:]+$)/, "");
}
