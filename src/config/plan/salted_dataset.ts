import type { DatasetPlan } from "./run_plan.ts";

/** Salts of runs are below it. */
const MAX_SALT = 2 ** 24;

/** The salt of a run from any whole number: two numbers in sequence have different ones. */
export function saltOf(number: number): number {
  return number % MAX_SALT;
}

/**
 * The prompts of a run among several ones, each of which has another number.
 * @param number of any size; prompts that may repeat are left as they are
 */
export function saltedDataset(dataset: DatasetPlan, number: number): DatasetPlan {
  return dataset.source === "file" || dataset.salt === undefined
    ? dataset
    : { ...dataset, salt: saltOf(number) };
}
