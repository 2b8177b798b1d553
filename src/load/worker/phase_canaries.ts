import { CanaryCells } from "../../measurement/canary/canary_cells.ts";
import type { Shadow } from "../../measurement/canary/canary_kind.ts";
import { CanaryReader, type CanaryReaderContext } from "./canary_reader.ts";
import type { RequestSlot } from "./request_slot.ts";
import { ShadowSampler } from "./shadow_sampler.ts";

/** Number of canaries at which they are sent on. */
const MIN_CANARIES = 32;

/** Further properties that a canary shares with the request it shadows. */
type ShadowedRequest = Pick<
  RequestSlot,
  "chunkAfterNs" | "chunkCount" | "startNs" | "startedNs"
>;

/**
 * Canaries of a load worker in a phase: read like its streams, and requested for the times of
 * chunks.
 */
export class PhaseCanaries {
  readonly #context: CanaryReaderContext;
  readonly #reader: CanaryReader;
  readonly #send: (rows: Float64Array<ArrayBuffer>) => void;
  /** undefined before the phase. */
  #shadows: ShadowSampler | undefined;

  /**
   * Connects.
   * @param send forwards the collected rows
   */
  constructor(context: CanaryReaderContext, send: (rows: Float64Array<ArrayBuffer>) => void) {
    this.#context = context;
    this.#reader = new CanaryReader(context);
    this.#send = send;
  }

  /**
   * The phase begins.
   * @param expectedPerSecond requests in the first second, as far as one can guess
   */
  begin(expectedPerSecond: number): void {
    const { orders, worker } = this.#context;
    const cells = new CanaryCells(orders.cells);
    this.#shadows = new ShadowSampler(expectedPerSecond, (wish) => cells.wish(worker, wish));
    this.#reader.begin();
  }

  /** A request starts. */
  onStart({ startedNs }: ShadowedRequest): void {
    this.#shadows?.onStart(startedNs);
  }

  /** Chunks of a request have come: others can be expected. */
  onChunks(slot: ShadowedRequest, shadows: readonly Shadow[]): void {
    if (this.#shadows === undefined) return;
    for (const shadow of shadows) {
      const chunk = shadow === "first" ? 0 : shadow === "second" ? 1 : slot.chunkCount - 1;
      this.#shadows.onChunk(shadow, slot.startNs, slot.chunkAfterNs(chunk));
    }
  }

  /** To be called now and then: sends on what has gathered. */
  onTick(): void {
    if (this.#reader.count >= MIN_CANARIES) this.#send(this.#reader.take());
  }

  /** Ends reading, and sends on the rest. */
  close(): void {
    this.#reader.close();
    this.#send(this.#reader.take());
  }
}
