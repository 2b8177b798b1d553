import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import type { OtlpPlan } from "../../config/plan/systems_plan.ts";
import { USER_AGENT, VERSION } from "../../config/plan/version.ts";
import type { RequestRecord } from "../../measurement/metrics/request_record.ts";
import type { RunFacts } from "../collect/run_manifest.ts";
import type { Attributes } from "./otlp_message.ts";

/** Kinds of API by the names that the conventions have for what they do. */
const OPERATIONS: Readonly<Record<string, string>> = {
  "chat": "chat",
  "responses": "chat",
  "completions": "text_completion",
  "embeddings": "embeddings",
};

/** What is the same in all that is told of a run's requests, by OpenTelemetry's conventions. */
export class OtlpContext {
  readonly baseEpochNs: bigint;
  readonly resource: Attributes;
  readonly operation: string;
  readonly benchmarkId: string;
  readonly #facts: RunFacts;
  readonly #provider: string;

  constructor(facts: RunFacts, { provider, resourceAttributes }: OtlpPlan) {
    const { plan, machine, baseEpochNs } = facts;
    this.#facts = facts;
    this.#provider = provider;
    this.baseEpochNs = baseEpochNs;
    this.benchmarkId = plan.benchmarkId;
    this.operation = OPERATIONS[plan.endpointType] ?? plan.endpointType;
    this.resource = {
      "service.name": "inferometer",
      "service.version": VERSION,
      "service.instance.id": plan.benchmarkId,
      "host.name": machine.hostname,
      "host.arch": machine.arch,
      "os.type": machine.os,
      "user_agent.original": USER_AGENT,
      "inferometer.command": plan.cliCommand,
      ...Object.fromEntries(
        (plan.tags ?? []).map(([name, value]) => [`inferometer.tag.${name}`, value]),
      ),
      ...Object.fromEntries(resourceAttributes),
    };
  }

  /** Nanoseconds since 1970 of a time of the run's clock, as messages have them. */
  epoch(ns: number): string {
    return String(this.baseEpochNs + BigInt(Math.round(ns)));
  }

  /** The model that a request asked. */
  modelOf({ model }: RequestRecord): string {
    return this.#facts.plan.models[model || 0] ?? "";
  }

  /** Attributes that metrics and spans of a request have in common. */
  attributesOf(record: RequestRecord): Attributes {
    const origin = this.#facts.plan.targets[record.target]?.origin;
    return {
      "gen_ai.operation.name": this.operation,
      "gen_ai.provider.name": this.#provider,
      "gen_ai.request.model": this.modelOf(record),
      "server.address": origin?.hostname,
      "server.port": origin?.port,
      "error.type": errorType(record),
    };
  }
}

/** `error.type`: the status of a reply that says what is wrong, else the kind of failure. */
function errorType({ errorKind, status }: RequestRecord): string | undefined {
  const kind = ERROR_KINDS[errorKind];
  return kind === "http_status" && status > 0 ? String(status) : kind;
}
