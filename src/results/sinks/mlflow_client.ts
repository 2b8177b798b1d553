import { encodePath } from "./mlflow_artifacts.ts";
import { SendError, type SystemRequest, type SystemSender } from "./system_sender.ts";

/** Most that a server takes at a time, by MLflow's REST interface. */
const MAX_METRICS = 1000;
const MAX_PARAMS = 100;
/** A file gets longer than other requests. */
const FILE_MS = 600_000;

/** A key and its value, as MLflow has tags and parameters. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

/** A value of a metric. */
export interface MetricValue {
  readonly key: string;
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly step: number;
}

/** A run as the server knows it. */
export interface MlflowRun {
  readonly id: string;
  readonly experimentId: string;
  readonly artifactUri: string;
}

/** A run that is to be created. */
export interface NewMlflowRun {
  readonly experimentId: string;
  readonly name: string;
  readonly startMs: number;
  readonly tags: readonly KeyValue[];
}

/** MLflow's REST interface as far as a run is logged by it. */
export class MlflowClient {
  readonly #sender: SystemSender;

  constructor(sender: SystemSender) {
    this.#sender = sender;
  }

  /**
   * The ID of an experiment, which is created if there is none.
   * @throws {SendError} if the server does not do that
   */
  async experiment(name: string): Promise<string> {
    const found = await this.#find(name);
    if (found !== undefined) return found;
    try {
      const created = await this.#call("POST", "experiments/create", { "name": name });
      return textAt(created, "experiment_id");
    } catch (error) {
      // Another run may have been quicker.
      const other = await this.#find(name);
      if (other === undefined) throw error;
      return other;
    }
  }

  /** @throws {SendError} if the server does not do that */
  async createRun({ experimentId, name, startMs, tags }: NewMlflowRun): Promise<MlflowRun> {
    const reply = await this.#call("POST", "runs/create", {
      "experiment_id": experimentId,
      "run_name": name,
      "start_time": startMs,
      "tags": tags,
    });
    return {
      id: textAt(reply, "run", "info", "run_id"),
      experimentId,
      artifactUri: textAt(reply, "run", "info", "artifact_uri"),
    };
  }

  /** @throws {SendError} if the server does not take them */
  async logParams({ id }: MlflowRun, params: readonly KeyValue[]): Promise<void> {
    for (let at = 0; at < params.length; at += MAX_PARAMS) {
      const part = params.slice(at, at + MAX_PARAMS);
      await this.#call("POST", "runs/log-batch", { "run_id": id, "params": part });
    }
  }

  /** @throws {SendError} if the server does not take them */
  async logMetrics({ id }: MlflowRun, metrics: readonly MetricValue[]): Promise<void> {
    for (let at = 0; at < metrics.length; at += MAX_METRICS) {
      const part = metrics.slice(at, at + MAX_METRICS);
      await this.#call("POST", "runs/log-batch", { "run_id": id, "metrics": part });
    }
  }

  /**
   * Uploads a file.
   * @param folder path of the run's artifacts at the server
   * @param name of the file, below that
   * @param path where it lies here
   * @throws {SendError} if the server does not take it
   */
  async putArtifact(folder: string, name: string, path: string): Promise<void> {
    await this.#sender.send({
      method: "PUT",
      path: `${folder}/${encodePath(name)}`,
      contentType: "application/octet-stream",
      body: async () => (await Deno.open(path)).readable,
      timeoutMs: FILE_MS,
    });
  }

  /** @throws {SendError} if the server does not do that */
  async endRun(
    { id }: MlflowRun,
    status: "FINISHED" | "FAILED" | "KILLED",
    endMs: number,
  ): Promise<void> {
    await this.#call("POST", "runs/update", { "run_id": id, "status": status, "end_time": endMs });
  }

  async #find(name: string): Promise<string | undefined> {
    const query = `experiment_name=${encodeURIComponent(name)}`;
    try {
      const reply = await this.#call("GET", `experiments/get-by-name?${query}`);
      if (textAt(reply, "experiment", "lifecycle_stage") === "deleted") {
        throw new SendError("the experiment was deleted: restore it, or name another");
      }
      return textAt(reply, "experiment", "experiment_id");
    } catch (error) {
      if (error instanceof SendError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #call(
    method: SystemRequest["method"],
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const text = await this.#sender.send({
      method,
      path: `/api/2.0/mlflow/${path}`,
      ...body === undefined ? {} : {
        contentType: "application/json",
        body: () => JSON.stringify(body),
      },
    });
    try {
      return JSON.parse(text);
    } catch {
      throw new SendError("the reply is not JSON: is this an MLflow tracking server?");
    }
  }
}

/** A text within a reply. */
function textAt(reply: unknown, ...keys: readonly string[]): string {
  let value = reply;
  for (const key of keys) value = (value as Record<string, unknown> | null | undefined)?.[key];
  if (typeof value === "string") return value;
  throw new SendError(`the reply has no ${keys.at(-1)}: is this an MLflow tracking server?`);
}
