/** Messages between main and the input thread. */

import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { PageExtent, Paging } from "../dataset/conversations/page_reader.ts";
import type { PayloadPage } from "../dataset/payloads/payload_page.ts";
import type { PayloadData } from "../dataset/payloads/payload_table.ts";
import type { TokenizerSource } from "../dataset/tokenizers/tokenizer_source.ts";
import type { ErrorParts } from "./error_parts.ts";

/** From main to the input thread. */
export type ToInputThread =
  | { readonly type: "load"; readonly plan: RunPlan; readonly paging: Paging | undefined }
  /** The next pages are those of a phase. */
  | { readonly type: "begin"; readonly extent: PageExtent }
  | { readonly type: "next" }
  /** No more pages of this phase are wanted. */
  | { readonly type: "end" };

/** The prompts, in a form that can be posted. */
export interface LoadedInputs {
  readonly payloads: PayloadData;
  /** Whether the prompts come in pages, while the file is sent. */
  readonly isPaged: boolean;
  readonly tokenizer: TokenizerSource;
}

/** From the input thread to main. */
export type FromInputThread =
  | { readonly type: "ready" }
  | { readonly type: "warning"; readonly text: string }
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "loaded"; readonly inputs: LoadedInputs | ErrorParts }
  /** The next page; undefined after the last one. */
  | { readonly type: "page"; readonly page: PayloadPage | ErrorParts | undefined }
  | { readonly type: "ended" };
