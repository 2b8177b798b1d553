/** Where pictures of pages are kept, to be looked at; nowhere without it. */
const FOLDER = Deno.env.get("INFEROMETER_SCREENSHOTS");

/** Keeps a picture of a page under a name, where somebody wants to look at it. */
export async function keepScreenshot(
  name: string,
  bytes: () => Promise<Uint8Array>,
): Promise<void> {
  if (FOLDER === undefined) return;
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeFile(`${FOLDER}/${name}`, await bytes());
}
