import type { Command } from "npm:commander@15.1.0";
export function configCommand(_command: Command): Promise<number> {
  return Promise.resolve(0);
}
