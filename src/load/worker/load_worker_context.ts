import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { Transport, TransportOptions } from "../../client/http/transport.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { RunClock } from "../../core/thread/run_clock.ts";
import type { Timers } from "../../core/thread/timers.ts";
import type { ControlBlock } from "./control_block.ts";
import type { LoopLagProbe } from "./loop_lag_probe.ts";
import type { FromLoadWorker, RecordMessage } from "./messages.ts";

/** Functions and settings that a load worker needs from its thread. */
export interface LoadWorkerContext {
  /** Endpoint type of the plan's requests, which also reads their replies. */
  readonly endpointType: EndpointType;
  readonly control: ControlBlock;
  readonly timers: Timers;
  readonly lag: Pick<LoopLagProbe, "begin" | "end">;
  /** The run's clock, for what this thread adds to its own. */
  clockOf(offsetMs: number): RunClock;
  createTransport(name: RunPlan["transport"], options: TransportOptions): Transport;
  newRequestId(): string;
  /** Has another worker look at its gate. */
  wake(worker: number): void;
  toMain(message: FromLoadWorker): void;
  toResults(message: RecordMessage, transfer: Transferable[]): void;
}
