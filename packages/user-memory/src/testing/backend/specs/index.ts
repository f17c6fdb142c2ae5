import type { UserMemoryTestOptions } from "../../options.ts";
import { BACKEND_SMOKE, smokeOf } from "../../smoke.ts";
import type { BackendSpec } from "../spec.ts";
import { audit } from "./audit.ts";
import { commit } from "./commit.ts";
import { concurrency } from "./concurrency.ts";
import { erase } from "./erase.ts";
import { errors } from "./errors.ts";
import { isolation } from "./isolation.ts";
import { jobs } from "./jobs.ts";
import { leases } from "./leases.ts";
import { list } from "./list.ts";
import { match } from "./match.ts";
import { nearest } from "./nearest.ts";
import { read } from "./read.ts";
import { reference } from "./reference.ts";
import { values } from "./values.ts";

const DEFAULT_SEEDS = [1, 2];
const DEFAULT_OPERATIONS = 400;

/** Returns the rules for backends that the options choose: all rules, or the smoke rules. */
export function backendSpecs(options: Omit<UserMemoryTestOptions, "timeoutMs"> = {}): readonly BackendSpec[] {
  const { rules = "all", seeds = DEFAULT_SEEDS, operations = DEFAULT_OPERATIONS } = options;
  if (rules === "smoke") return smokeOf(allSpecs(DEFAULT_SEEDS, operations), BACKEND_SMOKE);
  return allSpecs(seeds, operations);
}

function allSpecs(seeds: readonly number[], operations: number): readonly BackendSpec[] {
  return [
    ...[
      commit,
      read,
      values,
      list,
      match,
      nearest,
      audit,
      isolation,
      concurrency,
      erase,
      jobs,
      leases,
      errors,
    ],
    reference({ seeds, operations }),
  ];
}
