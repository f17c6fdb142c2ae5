import { idIssue, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { AdditionPlacement, Middleware } from "./middleware.ts";

/**
 * The user memory settings of an agent: the user whose facts are recalled, and whether new facts are stored. See
 * `@jaf/user-memory`.
 */
export interface RemembersSpec {
  /** The id of the user. A falsy value means that no user is signed in: no facts are recalled or stored. */
  readonly user: string | null | undefined;
  /**
   * Whether facts are added to the prompt. `"auto"` (default): once per turn, the facts that match the user's message.
   * `false`: no facts.
   */
  readonly inject?: "auto" | false | undefined;
  /**
   * How new facts are stored after each completed turn.
   *
   * - `"verbatim"`: the user's messages are stored as quotations, without a model call.
   * - `"auto"`: a model chooses the facts to store, which takes one model call per turn.
   * - `false` (default): nothing is stored.
   */
  readonly extract?: "auto" | "verbatim" | false | undefined;
  /** The name of the model that extracts facts (e.g. a small, cheap model). Default: the agent's model. */
  readonly extractWith?: string | undefined;
  /**
   * Only facts with at least one of these tags are recalled. New facts get all of these tags. Absent: all facts are
   * recalled.
   */
  readonly tags?: readonly string[] | undefined;
  /** The maximum number of facts that are added to the prompt. Default 5. */
  readonly injectLimit?: number | undefined;
  /**
   * The maximum number of tokens for the facts in the prompt. If the facts exceed it, the least trusted facts are
   * dropped first, and among equally trusted facts those with the lowest score. Default: no limit.
   */
  readonly injectTokenBudget?: number | undefined;
  /**
   * Where the facts are placed in the prompt.
   *
   * - `"instructions"`: after the agent's instructions.
   * - `"before-newest-message"`: directly before the user's newest message, which keeps the prompt cache of the model
   *   provider valid.
   *
   * Default: `"before-newest-message"` if the agent or the run declares instructions or messages as `cacheable`, else
   * `"instructions"`.
   */
  readonly injectPlacement?: AdditionPlacement | undefined;
}

/** A {@link RemembersSpec} that a function returned, whose texts aren't checked yet. */
// If the function is a method of a class, TypeScript widens `inject: "auto"` to `string`.
type ReturnedSpec = Omit<RemembersSpec, "inject" | "extract" | "injectPlacement"> & {
  readonly inject?: string | false | undefined;
  readonly extract?: string | false | undefined;
  readonly injectPlacement?: string | undefined;
};

/** The user memory settings of an agent or a run, before they are checked. */
export type MaybeRemembers = ReturnedSpec | false | null | undefined;

/**
 * The type of `Agent.remembers`: a value, or a sync or async function that gets the context and returns the value. If
 * the value is `false` or `null`, no facts are recalled or stored.
 */
export type RemembersDeclaration<Ctx> =
  | RemembersSpec
  | ((context: Readonly<Ctx>) => MaybeRemembers | Promise<MaybeRemembers>);

/**
 * The part of a user memory that the engine uses. Every store of `@jaf/user-memory` implements it. To use your own
 * store, wrap it with `asUserMemory`.
 */
export interface RunUserMemory {
  /**
   * Returns the middleware that recalls and stores facts as `spec` says. Only its hooks `onStart` and `onFinish` are
   * called. `observer` gets the facts that are added to a prompt.
   */
  readonly middlewareFor: <Ctx>(
    spec: RemembersSpec,
    observer?: UserMemoryObserver,
  ) => readonly Middleware<Ctx>[];
}

/** Observes which facts one run adds to its prompts. */
export interface UserMemoryObserver {
  /** Called with the facts that are added to the prompt, in the prompt's order. Not called without facts. */
  readonly onInjected: (facts: readonly { readonly id: string }[]) => void;
}

const autoOrNot = z.union([z.literal("auto"), z.literal(false)], { error: 'expected "auto" or false' });

const remembersSchema = z.strictObject({
  user: z
    .unknown()
    .refine((user) => !user || idIssue("user", user) === undefined, {
      error: "expected the id of a user, or a falsy value for no user",
    })
    .optional(),
  inject: autoOrNot.optional(),
  extract: z
    .union([z.literal("auto"), z.literal("verbatim"), z.literal(false)], {
      error: 'expected "auto", "verbatim" or false',
    })
    .optional(),
  extractWith: z.string().min(1).optional(),
  tags: z.array(z.string().min(1)).optional(),
  injectLimit: z.int().min(1).optional(),
  injectTokenBudget: z.int().min(1).optional(),
  injectPlacement: z
    .enum(["instructions", "before-newest-message"], {
      error: 'expected "instructions" or "before-newest-message"',
    })
    .optional(),
});

/**
 * Returns the checked user memory settings; `undefined` if they are absent or name no user. Throws a `TypeError` that
 * names the invalid field.
 */
export function parseRemembers(declared: MaybeRemembers, what: string): RemembersSpec | undefined {
  if (!declared) return undefined;
  parseOptions(remembersSchema, declared, what);
  return declared.user ? (declared as RemembersSpec) : undefined;
}

/** The key of the user memory of the process on the global object. */
// A process can load both the ES module and the CommonJS module. `@jaf/user-memory` can set the key without importing
// the engine.
const SLOT = Symbol.for("@jaf/user-memory");

const slots = globalThis as { [SLOT]?: RunUserMemory | undefined };

const EXPECTED =
  "expected a user memory with middlewareFor(); make one of your store by asUserMemory(store) of @jaf/user-memory";

/**
 * Sets the user memory of the process, for runs and agent clients without `userMemory` in their configuration. It is
 * stored as `globalThis[Symbol.for("@jaf/user-memory")]`, like that of `setUserMemory` (`@jaf/user-memory`).
 * `undefined` removes it; without a user memory, `remembers` has no effect. Throws a `TypeError` if the value isn't a
 * {@link RunUserMemory}.
 *
 * @example
 * ```ts
 * import { type Agent, setRunUserMemory } from "@jaf/core";
 * import { MemoryUserMemory } from "@jaf/user-memory";
 *
 * setRunUserMemory(new MemoryUserMemory());
 *
 * export const support: Agent<{ userId: string }, string> = {
 *   name: "support",
 *   instructions: "You are a support agent.",
 *   remembers: ({ userId }) => ({ user: userId, extract: "auto" }),
 * };
 * ```
 */
export function setRunUserMemory(memory: RunUserMemory | undefined): void {
  slots[SLOT] = memory === undefined ? undefined : checkUserMemory(memory, "user memory");
}

/**
 * Returns the user memory of the process; `undefined` if none is set. Throws a `TypeError` if the stored value isn't a
 * user memory.
 */
export const getUserMemory = (): RunUserMemory | undefined =>
  slots[SLOT] === undefined ? undefined : checkUserMemory(slots[SLOT], "user memory of the process");

/** Returns the user memory. Throws a `TypeError` if the value isn't one. `what`: the value's name in the error. */
export function checkUserMemory(memory: RunUserMemory, what: string): RunUserMemory {
  const given: unknown = memory;
  const isOne =
    typeof given === "object" &&
    given !== null &&
    "middlewareFor" in given &&
    typeof given.middlewareFor === "function";
  if (isOne) return memory;
  throw new TypeError(`Invalid ${what}: ${EXPECTED}.`);
}
