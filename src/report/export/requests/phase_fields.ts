/**
 * The fields that name the phase something belongs to, to be put into a JSON object.
 * @param index position of the phase in the run
 */
export function phaseFields(kind: "warmup" | "profiling", index: number): string {
  // A run has one profiling phase.
  const profilingIndex = kind === "profiling" ? `"profiling_index":0,` : "";
  return `"benchmark_phase":"${kind}","phase_index":${index},${profilingIndex}` +
    `"phase_name":"${kind}","phase_kind":"${kind}"`;
}
