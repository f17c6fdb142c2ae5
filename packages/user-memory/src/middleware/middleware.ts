import type { Middleware, RemembersSpec, UserMemoryObserver } from "@jaf/core";
import { notify } from "../errors.ts";
import { extractOptionsSchema, type MemoryExtractOptions } from "../extraction/options.ts";
import { bindOptions } from "../options.ts";
import type { UserMemory } from "../user-memory.ts";
import { withMemoryExtract } from "./extract.ts";
import { injectOptionsSchema, type MemoryInjectOptions, withMemoryInject } from "./inject.ts";

/** Options for a user memory in runs. */
export interface MemoryLinkOptions {
  /** How facts get into the prompt. */
  readonly inject?: Omit<MemoryInjectOptions, "memory"> | undefined;
  /** How facts are extracted from a turn. */
  readonly extract?: Omit<MemoryExtractOptions, "memory"> | undefined;
}

/** An agent's declaration, and the observer of its run. */
export interface RunDeclaration {
  readonly spec: RemembersSpec;
  readonly observer: UserMemoryObserver | undefined;
}

/**
 * Returns the middleware for an agent's declaration. It injects unless `inject` is `false`, and extracts if `extract` is
 * set.
 */
export function middlewareFor<Ctx>(
  memory: UserMemory,
  { spec, observer }: RunDeclaration,
  { inject, extract }: MemoryLinkOptions = {},
): readonly Middleware<Ctx>[] {
  return [
    ...(spec.inject === false
      ? []
      : [
          withMemoryInject<Ctx>(spec, {
            ...observed(bindOptions(injectOptionsSchema, inject), observer),
            memory,
          }),
        ]),
    ...(spec.extract
      ? [withMemoryExtract<Ctx>(spec, { ...bindOptions(extractOptionsSchema, extract), memory })]
      : []),
  ];
}

function observed(
  inject: MemoryLinkOptions["inject"],
  observer: UserMemoryObserver | undefined,
): MemoryLinkOptions["inject"] {
  if (observer === undefined) return inject;
  return {
    ...inject,
    onInjected: (facts) => {
      notify(inject?.onInjected, facts);
      observer.onInjected(facts);
    },
  };
}
