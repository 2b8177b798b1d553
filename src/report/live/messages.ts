/** What main and the live thread say to each other. */

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
  /** Answer what was asked and free the port; answered by `closed`. */
  | { readonly type: "close" };

/** Messages from the live thread to main. */
export type FromLiveThread =
  | { readonly type: "ready" }
  /** It listens; `failure` says why it does not. */
  | { readonly type: "listening"; readonly failure: string | undefined }
  | { readonly type: "closed" };
