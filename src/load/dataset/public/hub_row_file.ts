import {
  HubError,
  hubError,
  hubFailure,
  type HubRequest,
  type HubUrl,
  openHubUrl,
} from "../../../config/hub/open_hub_file.ts";
import { redactedUrlText } from "../../../core/secrets/url_secrets.ts";
import { untilAborted } from "../../../core/thread/until_aborted.ts";
import type { RowFile } from "./row_file.ts";

/** Maximum time without data from a hub, in milliseconds. */
const SILENCE_MS = 60_000;
/** Largest file that is kept in memory where a hub gives no pieces of it. */
const MAX_WHOLE_BYTES = 1024 * 1024 * 1024;

/** Returns a file of the main revision of a dataset's repository. */
export function repositoryRowFile(
  { endpoint, repository, file, token }: Omit<HubUrl, "url">,
  interrupt: AbortSignal,
): HubRowFile {
  const path = file.split("/").map(encodeURIComponent).join("/");
  const url = `${endpoint}/datasets/${repository}/resolve/main/${path}`;
  return new HubRowFile({ url, endpoint, repository, file, token }, interrupt);
}

/** File of a dataset on a hub: only the parts that are read are fetched, and nothing is stored. */
export class HubRowFile implements RowFile {
  readonly path: string;
  readonly #url: HubUrl;
  readonly #interrupt: AbortSignal;
  #size: number | undefined;
  /** All of it, where the hub gives no pieces. */
  #whole: Uint8Array<ArrayBuffer> | undefined;

  constructor(url: HubUrl, interrupt: AbortSignal) {
    this.path = redactedUrlText(url.url);
    this.#url = url;
    this.#interrupt = interrupt;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    yield* this.#body(await this.#open());
  }

  async size(): Promise<number> {
    if (this.#size !== undefined) return this.#size;
    const response = await this.#open({ range: [0, 3] });
    const total = Number(/\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1]);
    if (response.status === 206 && Number.isSafeInteger(total)) {
      await response.body?.cancel();
      return this.#size = total;
    }
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of this.#body(response)) {
      pieces.push(piece);
      length += piece.length;
      if (length > MAX_WHOLE_BYTES) {
        throw hubError(
          this.#url,
          `it is larger than ${MAX_WHOLE_BYTES / 1024 ** 3} GB, and is not sent in pieces`,
        );
      }
    }
    this.#whole = new Uint8Array(length);
    let offset = 0;
    for (const piece of pieces) {
      this.#whole.set(piece, offset);
      offset += piece.length;
    }
    return this.#size = length;
  }

  async slice(start: number, end: number): Promise<ArrayBuffer> {
    if (this.#whole !== undefined) return this.#whole.slice(start, end).buffer;
    const response = await this.#open({ range: [start, end - 1] });
    const bytes = new Uint8Array(end - start);
    let length = 0;
    for await (const piece of this.#body(response)) {
      if (response.status !== 206 || length + piece.length > bytes.length) {
        throw hubError(this.#url, "it is sent otherwise than was asked for");
      }
      bytes.set(piece, length);
      length += piece.length;
    }
    if (length < bytes.length) throw hubError(this.#url, "its end is missing");
    return bytes.buffer;
  }

  async #open(request: HubRequest = {}): Promise<Response> {
    const response = await openHubUrl(this.#url, { ...request, interrupt: this.#interrupt });
    if (response === undefined) throw hubError(this.#url, "there is no such file");
    return response;
  }

  async *#body(response: Response): AsyncGenerator<Uint8Array> {
    const reader = (response.body ?? new Blob([]).stream()).getReader();
    let hasEnded = false;
    try {
      for (;;) {
        const silence = AbortSignal.any([this.#interrupt, AbortSignal.timeout(SILENCE_MS)]);
        const { value, done } = await untilAborted(reader.read(), silence);
        if (done) {
          hasEnded = true;
          return;
        }
        yield value;
      }
    } catch (error) {
      this.#interrupt.throwIfAborted();
      if (error instanceof HubError) throw error;
      throw hubError(this.#url, hubFailure(error));
    } finally {
      // Whoever has enough does not wait for the rest.
      if (!hasEnded) await reader.cancel().catch(() => undefined);
    }
  }
}
