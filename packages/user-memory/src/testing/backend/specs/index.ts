import type { BackendTestOptions } from "../harness.ts";
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

/** All rules of the storage port. */
export function backendSpecs({
  seeds = DEFAULT_SEEDS,
  operations = DEFAULT_OPERATIONS,
}: Pick<BackendTestOptions, "seeds" | "operations"> = {}): readonly BackendSpec[] {
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
