import type { Middleware, RemembersSpec } from "@jaf/core";
import { extractOptionsSchema, type MemoryExtractOptions } from "../extraction/options.ts";
import { bindOptions } from "../options.ts";
import type { UserMemory } from "../user-memory.ts";
import { withMemoryExtract } from "./extract.ts";
import { injectOptionsSchema, type MemoryInjectOptions, withMemoryInject } from "./inject.ts";

/** How a user memory takes part in runs. */
export interface MemoryLinkOptions {
  readonly inject?: Omit<MemoryInjectOptions, "memory"> | undefined;
  readonly extract?: Omit<MemoryExtractOptions, "memory"> | undefined;
}

/** The middleware that does what an agent declares: injects unless it says `false`, extracts if it says how. */
export function middlewareFor<Ctx>(
  memory: UserMemory,
  spec: RemembersSpec,
  { inject, extract }: MemoryLinkOptions = {},
): readonly Middleware<Ctx>[] {
  return [
    ...(spec.inject === false
      ? []
      : [withMemoryInject<Ctx>(spec, { ...bindOptions(injectOptionsSchema, inject), memory })]),
    ...(spec.extract
      ? [withMemoryExtract<Ctx>(spec, { ...bindOptions(extractOptionsSchema, extract), memory })]
      : []),
  ];
}
