import {
  closedObject,
  count,
  DIALECT,
  flag,
  type JsonSchema,
  listOf,
  number,
  numberOrNull,
  text,
  textOrNull,
} from "./json_schema.ts";

const CALL_NAME: JsonSchema = {
  "description": "Name of a call in its recorded session; its number where turns follow each other",
  "type": ["string", "integer"],
};

/** Facts of a request as a call of its session: the end of the `metadata` of a record. */
export const CALL_FIELDS: Readonly<Record<string, JsonSchema>> = {
  "session": count("Number of its session within the phase; absent where sessions are one request"),
  "call": CALL_NAME,
  "agent": text("Agent of the call within its session"),
  "depth": count("Levels of agents above the call's own"),
  "kind": text("Kind of the agent: main, or the type of a subagent"),
  "after": listOf(CALL_NAME, "Calls that it waits for"),
  "due": number("When its gap was over; milliseconds since 1970 (UTC)"),
  "wait": numberOrNull("Time from then until it was sent, in ms"),
  "gap": numberOrNull("Time from the event it waited for last until it was due, in ms"),
  "gap_class": {
    "description": "Who worked in the gap; null for calls that wait for none",
    "enum": ["user", "tool", "agent", null],
  },
  "tokens_new": numberOrNull("Input tokens that are not in tokens_cached_ideal"),
  "tokens_cached_ideal": numberOrNull(
    "Whole blocks of its prompt that earlier calls of the session had from their beginning",
  ),
  "tokens_cached_server": numberOrNull("Cached tokens by the usage in the reply"),
  "reset": flag("It does not continue the prompt of the call before it of the same agent"),
  "diverged": flag(
    "The live reply before it had other tool calls: it carries the recorded one, if that is known",
  ),
};

/** JSON Schema of a line of `sessions.jsonl`. */
export const SESSION_LINE_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:sessions",
  "title": "A line of sessions.jsonl",
  "description": "A session of several requests; times are in milliseconds",
  ...closedObject({
    "session": count("Number of the session within the phase"),
    "source_id": textOrNull("Name of its conversation in the input"),
    "pass": {
      ...numberOrNull("Number of earlier sessions of the plan with the same conversation"),
      "minimum": 0,
    },
    "salt": textOrNull(
      "Marker that keeps its prompts out of other sessions' caches; null for none",
    ),
    "start": number("Start of its first request; milliseconds since 1970 (UTC)"),
    "end": number("End of its last request; milliseconds since 1970 (UTC)"),
    "status": {
      "description": "cut_off if the run ended before the session did",
      "enum": ["completed", "failed", "cut_off"],
    },
    "start_ratio": numberOrNull("Fraction of its recorded time at which it was entered"),
    "calls": {
      "description": "Its requests by outcome",
      ...closedObject({
        "sent": count("Requests that were sent"),
        "ok": count("Valid replies"),
        "failed": count("Failed requests"),
        "unsent": count("Requests that were planned and not sent"),
        "primed": {
          ...numberOrNull("Requests sent ahead because it was entered in its middle"),
          "minimum": 0,
        },
      }),
    },
    "agents": count("Agents that sent requests"),
    "depth": count("Levels of agents below the first"),
    "peak_parallel": count("Largest number of its requests in flight"),
    "duration": number("From the first start to the last end, background calls excluded"),
    "tree_duration": number("From the first start to the last end of all calls"),
    "time_to_first_token": numberOrNull("From the start to the first token of the first call"),
    "critical_path": {
      "description": "The calls that determine the duration, and its parts, which add up to it",
      ...closedObject({
        "calls": listOf(CALL_NAME, "From the first one"),
        "model": number("In requests"),
        "tool": number("In gaps in which tools work"),
        "user": number("In gaps in which a user works"),
        "agent": number("In gaps in which agents are started"),
        "wait": number("Due and not sent"),
      }),
    },
    "own_error": numberOrNull(
      "Duration minus that of a client which sends each request punctually, with the same replies",
    ),
    "tokens": {
      "description": "Tokens of all its requests",
      ...closedObject({
        "input": numberOrNull("Input tokens of its valid requests"),
        "output": numberOrNull("Output tokens"),
        "cached_ideal": numberOrNull("Sum of tokens_cached_ideal"),
        "cached_server": numberOrNull("Sum of tokens_cached_server"),
      }),
    },
    "resets": count("Calls that do not continue the prompt before them"),
    "diverged": numberOrNull(
      "Calls whose results of tools do not match the live reply before them",
    ),
    "idle_cut": numberOrNull("Time by which idle caps shortened it"),
  }),
};
