import { HubError, hubError, hubFailure, type HubFile, openHubFile } from "./open_hub_file.ts";

export { HubError };

/** Largest file that is read; tokenizers of large vocabularies have 35 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Maximum time for a whole file, in milliseconds. */
const TIMEOUT_MS = 60_000;

/**
 * Fetches a text file of a repository from a hub.
 * @returns undefined if the repository has no such file
 * @throws {HubError} if it cannot be fetched, or the hub does not know the repository
 */
export async function fetchHubFile(where: HubFile): Promise<string | undefined> {
  const interrupt = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await openHubFile(where, { interrupt });
    return response === undefined ? undefined : await hubText(response, where);
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw hubError(where, hubFailure(error));
  }
}

/**
 * The text of a reply.
 * @throws {HubError} if it is too large
 */
export async function hubText(response: Response, where: HubFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      throw hubError(where, `it is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    }
    chunks.push(chunk);
  }
  return await new Blob(chunks as Uint8Array<ArrayBuffer>[]).text();
}
