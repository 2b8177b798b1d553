/** Whose definition of the time between tokens a run is reported by. */
export type ItlDialectName = "inferometer" | "aiperf" | "vllm" | "sglang" | "guidellm";
