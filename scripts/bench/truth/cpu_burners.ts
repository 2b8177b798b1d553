/** Starts processes that do nothing but compute; the function that is returned ends them. */
export function startBurners(count: number): () => Promise<void> {
  const burners = Array.from({ length: count }, () =>
    new Deno.Command("sh", {
      args: ["-c", "while :; do :; done"],
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
    }).spawn());
  return async () => {
    for (const burner of burners) burner.kill("SIGKILL");
    await Promise.all(burners.map(({ status }) => status));
  };
}
