/** The buttons of the page's head. */

const COPIED_MS = 2000;

/** Gives the buttons what they do. They are of use only with a script, and hidden without. */
export function activateButtons(onTheme: () => void, announce: (text: string) => void): void {
  button("theme", () => {
    const { dataset } = document.documentElement;
    const isDark = dataset["theme"] === undefined
      ? matchMedia("(prefers-color-scheme: dark)").matches
      : dataset["theme"] === "dark";
    dataset["theme"] = isDark ? "light" : "dark";
    onTheme();
  });
  button("copy", async (self) => {
    const command = document.getElementById("command");
    if (command === null) return;
    try {
      await navigator.clipboard.writeText(command.textContent ?? "");
      announce("The command is copied");
      const words = self.textContent;
      self.textContent = "Copied";
      setTimeout(() => self.textContent = words, COPIED_MS);
    } catch {
      // Where a page may not use the clipboard, the command is selected for the user's own keys.
      getSelection()?.selectAllChildren(command);
      command.scrollIntoView();
    }
  });
  button("download", () => {
    const summary = document.getElementById("summary");
    if (summary === null) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(
      new Blob([summary.textContent ?? ""], { type: "application/json" }),
    );
    link.download = summary.dataset["name"] ?? "summary.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", onTheme);
}

function button(id: string, onClick: (self: HTMLButtonElement) => void): void {
  const self = document.getElementById(id);
  if (!(self instanceof HTMLButtonElement)) return;
  self.hidden = false;
  self.addEventListener("click", () => onClick(self));
}
