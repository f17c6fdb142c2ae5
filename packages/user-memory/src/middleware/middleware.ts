import type { Middleware, RemembersSpec } from "@jaf/core";
import { extractOptionsSchema, type MemoryExtractOptions } from "../extraction/options.ts";
import { bindOptions } from "../options.ts";
import type { UserMemory } from "../user-memory.ts";
import { withMemoryExtract } from "./extract.ts";
import { injectOptionsSchema, type MemoryInjectOptions, withMemoryInject } from "./inject.ts";

/** Options for the middleware with which runs use a user memory. */
export interface MemoryLinkOptions {
  /** Options for the facts that are added to the prompt. */
  readonly inject?: Omit<MemoryInjectOptions, "memory"> | undefined;
  /** Options for the extraction of facts from a turn. */
  readonly extract?: Omit<MemoryExtractOptions, "memory"> | undefined;
}

/**
 * Returns the middleware for an agent's `remembers` spec. The middleware adds facts to the prompt unless the spec's `inject`
 * is `false`, and extracts facts if the spec's `extract` is set.
 */
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
