import { HubError } from "../../config/hub/open_hub_file.ts";
import { DatasetError } from "../../core/files/dataset_error.ts";

/** An error in a form that can be posted to another thread. */
export interface ErrorParts {
  readonly errorName: string;
  readonly message: string;
  /** Where the input is wrong; undefined for other errors than those of inputs. */
  readonly place?: {
    readonly path: string;
    readonly line: number | undefined;
    readonly column: number | undefined;
  };
}

/** Takes an error apart. */
export function errorParts(error: unknown): ErrorParts {
  if (!(error instanceof Error)) return { errorName: "Error", message: String(error) };
  const { name, message } = error;
  if (!(error instanceof DatasetError)) return { errorName: name, message };
  const { path, line, column, reason } = error;
  return { errorName: name, message: reason, place: { path, line, column } };
}

/** Makes the error of its parts. */
export function errorOf({ errorName, message, place }: ErrorParts): Error {
  if (place !== undefined) return new DatasetError(place.path, place.line, message, place.column);
  if (errorName === "HubError") return new HubError(message);
  return Object.assign(new Error(message), { name: errorName });
}
