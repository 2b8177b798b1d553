/**
 * Logs a finished run to an MLflow tracking server by its REST interface: settings as parameters,
 * results as metrics, the files of the run's folder as artifacts.
 */

import { basename } from "node:path";
import { type Redactor, redactor } from "../../core/secrets/redactor.ts";
import { printableText } from "../../report/console/printable_text.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { chosenFiles } from "./chosen_files.ts";
import type { SystemOrders } from "./messages.ts";
import { artifactPath, ArtifactPlaceError } from "./mlflow_artifacts.ts";
import { MlflowClient, type MlflowRun } from "./mlflow_client.ts";
import { mlflowMetrics, mlflowParams, mlflowTags } from "./mlflow_run.ts";
import type { SystemExport } from "./system_export.ts";
import { SystemSender } from "./system_sender.ts";

/** Orders to log to MLflow. */
export type MlflowOrders = Extract<SystemOrders, { system: "mlflow" }>;

/** See the module's comment. */
export class MlflowExport implements SystemExport {
  readonly #orders: MlflowOrders;
  readonly #sender: SystemSender;
  readonly #client: MlflowClient;
  readonly #redact: Redactor;
  readonly #sent = { params: 0, metrics: 0, files: 0 };
  readonly #failed = { params: 0, metrics: 0, files: 0 };
  #failure: string | undefined;

  static create(orders: MlflowOrders): MlflowExport {
    const redact = redactor(orders.secrets);
    const { place } = orders.plan;
    return new MlflowExport(orders, new SystemSender({ place, caCerts: orders.caCerts, redact }));
  }

  /** @param sender of the tracking server */
  constructor(orders: MlflowOrders, sender: SystemSender) {
    this.#orders = orders;
    this.#sender = sender;
    this.#client = new MlflowClient(sender);
    this.#redact = redactor(orders.secrets);
  }

  async finish(report: ProfileReport, timeoutMs: number): Promise<ExportOutcome> {
    this.#sender.limit(timeoutMs);
    let link: string | undefined;
    try {
      const run = await this.#begin(report);
      link = this.#linkOf(run);
      await this.#logData(run, report);
      await this.#logFiles(run);
      await this.#client.endRun(run, statusOf(report), Number(report.endEpochNs / 1_000_000n));
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#sender.close();
    }
    return {
      system: "mlflow",
      place: this.#orders.plan.place.redactedUrl,
      sent: this.#sent,
      failed: this.#failed,
      failure: this.#failure,
      ...link === undefined ? {} : { link },
    };
  }

  async #begin(report: ProfileReport): Promise<MlflowRun> {
    const { plan, directory } = this.#orders;
    return await this.#client.createRun({
      experimentId: await this.#client.experiment(plan.experiment),
      name: plan.runName ?? basename(directory),
      startMs: Number(report.startEpochNs / 1_000_000n),
      tags: mlflowTags(report, plan),
    });
  }

  async #logData(run: MlflowRun, report: ProfileReport): Promise<void> {
    const params = mlflowParams(report);
    const metrics = mlflowMetrics(report);
    await this.#counted("params", params.length, () => this.#client.logParams(run, params));
    await this.#counted("metrics", metrics.length, () => this.#client.logMetrics(run, metrics));
  }

  /** Files one after another: they may be large, and the server is not to be tested here. */
  async #logFiles(run: MlflowRun): Promise<void> {
    const { directory, plan: { artifactGlobs } } = this.#orders;
    const names = await chosenFiles(directory, artifactGlobs);
    for (const name of names) {
      await this.#counted("files", 1, async () => {
        await this.#client.putArtifact(artifactPath(run.artifactUri), name, `${directory}/${name}`);
      });
    }
  }

  async #counted(
    kind: "params" | "metrics" | "files",
    count: number,
    action: () => Promise<void>,
  ): Promise<void> {
    try {
      await action();
      this.#sent[kind] += count;
    } catch (error) {
      this.#failed[kind] += count;
      this.#fail(error);
    }
  }

  #linkOf({ experimentId, id }: MlflowRun): string {
    const { origin, path } = this.#orders.plan.place;
    return `${origin.protocol}//${origin.host}${path}/#/experiments/${experimentId}/runs/${id}`;
  }

  #fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#failure = error instanceof ArtifactPlaceError
      ? error.message
      : printableText(this.#redact(text));
  }
}

function statusOf({ requests, wasCancelled }: ProfileReport): "FINISHED" | "FAILED" | "KILLED" {
  if (wasCancelled) return "KILLED";
  return requests.succeeded > 0 ? "FINISHED" : "FAILED";
}
