/**
 * Has one load worker of a run die, at a moment that no thread's speed has a say in: as it starts
 * its last request. The others do not begin before that, so that none of its requests is theirs;
 * and it does not die before they have begun, so that what it leaves behind is left to workers that
 * are there. It must not get a reply.
 */

import { MAX_WORKERS } from "../../src/config/options/max_workers.ts";
import { ControlBlock } from "../../src/load/worker/control_block.ts";
import { DOOMED, readDyingThreadUrl } from "./dying_thread_url.ts";

/** Looks again after so long; how often is of no consequence. */
const LOOK_MS = 1;

const { worker: doomed, requests } = readDyingThreadUrl(globalThis.location.href);
let isDoomed = false;
/** Requests until it dies, from the beginning of the phase on: a rehearsal's do not count. */
let left = Infinity;
let control: ControlBlock;
let workers = 1;
/** A worker that is not there: its heartbeats count the others that have begun. */
const NOBODY = MAX_WORKERS - 1;

interface Message {
  readonly type: string;
  readonly worker: number;
  readonly control: SharedArrayBuffer;
  readonly plan: { readonly workers: number };
}

// This module comes before the worker's, so this hears of a message first, and can hold it up.
globalThis.addEventListener("message", (event) => {
  const message = (event as MessageEvent<Message>).data;
  if (message.type === "init") {
    control = new ControlBlock(message.control);
    workers = message.plan.workers;
    isDoomed = message.worker === doomed;
  } else if (message.type === "phase") {
    if (isDoomed) left = requests;
    else block(() => control.inFlight >= requests);
  }
});

// Each request gets an id when it starts.
const randomUUID = crypto.randomUUID.bind(crypto);
crypto.randomUUID = () => {
  if (left === Infinity) return randomUUID();
  if (--left > 0) return `${DOOMED}-0-0-0-${left}`;
  block(() => control.beats(NOBODY) >= workers - 1);
  throw new Error("Broken on purpose");
};

/** To be called when this thread has begun the phase. */
export function begun(): void {
  if (!isDoomed) control.beat(NOBODY);
}

/** Stops this thread until a condition holds. */
function block(condition: () => boolean): void {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  while (!condition()) Atomics.wait(cell, 0, 0, LOOK_MS);
}
