import type { MachineFacts } from "../../results/collect/run_manifest.ts";
import { hostName } from "./host_name.ts";

/** This machine, for those who compare runs of several. */
export function machineFacts(): MachineFacts {
  const { os, arch } = Deno.build;
  return {
    hostname: hostName(),
    os,
    arch,
    cores: navigator.hardwareConcurrency,
    runtime: `deno ${Deno.version.deno}`,
    engine: `v8 ${Deno.version.v8}`,
  };
}
