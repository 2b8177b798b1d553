import { closedObject, type JsonSchema, number, numberOrNull } from "./json_schema.ts";

function fraction(description: string): JsonSchema {
  return { ...numberOrNull(`${description}; from 0 to 1`), "minimum": 0, "maximum": 1 };
}

function byName(description: string, types: readonly string[] = ["object"]): JsonSchema {
  return {
    "description": description,
    "type": types.length === 1 ? types[0] : types,
    "additionalProperties": { "type": ["number", "null"] },
  };
}

const CACHE: JsonSchema = {
  "description": "Prefix cache of the servers, weighted by tokens",
  ...closedObject({
    "hit_rate": fraction("Cached tokens of all prompt tokens"),
    "ideal_hit_rate": fraction("Hit rate of an infinite cache with the same prompts"),
    "ideal_lru_hit_rate": fraction("Hit rate of one LRU cache of the servers' size"),
    "achieved_of_ideal": numberOrNull("hit_rate divided by ideal_lru_hit_rate"),
    "misses": byName("Tokens that were in no cache although they could have been, by cause"),
    "block_size": numberOrNull("Tokens of a block"),
    "queries": numberOrNull("Tokens, or blocks, that were looked for in caches"),
    "hits": numberOrNull("Tokens, or blocks, that were found"),
    "hits_by_tier": byName("Cached tokens by the cache that had them"),
    "computed_share": fraction("Prompt tokens that were computed"),
    "capacity_tokens": numberOrNull("Tokens that all caches can hold, by their configuration"),
    "planned_hit_rate": fraction("Value of --prefix-hit-rate"),
    "source": {
      "description":
        "Source of hits: counters of engines, of a front or of a router, or usage in " +
        "replies",
      "enum": ["engines", "front", "router", "replies", null],
    },
  }),
};

const SPECULATION: JsonSchema = {
  "description": "Speculative decoding",
  ...closedObject({
    "acceptance_rate": fraction("Accepted tokens of all draft tokens"),
    "acceptance_length": numberOrNull("1 + accepted tokens by drafts; tokens"),
    "acceptance_rate_request_mean": fraction("Mean over the requests that had drafts"),
    "acceptance_length_request_mean": numberOrNull("Mean over the requests that had drafts"),
    "tokens_per_step": numberOrNull("Generated tokens of a decode step"),
    "drafted_share": numberOrNull("Decode steps that had a draft, by all decode steps"),
    "per_position": {
      "description": "Acceptance rate at each position of drafts",
      "type": "array",
      "items": { "type": "number" },
    },
    "per_position_conditional": {
      "description": "Acceptance rate at each position, given that the tokens before were accepted",
      "type": "array",
      "items": { "type": "number" },
    },
    "accepted_not_sent": numberOrNull("Accepted tokens that were cut off at the end of a reply"),
    "requests_with_drafts": numberOrNull("Requests whose replies report drafts"),
    "requests_without_drafts": numberOrNull("Other valid requests; no rate includes them"),
    "source": {
      "description": "Origin of the acceptance rate; a gauge is of the server's last interval",
      "enum": ["counters", "replies", "gauge", null],
    },
    "length_source": {
      "description": "Origin of the acceptance length",
      "enum": ["counters", "replies", "gauge", null],
    },
  }),
};

/** The key `server_truth`. */
export const SERVER_TRUTH: JsonSchema = {
  "description":
    "Reports of the servers about caches, speculative decoding, pools of instances and " +
    "the time to first token; a value that is not known is null, with a reason",
  ...closedObject({
    "cache": CACHE,
    "speculation": SPECULATION,
    "pools": {
      "description": "Metrics of instances by pool; null if no server of it is known",
      ...closedObject({
        "prefill": byName("Instances that only prefill", ["object", "null"]),
        "decode": byName("Instances that only decode", ["object", "null"]),
        "unified": byName("Instances that do both, where others do one of these"),
      }, ["unified"]),
    },
    "ttft_split_ms": byName("Mean milliseconds of the parts of the time to first token"),
    "ttft_split_basis": {
      "description": "Origin of the parts of the time to first token; null if it is not split",
      "anyOf": [
        closedObject({
          "client_ms": number("Mean time to first token by the client, the sum of the parts"),
          "source": {
            "description": "Where the parts are from",
            "enum": ["server metrics", "replies"],
          },
          "window": { "description": "Part of the run", "enum": ["steady", "run"] },
          "dispatch": {
            "description":
              "Whether prefill and decode instances get a request sequentially or at once",
            "enum": ["sequential", "concurrent", null],
          },
        }),
        { "type": "null" },
      ],
    },
    "reasons": {
      "description": "Why values are null, by names such as cache.hit_rate",
      "type": "object",
      "additionalProperties": { "type": "string" },
    },
  }),
};
