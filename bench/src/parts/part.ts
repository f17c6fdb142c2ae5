import type { Lab } from "../lab.ts";
import type { Options } from "../options.ts";
import type { PartResult } from "../results.ts";

/** One part of the benchmark. What it starts belongs to the lab. */
export type Part = (lab: Lab, options: Pick<Options, "stores" | "quick">) => Promise<PartResult>;
