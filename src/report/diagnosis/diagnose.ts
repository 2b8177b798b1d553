import type { Diagnosis } from "./diagnosis.ts";
import type { Evidence } from "./evidence.ts";
import {
  clientLimited,
  failing,
  nothingSucceeded,
  overloaded,
  stalled,
  tooShort,
} from "./load_rules.ts";
import {
  decodeBound,
  notSaturated,
  poolLimited,
  prefillBound,
  saturated,
  undetermined,
} from "./server_rules.ts";
import { type Shares, sharesOf } from "./shares.ts";

type Rule = (evidence: Evidence, shares: Shares) => Diagnosis | undefined;

/** The rules in the order in which they are tried. */
const RULES: readonly Rule[] = [
  nothingSucceeded,
  stalled,
  failing,
  clientLimited,
  overloaded,
  tooShort,
  poolLimited,
  saturated,
  prefillBound,
  decodeBound,
  notSaturated,
];

/** Reports what limits a run, as far as the evidence shows it: the first rule that matches decides. */
export function diagnose(evidence: Evidence): Diagnosis {
  const shares = sharesOf(evidence);
  for (const rule of RULES) {
    const found = rule(evidence, shares);
    if (found !== undefined) return found;
  }
  return undetermined(evidence, shares);
}
