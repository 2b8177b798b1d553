/** The head of a final response. */
export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  /** Headers in their order on the wire; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** How the message behind a head is framed. */
export interface Framing {
  readonly chunked: boolean;
  readonly contentLength: number | undefined;
  readonly keepAlive: boolean;
}
