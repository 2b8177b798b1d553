import type { InputSource } from "../dataset/formats/input_source.ts";
import type { InputContext } from "../dataset/load_dataset.ts";
import { groupedFile, isGrouped } from "./index/grouped_file.ts";
import { IndexedFile } from "./index/indexed_file.ts";
import type { RowGrouping } from "./model/row_grouping.ts";
import { hasDocumentLines } from "./model/read_documents.ts";
import type { SessionFile, SessionFormat, SessionSettings } from "./model/session_format.ts";

/**
 * The sessions of a file, which can be read while they are sent: one after another where their rows
 * follow each other, else by an index of their rows.
 */
export class PagedSessions {
  readonly #source: InputSource;
  readonly #format: SessionFormat;
  readonly #settings: SessionSettings;
  readonly #context: Pick<InputContext, "folder" | "interrupt" | "note">;
  #grouping: (() => RowGrouping) | undefined;
  #index: IndexedFile | undefined;

  constructor(
    source: InputSource,
    format: SessionFormat,
    settings: SessionSettings,
    context: Pick<InputContext, "folder" | "interrupt" | "note">,
  ) {
    this.#source = source;
    this.#format = format;
    this.#settings = settings;
    this.#context = context;
  }

  /** Returns why the sessions cannot be sent while they are read; undefined if they can. */
  async obstacle(): Promise<string | undefined> {
    if (this.#source.isFolder) return "it is a folder";
    if (this.#format.grouping === undefined || await hasDocumentLines(this.#source)) {
      return undefined;
    }
    return "it is one JSON document";
  }

  /** Prepares reading during the run: the file stays open. */
  async begin(): Promise<void> {
    const { grouping, isTogether } = this.#format;
    const { folder, interrupt, note } = this.#context;
    await this.#source.hold();
    this.#grouping = grouping;
    if (grouping === undefined || isTogether && await isGrouped(this.#source, grouping())) return;
    const startMs = performance.now();
    this.#index = await IndexedFile.open(this.#source, grouping(), folder, interrupt);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    note(
      `${this.#source.path}: rows of a session lie anywhere in it: indexed ` +
        `${this.#index.count} sessions in ${seconds} s`,
    );
  }

  /** Returns the sessions from the beginning of the file. */
  read(): SessionFile {
    if (this.#index !== undefined) return this.#index.read(this.#format, this.#settings);
    return this.#grouping === undefined
      ? this.#format.read(this.#source, this.#settings)
      : groupedFile(this.#source, this.#grouping(), this.#format, this.#settings);
  }

  /** Closes all files. */
  close(): void {
    this.#index?.close();
    this.#source.close();
  }
}
