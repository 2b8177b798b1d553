import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { type PayloadSource, PayloadTable } from "../../load/dataset/payloads/payload_table.ts";
import type { Tokenizer } from "../../load/dataset/tokenizers/tokenizer.ts";
import type { RequestRecord } from "../../measurement/metrics/request_record.ts";
import type { PrefixIdeal } from "../../measurement/prefix/ideal_hits.ts";
import { prefixFilePieces } from "../../measurement/prefix/prefix_file.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import { cacheHits } from "../../report/model/cache_hits.ts";
import { cacheShape } from "../../report/model/cache_shape.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import { PromptLog } from "./prompt_log.ts";
import { RUN_FILES } from "./run_files.ts";

/** Hits that prefix caches could have had with the requests of a run. */
export class PrefixResults {
  readonly #plan: RunPlan;
  /** undefined for a shard, as servers serve the prompts of all of them, and without prompts. */
  readonly #prompts: PromptLog | undefined;

  /** @param tokenizer that may be the server's; undefined if none is known */
  constructor(
    plan: RunPlan,
    type: EndpointType,
    payloads: PayloadSource,
    tokenizer: Tokenizer | undefined,
  ) {
    this.#plan = plan;
    const hasBodies = payloads instanceof PayloadTable || plan.serverMetrics !== undefined;
    if ((plan.shard?.count ?? 1) > 1 || !hasBodies) return;
    this.#prompts = new PromptLog(type, payloads, tokenizer && ((text) => tokenizer.count(text)));
  }

  add(record: RequestRecord): void {
    this.#prompts?.add(record);
  }

  /** Finds the hits; undefined where neither servers nor replies report any. */
  ideal(metrics: ServerMetricsReport | undefined): PrefixIdeal | undefined {
    const prompts = this.#prompts;
    if (prompts === undefined) return undefined;
    const roles = metrics?.roles;
    if (!prompts.hasCached && cacheHits(roles, new Map()) === undefined) return undefined;
    return prompts.ideal(cacheShape(roles));
  }

  /**
   * Writes the hits of each request, so that parts of the run can be looked at.
   * @param prefix hits that {@linkcode PrefixResults.ideal} found
   * @returns why they could not be written; undefined if they are, or are not known
   */
  async store(sink: FileSink, prefix: PrefixIdeal | undefined): Promise<string | undefined> {
    const stored = this.#prompts?.stored ?? [];
    if (prefix === undefined || "none" in prefix || stored.length === 0) return undefined;
    const { tryToWrite } = await import("./write_summary.ts");
    const pieces = prefixFilePieces(this.#plan.benchmarkId, prefix, stored);
    return await tryToWrite(sink, RUN_FILES.prefixHits, pieces);
  }
}
