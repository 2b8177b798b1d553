import { Tokenizer as HuggingFaceTokenizer } from "npm:@huggingface/tokenizers@0.2.0";
import { readFile, utf8Text } from "../../../core/files/read_file.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { TokenCoder } from "./tokenizer.ts";

/** The texts of a local tokenizer: what the results worker needs to build it again. */
export interface TokenizerFiles {
  readonly name: string;
  /** Contents of `tokenizer.json`. */
  readonly definition: string;
  /** Contents of `tokenizer_config.json` next to it, `{}` if there is none. */
  readonly config: string;
  /** Contents of `chat_template.jinja` next to it; absent if there is none. */
  readonly chatTemplate?: string;
}

/**
 * Reads a `tokenizer.json`, or the folder that holds one.
 * @throws {DatasetError} if there is none
 */
export async function readTokenizerFiles(path: string): Promise<TokenizerFiles> {
  let file = path;
  try {
    if ((await Deno.stat(path)).isDirectory) file = `${path.replace(/\/+$/, "")}/tokenizer.json`;
    const definition = utf8Text(await readFile(file));
    const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/") + 1) : "../";
    const config = await readFile(`${folder}tokenizer_config.json`).then(utf8Text, () => "{}");
    const chatTemplate = await readFile(`${folder}chat_template.jinja`).then(
      utf8Text,
      () => undefined,
    );
    return {
      name: path,
      definition,
      config,
      ...(chatTemplate === undefined ? {} : { chatTemplate }),
    };
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new DatasetError(
      file,
      undefined,
      `There is no tokenizer.json here: ${(error as Error).message}`,
    );
  }
}

/**
 * Builds a tokenizer from the texts of its files.
 * @throws {DatasetError} if they are no tokenizer
 */
export function fileTokenizer(files: TokenizerFiles): TokenCoder {
  let inner: HuggingFaceTokenizer;
  try {
    inner = new HuggingFaceTokenizer(JSON.parse(files.definition), JSON.parse(files.config));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatasetError(files.name, undefined, `Tokenizer cannot be used: ${reason}`);
  }
  return {
    name: files.name,
    count: (text) => inner.encode(text, { add_special_tokens: false }).ids.length,
    encode: (text) => inner.encode(text, { add_special_tokens: false }).ids,
  };
}
