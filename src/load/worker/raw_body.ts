import { joinBytes } from "../../client/http/join_bytes.ts";
import type { ResponseHead } from "../../client/http/response_head.ts";
import type { RawReply } from "../../client/record/record_block.ts";

/** A body is kept up to this length. */
const MAX_RAW_BYTES = 16 * 1024 * 1024;

/** Gathers a reply as it arrives. */
export class RawBody {
  #headers: RawReply["headers"] = [];
  #bytes = new Uint8Array(4096);
  #length = 0;
  readonly #readEnds: [number, number][] = [];

  begin(head: ResponseHead): void {
    this.#headers = head.headers;
  }

  add(bytes: Uint8Array, start: number, end: number, stampNs: number): void {
    const stop = Math.min(end, start + MAX_RAW_BYTES - this.#length);
    const needed = this.#length + stop - start;
    if (needed > this.#bytes.length) {
      const longer = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      longer.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = longer;
    }
    this.#bytes.set(bytes.subarray(start, stop), this.#length);
    this.#length = needed;
    this.#readEnds.push([needed, stampNs]);
  }

  /** @param request the body that was sent, where it is not that of the entry */
  taken(request: readonly Uint8Array[] | undefined): RawReply {
    return {
      ...(request === undefined ? {} : { requestBody: joinBytes(request) }),
      headers: this.#headers,
      body: this.#bytes.slice(0, this.#length),
      readEnds: this.#readEnds,
    };
  }
}
