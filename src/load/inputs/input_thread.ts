/**
 * The thread that reads the inputs of a run whose tokenizer is not the program's own: patterns of a
 * foreign tokenizer and loops of its chat template may run without end. Main stays responsive to
 * signals and leaves such a thread. It begins with main's permissions and gives all of them up once
 * its files are open.
 */

import { dropPermissions } from "../../config/sandbox/permissions.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import type { Dataset } from "../dataset/load_dataset.ts";
import type { PayloadPage } from "../dataset/payloads/payload_page.ts";
import { errorParts } from "./error_parts.ts";
import type { FromInputThread, ToInputThread } from "./messages.ts";
import { openDataset } from "./open_dataset.ts";

const scope = workerScope();
let dataset: Dataset | undefined;
let pages: AsyncGenerator<PayloadPage> | undefined;
let phase = new AbortController();
/** Resolves when the page in progress is complete. */
let underWay: Promise<void> = Promise.resolve();

function post(message: FromInputThread): void {
  scope.postMessage(message);
}

async function load({ plan, paging }: Extract<ToInputThread, { type: "load" }>): Promise<void> {
  try {
    // Main ends this thread if the run is interrupted.
    dataset = await openDataset(plan, new AbortController().signal, {
      paging,
      onWarning: (text) => post({ type: "warning", text }),
      onNotice: (text) => post({ type: "notice", text }),
    });
    await dropPermissions();
    const { payloads, tokenizer } = dataset;
    const isPaged = dataset.pages !== undefined;
    post({ type: "loaded", inputs: { payloads: payloads.data, isPaged, tokenizer } });
  } catch (error) {
    post({ type: "loaded", inputs: errorParts(error) });
  }
}

async function next(): Promise<void> {
  try {
    const result = await pages?.next();
    post({ type: "page", page: result?.done === false ? result.value : undefined });
  } catch (error) {
    post({ type: "page", page: errorParts(error) });
  }
}

async function end(): Promise<void> {
  phase.abort();
  await underWay;
  // A generator that waits at a page lets go of the file.
  await pages?.return(undefined).catch(() => {});
  pages = undefined;
  post({ type: "ended" });
}

scope.onmessage = ({ data }: MessageEvent<ToInputThread>) => {
  switch (data.type) {
    case "load":
      void load(data);
      break;
    case "begin":
      phase = new AbortController();
      pages = dataset?.pages?.pages(data.extent, phase.signal);
      break;
    case "next":
      underWay = next();
      break;
    case "end":
      void end();
      break;
  }
};
post({ type: "ready" });
