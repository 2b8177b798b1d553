import { redactedUrlText } from "../secrets/url_secrets.ts";

/** Longest that a file of a hub may take. */
const TIMEOUT_MS = 60_000;
/** Largest file that is read; tokenizers of large vocabularies have 35 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_REDIRECTS = 5;

/** A file of a hub that cannot be had. */
export class HubError extends Error {
  override readonly name = "HubError";
}

/** Where a file of a hub is. */
export interface HubFile {
  /** URL of the hub. */
  readonly endpoint: string;
  /** `org/name`. */
  readonly model: string;
  readonly file: string;
  /** Sent to this hub alone. */
  readonly token: string | undefined;
}

/**
 * Fetches a text file of a model from a hub. Redirects are followed within the hub's own host.
 * @returns undefined if the model has no such file
 * @throws {HubError} if it cannot be fetched, or the hub does not know the model
 */
export async function fetchHubFile(
  { endpoint, model, file, token }: HubFile,
): Promise<string | undefined> {
  const fail = (reason: string): never => {
    throw new HubError(
      `Cannot fetch ${file} of "${model}" from ${redactedUrlText(endpoint)}: ${reason}; ` +
        "give a local folder instead",
    );
  };
  const { host } = new URL(endpoint);
  let url = new URL(`${endpoint}/${model}/resolve/main/${file}`);
  const headers = new Headers({ "accept": "*/*" });
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    let response: Response;
    try {
      response = await fetch(url, {
        headers,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      return fail(reasonOf(error));
    }
    const { status } = response;
    const location = response.headers.get("location");
    if (status >= 300 && status < 400 && location !== null) {
      await response.body?.cancel();
      url = new URL(location, url);
      if (url.host !== host) return fail(`it redirects to another host, ${url.host}`);
      continue;
    }
    if (status === 200) return await textOf(response, fail);
    await response.body?.cancel();
    if (status === 404 && response.headers.get("x-error-code") === "EntryNotFound") {
      return undefined;
    }
    if (status === 404) return fail("there is no such model or file");
    if (status === 401 || status === 403) {
      return fail(`HTTP ${status}: it needs a token (HF_TOKEN) with access to the model`);
    }
    return fail(`HTTP ${status}`);
  }
  return fail("it redirects in a circle");
}

async function textOf(response: Response, fail: (reason: string) => never): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > MAX_BYTES) return fail(`it is larger than ${MAX_BYTES / 1024 / 1024} MB`);
      chunks.push(chunk);
    }
  } catch (error) {
    return fail(reasonOf(error));
  }
  return await new Blob(chunks as Uint8Array<ArrayBuffer>[]).text();
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? `${error.message} ${error.cause}` : String(error);
  if (/refused/i.test(message)) return "connection refused";
  if (/dns|lookup|resolve/i.test(message)) return "its host name cannot be resolved";
  return /timed out/i.test(message)
    ? `no answer within ${TIMEOUT_MS / 1000} s`
    : "it does not answer";
}
