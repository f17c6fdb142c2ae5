import type { Middleware, RemembersSpec } from "@jaf/core";
import { boundOptions } from "../bound-options.ts";
import { extractOptionsSchema, type MemoryExtractOptions } from "../extract/options.ts";
import { injectOptionsSchema, type MemoryInjectOptions } from "../inject/options.ts";
import type { UserMemory } from "../user-memory.ts";
import { withMemoryExtract } from "./extract-middleware.ts";
import { withMemoryInject } from "./inject-middleware.ts";

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
      : [withMemoryInject<Ctx>(spec, { ...boundOptions(injectOptionsSchema, inject), memory })]),
    ...(spec.extract
      ? [withMemoryExtract<Ctx>(spec, { ...boundOptions(extractOptionsSchema, extract), memory })]
      : []),
  ];
}
