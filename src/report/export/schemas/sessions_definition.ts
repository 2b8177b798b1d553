import {
  closedObject,
  count,
  type JsonSchema,
  numberOrNull,
  text,
  textOrNull,
} from "./json_schema.ts";
import { metricsByTag } from "./metric_definitions.ts";
import { SAMPLING_ERROR } from "./steady_state_definition.ts";

/** Results of the requests of agents, by a key. */
function agentsBy(key: "depth" | "kind", schema: JsonSchema): JsonSchema {
  return {
    "description":
      `Requests by ${key} of their agent, over all sessions; empty with one agent each`,
    "type": "array",
    "items": closedObject({
      [key]: schema,
      "succeeded": count("Valid replies"),
      "failed": count("Failed requests"),
      "hit_rate": numberOrNull("Cached tokens of the prompt tokens by usage; %"),
      "metrics": metricsByTag("Metrics of the valid requests; those without a value are absent"),
      "sampling_error": SAMPLING_ERROR,
    }),
  };
}

/** Counts of subagents: where AIPerf has them, and in the key `sessions`. */
export const BRANCH_STATS: JsonSchema = {
  "description": "Counts of subagents by AIPerf's names; absent for lists of turns",
  ...closedObject({
    "children_spawned": count("Agents below the first that sent requests"),
    "children_completed": count("Those whose requests all succeeded"),
    "children_errored": count("Those of which a request failed"),
    "children_truncated": count("Those that ended before all their requests were sent"),
    "children_delayed": count(
      "Those that started after a recorded time, and not at once when another agent started them",
    ),
    "parents_suspended": count("Requests that had to wait for other agents"),
    "parents_resumed": count("Requests after other agents that were sent"),
    "parents_failed_due_to_child_error": count(
      "Requests that were not sent because an agent that they waited for failed",
    ),
    "joins_suppressed": count("Requests after other agents that were not sent otherwise"),
    "graphs_admitted": count("Sessions whose first agent sends nothing and starts the others"),
    "graphs_completed_to_end": count("Those of them whose requests all ended"),
  }),
};

/** The key `sessions`. */
export const SESSIONS: JsonSchema = {
  "description": "Sessions of the profiling phase; absent where each was one request",
  ...closedObject({
    "started": count("Sessions whose first turn was sent"),
    "completed": count("Sessions whose last turn succeeded"),
    "failed": count("Sessions that ended with a turn that failed"),
    "cut_off": count("Sessions that the end of the run cut off"),
    "entered_in_middle": count("Sessions that were entered in the middle of their recorded time"),
    "whole": count("Completed sessions from their beginning, whose durations are reported"),
    "unsent_turns": count("Turns that were not sent because their session had ended"),
    "peak_parallel": count("Largest number of requests of one session in flight"),
    "resets": count("Requests that did not continue the prompt before them"),
    "critical_path": {
      "description": "Percentages of the critical paths of whole sessions; null without any",
      ...closedObject({
        "model": numberOrNull("In requests; %"),
        "tool": numberOrNull("In gaps in which tools work; %"),
        "user": numberOrNull("In gaps in which a user works; %"),
        "agent": numberOrNull("In gaps in which agents are started; %"),
        "wait": numberOrNull("Due and not sent; %"),
      }),
    },
    "tokens": {
      "description": "Tokens of all sessions; null where nothing counts them",
      ...closedObject({
        "input": numberOrNull("Input tokens of valid requests"),
        "output": numberOrNull("Output tokens"),
        "cached_ideal": numberOrNull("Whole blocks that earlier requests of each session had"),
        "cached_server": numberOrNull("Cached tokens by the usage in replies"),
      }),
    },
    "theoretical_prefix_cache_hit": numberOrNull(
      "Whole blocks of prompts that earlier requests of each session had, by AIPerf's formula; %",
    ),
    "branch_stats": BRANCH_STATS,
    "no_intervals": textOrNull("Why sampling_error has no session metrics; null if it has"),
    "depths": agentsBy("depth", count("Levels of agents above them")),
    "kinds": agentsBy("kind", text("Kind of the agents: main, or the type of a subagent")),
    "turns": {
      "description": "Results of the first 100 turns, each over all sessions",
      "type": "array",
      "items": closedObject({
        "turn": count("Place in the session, from 1"),
        "succeeded": count("Valid replies"),
        "failed": count("Failed requests"),
        "metrics": metricsByTag(
          "Metrics of the turn's valid requests; those without a value are absent",
        ),
      }),
    },
  }, ["branch_stats"]),
};
