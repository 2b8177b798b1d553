/**
 * Sends a run to an OpenTelemetry collector: while it goes on, metrics of its requests at intervals;
 * when it is over, the last of these, the results, and the requests as traces. It reads all that from
 * the run's folder, as a later `inferometer export` does: nothing is kept in memory but the batch
 * that is under way.
 */

import { type Redactor, redactor } from "../../core/secrets/redactor.ts";
import { printableText } from "../../report/console/printable_text.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { openRunFolder } from "../collect/run_folder.ts";
import type { SystemOrders } from "./messages.ts";
import { OtlpContext } from "./otlp_context.ts";
import { metricsMessage, type OtlpObject, partialSuccess, spansMessage } from "./otlp_message.ts";
import { RecordTail } from "./record_tail.ts";
import { RequestMeter } from "./request_meter.ts";
import { isSampled, requestSpans, traceId } from "./request_spans.ts";
import { resultGauges } from "./result_gauges.ts";
import type { SystemExport } from "./system_export.ts";
import { SendError, SystemSender } from "./system_sender.ts";

/** Orders to send by OTLP. */
export type OtlpOrders = Extract<SystemOrders, { system: "otlp" }>;

/** Spans of a message, about half a megabyte. */
const BATCH_SPANS = 1000;
/** Messages in a row that are refused until no further one is tried. */
const MAX_REFUSALS = 3;

/** See the module's comment. */
export class OtlpExport implements SystemExport {
  readonly #orders: OtlpOrders;
  readonly #sender: SystemSender;
  readonly #redact: Redactor;
  readonly #tail: RecordTail;
  readonly #sent = { messages: 0, spans: 0 };
  readonly #failed = { messages: 0, spans: 0 };
  #failure: string | undefined;
  #context: OtlpContext | undefined;
  #meter: RequestMeter | undefined;
  /** The message of metrics that is under way. */
  #underWay: Promise<void> = Promise.resolve();
  #isBusy = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Begins to send at intervals, if that is wanted. */
  static start(orders: OtlpOrders): OtlpExport {
    const { place, intervalNs } = orders.plan;
    const redact = redactor(orders.secrets);
    const sender = new SystemSender({ place, caCerts: orders.caCerts, redact });
    const otlp = new OtlpExport(orders, sender);
    if (intervalNs !== undefined) {
      otlp.#timer = setInterval(() => otlp.#sendInterim(), intervalNs / 1e6);
    }
    return otlp;
  }

  /** @param sender of the collector */
  constructor(orders: OtlpOrders, sender: SystemSender) {
    this.#orders = orders;
    this.#sender = sender;
    this.#redact = redactor(orders.secrets);
    this.#tail = new RecordTail(orders.directory);
  }

  async finish(report: ProfileReport, timeoutMs: number): Promise<ExportOutcome> {
    clearInterval(this.#timer);
    this.#sender.limit(timeoutMs);
    await this.#underWay;
    try {
      const meter = await this.#measured();
      await this.#sendMetrics([...meter.isEmpty ? [] : meter.metrics(), ...resultGauges(report)]);
      await this.#sendTraces();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#tail.close();
      this.#sender.close();
    }
    return {
      system: "otlp",
      place: this.#orders.plan.place.redactedUrl,
      sent: this.#sent,
      failed: this.#failed,
      failure: this.#failure,
    };
  }

  /** One that fails is not tried again: the next one says the same and more. */
  #sendInterim(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#underWay = this.#measured()
      .then((meter) => meter.isEmpty ? undefined : this.#sendMetrics(meter.metrics(), true))
      // The folder is not there yet, or cannot be read, which the end will tell.
      .catch(() => {})
      .finally(() => this.#isBusy = false);
  }

  /** Everything that was recorded so far, counted. */
  async #measured(): Promise<RequestMeter> {
    this.#context ??= await this.#readContext();
    this.#meter ??= new RequestMeter(this.#context);
    for (const { record } of this.#tail.take()) this.#meter.add(record);
    return this.#meter;
  }

  async #readContext(): Promise<OtlpContext> {
    const { directory, plan } = this.#orders;
    const { manifest } = await openRunFolder(directory);
    return new OtlpContext(manifest.facts, plan);
  }

  async #sendMetrics(metrics: readonly OtlpObject[], isInterim = false): Promise<void> {
    const message = metricsMessage(this.#context?.resource ?? {}, metrics);
    try {
      const { rejected, reason } = await this.#post("/v1/metrics", message, isInterim);
      if (rejected > 0) throw new SendError(`${rejected} values refused: ${reason}`);
      this.#sent.messages++;
    } catch (error) {
      this.#failed.messages++;
      this.#fail(error);
    }
  }

  async #sendTraces(): Promise<void> {
    const context = this.#context;
    const { directory, plan: { traceRatio } } = this.#orders;
    if (context === undefined || traceRatio === 0) return;
    const tail = new RecordTail(directory);
    let batch: OtlpObject[] = [];
    let refusals = 0;
    const flush = async (): Promise<void> => {
      if (refusals >= MAX_REFUSALS || this.#sender.isOver) {
        this.#failed.spans += batch.length;
        this.#failure ??= "there was no time left; --export-timeout gives more";
      } else if (batch.length > 0) {
        refusals = await this.#sendSpans(context, batch) ? 0 : refusals + 1;
      }
      batch = [];
    };
    try {
      for (const { record, stored } of tail.take()) {
        const trace = traceId(stored.requestId, record, context.benchmarkId);
        if (!isSampled(trace, traceRatio)) continue;
        batch.push(...requestSpans(context, record, stored, trace));
        if (batch.length >= BATCH_SPANS) await flush();
      }
      if (batch.length > 0) await flush();
    } finally {
      tail.close();
    }
  }

  async #sendSpans(context: OtlpContext, spans: readonly OtlpObject[]): Promise<boolean> {
    try {
      const message = spansMessage(context.resource, spans);
      const { rejected, reason } = await this.#post("/v1/traces", message, false);
      const lost = Math.min(rejected, spans.length);
      this.#sent.spans += spans.length - lost;
      this.#failed.spans += lost;
      if (lost > 0) this.#fail(new SendError(`${lost} spans refused: ${reason}`));
      return true;
    } catch (error) {
      this.#failed.spans += spans.length;
      this.#fail(error);
      return false;
    }
  }

  async #post(path: string, message: string, isSingle: boolean) {
    const { intervalNs } = this.#orders.plan;
    const reply = await this.#sender.send({
      method: "POST",
      path,
      contentType: "application/json",
      body: () => message,
      isSingle,
      ...isSingle && intervalNs !== undefined ? { timeoutMs: intervalNs / 1e6 } : {},
    });
    return partialSuccess(reply);
  }

  #fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#failure = printableText(this.#redact(text));
  }
}
