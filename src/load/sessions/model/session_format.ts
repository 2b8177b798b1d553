import type { AgentSession } from "./agent_session.ts";
import type { RowGrouping } from "./row_grouping.ts";
import type { SessionSource } from "./session_source.ts";

/** Settings with which a file of sessions is read. */
export interface SessionSettings {
  /** Tokens of a block of ids, where the format does not state them. */
  readonly blockSize: number;
  /** Tokens of a reply whose length the file does not state; undefined for the format's own. */
  readonly outputTokens: number | undefined;
  /** Whether gaps are the time of the client before a request, where the file has that. */
  readonly usesThinkTime?: boolean | undefined;
}

/** Sessions of a file. */
export interface SessionFile {
  sessions(): AsyncIterable<AgentSession>;
  /** Tokens of a block, known when the first session has come. */
  blockSize(): number;
}

/** A layout of files with recorded agent sessions. */
export interface SessionFormat {
  /** Name of the format on the command line. */
  readonly name: string;
  /** Description of the format, for messages. */
  readonly description: string;
  /** Whether ids of blocks mean the same in all sessions of a file. */
  readonly hasGlobalBlocks: boolean;
  /** Whether the rows of a session follow each other, so that it is known when they have come. */
  readonly isTogether: boolean;
  /** Finds the rows of each session in files of lines; absent where a line, or a list, is a session. */
  readonly grouping?: () => RowGrouping;
  /**
   * Returns the fields that prove a file to be of this format, as a message names them; undefined
   * if its first record has others.
   */
  recognise(record: FirstRecord): string | undefined;
  /** @throws {DatasetError} naming file, line and column of what is wrong */
  read(source: SessionSource, settings: SessionSettings): SessionFile;
}

/** First record of a file: the fields are known, the values only as far as they were read. */
export interface FirstRecord {
  readonly names: ReadonlySet<string>;
  readonly values: Readonly<Record<string, unknown>>;
}
