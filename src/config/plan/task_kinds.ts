/** Kinds of tasks whose answers are known: see {@linkcode VerifyTasks} for their prompts. */
export const TASK_KINDS = ["arithmetic", "copy", "lookup"] as const;

/** See {@linkcode TASK_KINDS}. */
export type TaskKind = typeof TASK_KINDS[number];
