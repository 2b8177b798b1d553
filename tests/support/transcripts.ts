/** Replies of servers as they were recorded or documented, with the verdict to report. */

/** A case of `fixtures/sse/cases.json` or `endpoints.json`. */
export interface ServerTranscript {
  readonly "name": string;
  readonly "server": string;
  readonly "status": number;
  readonly "content_type": string;
  readonly "body": string;
  readonly "expect": {
    readonly "text": string;
    readonly "reasoning": string;
    readonly "tool_text": string;
    readonly "error": string | null;
    readonly "usage": Readonly<Record<string, number>> | null;
    readonly "finish_reason": string | null;
    readonly "content_events": number | null;
    readonly "counts_as_success": boolean;
  };
}
