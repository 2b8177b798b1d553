import type { RunPlan } from "../../../config/plan/run_plan.ts";
import { readEmbeddedFile } from "../../../core/files/embedded_file.ts";
import type { TokenizerFiles } from "./file_tokenizer.ts";
import type { TokenCoder } from "./tokenizer.ts";

/** A tokenizer in a form that can be posted to another thread, which may read no files. */
export type TokenizerSource =
  | { readonly kind: "builtin"; readonly vocabulary: Uint8Array<SharedArrayBuffer> }
  | { readonly kind: "file"; readonly files: TokenizerFiles }
  /** None: the server's counts are used. */
  | { readonly kind: "server" };

/**
 * Reads the run's tokenizer.
 * @throws {DatasetError} if its files cannot be used
 * @throws {HubError} if they cannot be fetched
 */
export async function readTokenizerSource(
  plan: Pick<RunPlan, "tokenizer" | "useServerTokenCount" | "appliesChatTemplate">,
): Promise<TokenizerSource> {
  if (plan.tokenizer.kind === "file") {
    const { readTokenizerFiles } = await import("./file_tokenizer.ts");
    const { path, name } = plan.tokenizer;
    const files = await readTokenizerFiles(path);
    return { kind: "file", files: { ...files, name: name ?? files.name } };
  }
  if (plan.tokenizer.kind === "hub") {
    const { fetchTokenizerFiles } = await import("./fetch_tokenizer_files.ts");
    return {
      kind: "file",
      files: await fetchTokenizerFiles(plan.tokenizer, plan.appliesChatTemplate),
    };
  }
  if (plan.useServerTokenCount) return { kind: "server" };
  const { VOCABULARY_URL } = await import("./builtin_tokenizer.ts");
  const file = await readEmbeddedFile(VOCABULARY_URL);
  const vocabulary = new Uint8Array(new SharedArrayBuffer(file.length));
  vocabulary.set(file);
  return { kind: "builtin", vocabulary };
}

/**
 * Builds the tokenizer of a source; undefined if the server counts.
 * @throws {DatasetError} if the files are no tokenizer
 */
export async function buildTokenizer(source: TokenizerSource): Promise<TokenCoder | undefined> {
  switch (source.kind) {
    case "builtin": {
      const { BuiltinTokenizer } = await import("./builtin_tokenizer.ts");
      return new BuiltinTokenizer(source.vocabulary);
    }
    case "file": {
      const { fileTokenizer } = await import("./file_tokenizer.ts");
      return fileTokenizer(source.files);
    }
    case "server":
      return undefined;
  }
}
