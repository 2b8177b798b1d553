import { redactedUrlText } from "../../core/secrets/url_secrets.ts";
import { MAIN, type RepositoryKind } from "./cached_folder.ts";
import { isHubHost } from "./hub_hosts.ts";

/** Maximum time for the reply of a hub, in milliseconds. */
const TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 5;

/** A file of a hub that cannot be had. */
export class HubError extends Error {
  override readonly name = "HubError";
}

/** The place of a file of a hub. */
export interface HubFile {
  /** URL of the hub. */
  readonly endpoint: string;
  /** @default "models" */
  readonly kind?: RepositoryKind;
  /** `org/name`. */
  readonly repository: string;
  readonly file: string;
  /** @default "main" */
  readonly revision?: string | undefined;
  /** Token that is sent only to this hub. */
  readonly token: string | undefined;
}

/** Request to a hub, apart from the file. */
export interface HubRequest {
  /** Bytes of it, both included. */
  readonly range?: readonly [first: number, last: number];
  readonly interrupt?: AbortSignal | undefined;
  /** Whether 404 says no more than that there is nothing there. */
  readonly mayLack?: boolean;
}

/**
 * Begins to read a file of a repository. Redirects are followed only to the hub's own hosts, and
 * the token is sent only to the hub.
 * @returns undefined if the repository has no such file
 * @throws {HubError} if it cannot be fetched, or the hub does not know the repository
 */
export async function openHubFile(
  where: HubFile,
  request: HubRequest = {},
): Promise<Response | undefined> {
  const { endpoint, kind = "models", repository, file, revision = MAIN } = where;
  const path = file.split("/").map(encodeURIComponent).join("/");
  const folder = kind === "models" ? "" : `${kind}/`;
  return await openHubUrl(
    {
      ...where,
      url: `${endpoint}/${folder}${repository}/resolve/${encodeURIComponent(revision)}/${path}`,
    },
    request,
  );
}

/** A URL of a hub, with the repository and file it refers to. */
export interface HubUrl extends Pick<HubFile, "endpoint" | "repository" | "file" | "token"> {
  readonly url: string;
}

/** Opens any URL of a hub. */
export async function openHubUrl(
  { url: first, endpoint, repository, file, token }: HubUrl,
  { range, interrupt, mayLack = false }: HubRequest = {},
): Promise<Response | undefined> {
  const fail = (reason: string): never => {
    throw hubError({ endpoint, repository, file }, reason);
  };
  let url = new URL(first);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const headers = new Headers({ "accept": "*/*", "accept-encoding": "identity" });
    const isHub = url.host === new URL(endpoint).host;
    if (token !== undefined && isHub) headers.set("authorization", `Bearer ${token}`);
    if (range !== undefined) headers.set("range", `bytes=${range.join("-")}`);
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new TimeoutError()), TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetch(url, {
        headers,
        redirect: "manual",
        signal: interrupt === undefined
          ? timeout.signal
          : AbortSignal.any([timeout.signal, interrupt]),
      });
    } catch (error) {
      interrupt?.throwIfAborted();
      return fail(hubFailure(error));
    } finally {
      clearTimeout(timer);
    }
    const { status } = response;
    const location = response.headers.get("location");
    if (status >= 300 && status < 400 && location !== null) {
      await response.body?.cancel();
      url = new URL(location, url);
      if (!isHubHost(endpoint, url)) return fail(`it redirects to another host, ${url.host}`);
      continue;
    }
    if (status === 200 || (status === 206 && range !== undefined)) return response;
    await response.body?.cancel();
    const isMissing = response.headers.get("x-error-code") === "EntryNotFound";
    if (status === 404 && (mayLack || isMissing)) return undefined;
    if (status === 404) return fail("the model, dataset or file does not exist");
    if (status === 401 || status === 403) {
      return fail(`HTTP ${status}: it needs a token (HF_TOKEN) with access to the repository`);
    }
    return fail(`HTTP ${status}`);
  }
  return fail("it redirects in a circle");
}

/** The error of a file that cannot be had. */
export function hubError(
  { endpoint, repository, file }: Pick<HubFile, "endpoint" | "repository" | "file">,
  reason: string,
): HubError {
  return new HubError(
    `Cannot fetch ${file} of "${repository}" from ${redactedUrlText(endpoint)}: ${reason}; ` +
      "give a local folder instead",
  );
}

class TimeoutError extends Error {
  override readonly message = "timed out";
}

/** The reason why a request failed, in a few words. */
export function hubFailure(error: unknown): string {
  const message = error instanceof Error ? `${error.message} ${error.cause}` : String(error);
  if (/refused/i.test(message)) return "connection refused";
  if (/dns|lookup|resolve/i.test(message)) return "its host name cannot be resolved";
  return /timed out/i.test(message)
    ? `no answer within ${TIMEOUT_MS / 1000} s`
    : "it does not answer";
}
