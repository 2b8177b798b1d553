/** Messages between the main thread and the live thread. */

import type { LiveModel } from "./live_model.ts";

/** Messages from main to the live thread. */
export type ToLiveThread =
  | {
    readonly type: "init";
    readonly hostname: string;
    readonly port: number;
    readonly token: string;
  }
  | { readonly type: "model"; readonly model: LiveModel }
  /** Request to answer pending requests and free the port; answered by `closed`. */
  | { readonly type: "close" };

/** Messages from the live thread to main. */
export type FromLiveThread =
  | { readonly type: "ready" }
  /** Result of opening the port; `failure` is the reason why the thread does not listen. */
  | { readonly type: "listening"; readonly failure: string | undefined }
  | { readonly type: "closed" };
