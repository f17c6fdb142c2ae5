import type { Lab } from "../lab.ts";
import type { Options } from "../options.ts";
import type { PartResult } from "../results.ts";

/** One part of the benchmark. The lab stops everything that it starts. */
export type Part = (lab: Lab, options: Pick<Options, "stores" | "quick">) => Promise<PartResult>;
