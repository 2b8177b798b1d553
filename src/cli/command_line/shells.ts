/** Shells that there is completion for. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
