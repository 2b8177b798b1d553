/** The module that serves llama.cpp with drafts. */
const SPECULATIVE = "common/llama_server_spec.py";
const QUOTES = '"""';

/**
 * Copies a server's scripts, with the modules that they share, to a folder where they can be mended: of
 * one, a docstring is not closed.
 * @returns the folder, which has a folder for the server as `tools` has
 */
export async function ownTools(tools: string, server: string, target: string): Promise<string> {
  for (const folder of [server, "common"]) {
    await Deno.mkdir(`${target}/${folder}`, { recursive: true });
    for await (const { isFile, name } of Deno.readDir(`${tools}/${folder}`)) {
      if (!isFile) continue;
      const text = await Deno.readTextFile(`${tools}/${folder}/${name}`);
      const isOpen = `${folder}/${name}` === SPECULATIVE && text.split(QUOTES).length === 2;
      await Deno.writeTextFile(
        `${target}/${folder}/${name}`,
        isOpen ? text.replace("\nimport ", `\n${QUOTES}\nimport `) : text,
      );
    }
  }
  return target;
}
