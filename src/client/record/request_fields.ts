/** Positions of drafts that are kept of a request. */
export const DRAFT_POSITIONS = 8;

/** Fields of the positions of drafts. */
export const ACCEPTED_AT_FIELDS = [
  ...["acceptedAt0", "acceptedAt1", "acceptedAt2", "acceptedAt3"] as const,
  ...["acceptedAt4", "acceptedAt5", "acceptedAt6", "acceptedAt7"] as const,
] as const satisfies { readonly length: typeof DRAFT_POSITIONS };

/**
 * The numbers that are kept of each request, in the order of their columns.
 *
 * Times are nanoseconds of the run's clock; NaN stands for "did not happen" and "not known".
 */
const REQUEST_FIELDS = [
  /** Number of the request within its phase, from 0, in the order in which they were due. */
  "index",
  /** Number of its session within the phase, from 0, in the order of the arrival process. */
  "session",
  /** Place of its turn in the session, from 0, and how many turns that has. */
  "turn",
  "turns",
  /** 0 for warm-up, 1 for profiling. */
  "phase",
  "worker",
  /** Row of the payload table. */
  "entry",
  /** Row of the plan's targets. */
  "target",
  /** Row of the requested model in the plan's list; NaN if there is only one model. */
  "model",
  /** Time for which the arrival process, or a free slot, intended it. */
  "intendedNs",
  /** Time of its admission: later than intended if it waited for a free slot. */
  "claimedNs",
  "startNs",
  "blockedNs",
  "dnsNs",
  "connectingNs",
  "tlsNs",
  "sendStartNs",
  "sendEndNs",
  /** The runtime had handed the request to the operating system: the real send lies before it. */
  "sentSyncNs",
  "headNs",
  "firstBodyNs",
  "lastBodyNs",
  "endNs",
  /** The last event of any kind; the usage chunk and [DONE] included. */
  "lastEventNs",
  "bytesSent",
  "bytesReceived",
  /** How often the operating system was given bytes of the request, and had some of the reply. */
  "writes",
  "reads",
  "reused",
  "retried",
  /** Number of times the request was resent after a reply with status 429. */
  "limitedCount",
  /** From its first start to its last one, where there were several. */
  "limitedNs",
  "status",
  /** Index into ERROR_KINDS; -1 for a valid request. */
  "errorKind",
  /** 1 if the reply came as one piece, not as a stream. */
  "isWhole",
  "chunkCount",
  "firstOutputChunk",
  "coalescedChunks",
  /** Upper bound of the read delay of the first, second and last content chunk: see ReadTurn. */
  "firstWaitNs",
  "secondWaitNs",
  "lastWaitNs",
  /**
   * How long before their reads the first of the reads returned that may each have left something to
   * read: they may have been there by then.
   */
  "firstPiledNs",
  "secondPiledNs",
  "lastPiledNs",
  "promptTokens",
  /** Prompt tokens that the server took from its cache. */
  "cachedTokens",
  "completionTokens",
  "totalTokens",
  "reasoningTokens",
  /** Times of the request by the server, as the reply reported them: see ServerWork. */
  "serverQueueNs",
  "serverPrefillNs",
  "serverTtftNs",
  "serverTransferNs",
  /** Decode steps with a draft, tokens drafted, and those of them accepted, by the reply. */
  "drafts",
  "draftTokens",
  "acceptedTokens",
  /** Drafts whose token at each position was accepted, by the reply. */
  ...ACCEPTED_AT_FIELDS,
  /** Number of the instance that processed the prompt, by the reply. */
  "serverWorker",
  /** Completion tokens that the first and the last content chunk reported. */
  "firstChunkTokens",
  "lastChunkTokens",
  /** 1 if the reply ended at its limit of tokens, 0 if it ended otherwise; NaN if it gave no reason. */
  "endedAtLimit",
  /** Bytes of text, reasoning and tool calls that the first content chunk brought. */
  "firstChunkBytes",
  /** Results of the reply that are no text: embeddings, ranks, images. */
  "items",
  /** Numbers in usage that are no counts of tokens, and were not taken. */
  "refusedCounts",
  "textBytes",
  "reasoningBytes",
  "toolBytes",
  /** Choices of the reply: 1, unless the request asked for several. */
  "choices",
  /**
   * Sum over the choices of the time from the first to the last chunk, if there are several; else
   * 0.
   */
  "choiceSpansNs",
  /**
   * The event of its session after which a call of a recorded session became due: twice the number of
   * the call, and 1 more if it was its start; -1 for none. NaN for other requests.
   */
  "waitedFor",
  /**
   * How much earlier it would have started, had the client sent every request of its session
   * punctually; NaN for sessions of one request.
   */
  "lateNs",
  /**
   * Nanoseconds by which idle caps had moved the calls of its session when it was sent; NaN for
   * requests of no recorded session.
   */
  "idleCutNs",
  /**
   * 1 if a recorded reply was sent because the live one had other tool calls, else 0; NaN for requests
   * of no recorded session.
   */
  "diverged",
] as const;

/** Name of a column. */
export type RequestField = typeof REQUEST_FIELDS[number];

/** Numbers in a row. */
export const FIELD_COUNT = REQUEST_FIELDS.length;

/** Column of each field. */
export const FIELD: Readonly<Record<RequestField, number>> = Object.fromEntries(
  REQUEST_FIELDS.map((name, column) => [name, column]),
) as Record<RequestField, number>;

/** Input tokens by part of the body, in the order of BODY_PARTS. */
export const INPUT_PART_FIELDS = [
  "systemTokens",
  "userTokens",
  "assistantTokens",
  "inputReasoningTokens",
  "toolCallTokens",
  "toolResultTokens",
  "toolTokens",
  "saltTokens",
] as const;

/** Fields of a request whose reply has been read; NaN for "not known". */
const COUNTED_FIELDS = [
  /** Input tokens by the run's way of counting. */
  "inputTokens",
  /** NaN where they are not counted by part. */
  ...INPUT_PART_FIELDS,
  /** Tokens of answer and tool calls, reasoning excluded. */
  "outputTokens",
  /** Tokens of reasoning. */
  "thoughtTokens",
  /** Tokens of the first content chunk, counted where chunks bring several. */
  "firstTokens",
  /** Output tokens that the request asked for. */
  "requestedTokens",
  "images",
  /** Who worked since the turn before, as a place in GAP_CLASSES; NaN for first turns. */
  "gapClass",
  /** Nanoseconds from the event that it waited for last until it was due; NaN for no event. */
  "gapNs",
  /** Number of its agent within its session, and levels of agents above that; NaN without a session. */
  "agent",
  "depth",
  /** 1 for a call that the user of its session does not wait for. */
  "isBackground",
  /** Input tokens that earlier requests of its session had from their beginning; NaN if not known. */
  "sharedTokens",
  /** 1 for a call that does not continue the prompt of the call before it of the same agent. */
  "isReset",
  /** Kinds of anomalies of the reply as bits: see ANOMALY_KINDS; NaN if it was not checked. */
  "anomalies",
  /** Whether the answer is the expected one: see VERDICT; NaN if none is expected. */
  "correct",
  /** Whether the reply has the form that its request asked for: see VERDICT; NaN for any form. */
  "valid",
  /** Why the reply is invalid, as a place in INVALID_REASONS; NaN if it is not. */
  "invalidReason",
  /**
   * Position among the records, as a time: the end of the request, or just after the record before.
   */
  "takenNs",
] as const;

/** All numbers of a record: those of the request first, then what is counted of it. */
export const RECORD_FIELDS = [...REQUEST_FIELDS, ...COUNTED_FIELDS] as const;

/** Name of a column of a record. */
export type RecordField = typeof RECORD_FIELDS[number];

/** Numbers of a record. */
export const RECORD_FIELD_COUNT = RECORD_FIELDS.length;

/** Column of each field of a record. */
export const RECORD_FIELD: Readonly<Record<RecordField, number>> = Object.fromEntries(
  RECORD_FIELDS.map((name, column) => [name, column]),
) as Record<RecordField, number>;
