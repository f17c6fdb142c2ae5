import { notify } from "../errors.ts";
import { extractOptionsSchema, type MemoryExtractOptions } from "../extraction/options.ts";
import { bindOptions } from "../options.ts";
import type { Middleware, RemembersSpec, UserMemoryObserver } from "../run-types.ts";
import type { UserMemory } from "../user-memory.ts";
import { withMemoryExtract } from "./extract.ts";
import { injectOptionsSchema, type MemoryInjectOptions, withMemoryInject } from "./inject.ts";

/** Options for the middleware that connects a run with a user memory. */
export interface MemoryLinkOptions {
  /** Options for the facts that are added to the prompt. */
  readonly inject?: Omit<MemoryInjectOptions, "memory"> | undefined;
  /** Options for the extraction of facts from a turn. */
  readonly extract?: Omit<MemoryExtractOptions, "memory"> | undefined;
}

/** The value of `Agent.remembers` (`spec`), and the observer that gets the facts in the prompt. */
export interface RunDeclaration {
  readonly spec: RemembersSpec;
  readonly observer: UserMemoryObserver | undefined;
}

/**
 * Returns the middleware for `spec`, the value of `Agent.remembers`. The middleware adds facts to the prompt unless
 * `spec.inject` is `false`. It extracts facts if `spec.extract` is set.
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
