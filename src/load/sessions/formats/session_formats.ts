import type { SessionFormat } from "../model/session_format.ts";
import { agenticMooncake } from "./agentic_mooncake.ts";
import { agentperf } from "./agentperf.ts";
import { dagJsonl } from "./dag_jsonl.ts";
import { dynamoRequestTrace } from "./dynamo_request_trace.ts";
import { mlperfAgentic } from "./mlperf_agentic.ts";
import { mooncakeSessions } from "./mooncake_sessions.ts";
import { multiTurnSessions } from "./multi_turn_sessions.ts";
import { otelSpans } from "./otel_spans.ts";
import { sglangAgentic } from "./sglang_agentic.ts";
import { tracelab } from "./tracelab.ts";
import { trieRows } from "./trie_rows.ts";
import { trtllmTrace } from "./trtllm_trace.ts";
import { wekaTrace } from "./weka_trace.ts";

/** Formats of recorded agent sessions, in the order in which a first record is compared with them. */
export const AGENT_FORMATS: ReadonlyMap<string, SessionFormat> = new Map(
  [
    ...[trtllmTrace, wekaTrace, sglangAgentic, otelSpans, trieRows, tracelab, agentperf],
    ...[mlperfAgentic, dynamoRequestTrace, agenticMooncake, dagJsonl],
  ].map((format) => [format.name, format]),
);

/** Formats of lists of turns, which other readers send: here they are read as sessions. */
export const LIST_FORMATS: ReadonlyMap<string, SessionFormat> = new Map(
  [mooncakeSessions, multiTurnSessions].map((format) => [format.name, format]),
);
