import { idIssue, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { AdditionPlacement, Middleware } from "./middleware.ts";

/**
 * Declares the user whose facts an agent recalls, and whether it stores new ones. The run's user memory interprets it; see
 * `@jaf/user-memory`.
 */
export interface RemembersSpec {
  /** The id of the user. Falsy: no user is signed in, so no facts are recalled or stored. */
  readonly user: string | null | undefined;
  /** `"auto"` (default): once per turn, facts that match the user's message are added to the prompt. */
  readonly inject?: "auto" | false | undefined;
  /**
   * `"verbatim"`: the user's messages of each completed turn are stored as quotations, without a model call. `"auto"`: a model
   * chooses the facts to store, which takes one model call per turn. Default `false`.
   */
  readonly extract?: "auto" | "verbatim" | false | undefined;
  /** The name of the model that extracts facts, e.g. a small one. Default: the agent's model. */
  readonly extractWith?: string | undefined;
  /** Only facts with at least one of these tags are recalled. New facts get all of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** The maximum number of facts in the prompt. Default 5. */
  readonly injectLimit?: number | undefined;
  /**
   * The maximum number of tokens for the facts. Over budget, the least trusted facts are dropped first, among them those with
   * the lowest score. Default: no limit.
   */
  readonly injectTokenBudget?: number | undefined;
  /**
   * Where the facts are placed: after the agent's instructions, or directly before the user's newest message, which keeps the
   * provider's prompt cache valid. Default: before the newest message if the agent or the call declares instructions or
   * messages as `cacheable`, else `"instructions"`.
   */
  readonly injectPlacement?: AdditionPlacement | undefined;
}

/**
 * A {@link RemembersSpec} returned by a function. TypeScript widens `inject: "auto"` to `string` in a method of a class, so the
 * value is checked after the call.
 */
type ReturnedSpec = Omit<RemembersSpec, "inject" | "extract" | "injectPlacement"> & {
  readonly inject?: string | false | undefined;
  readonly extract?: string | false | undefined;
  readonly injectPlacement?: string | undefined;
};

/** A declaration before it is checked. */
export type MaybeRemembers = ReturnedSpec | false | null | undefined;

/** An agent's declaration: a value, or a sync or async function of the context. `false` or `null` means none. */
export type RemembersDeclaration<Ctx> =
  | RemembersSpec
  | ((context: Readonly<Ctx>) => MaybeRemembers | Promise<MaybeRemembers>);

/**
 * The part of a user memory that the engine uses. Every store of `@jaf/user-memory` implements it. For your own store, use
 * `asUserMemory`.
 */
export interface RunUserMemory {
  /** Returns the middleware for a declaration. Only `onStart` and `onFinish` are called. */
  readonly middlewareFor: <Ctx>(
    spec: RemembersSpec,
    observer?: UserMemoryObserver,
  ) => readonly Middleware<Ctx>[];
}

/** Observes the user memory of a run. The server's turn records list the facts. */
export interface UserMemoryObserver {
  /** Called with the facts in the prompt, in order, if there are any. */
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
 * Returns the parsed declaration; `undefined` if there is none or it has no user. Throws a `TypeError` that names the invalid
 * field.
 */
export function parseRemembers(declared: MaybeRemembers, what: string): RemembersSpec | undefined {
  if (!declared) return undefined;
  parseOptions(remembersSchema, declared, what);
  return declared.user ? (declared as RemembersSpec) : undefined;
}

/**
 * A key on the global object. It is shared by the ES module and the CommonJS module, because a process can load both, and lets
 * `@jaf/user-memory` set it without importing the engine.
 */
const SLOT = Symbol.for("@jaf/user-memory");

const slots = globalThis as { [SLOT]?: RunUserMemory | undefined };

const EXPECTED =
  "expected a user memory with middlewareFor(); make one of your store by asUserMemory(store) of @jaf/user-memory";

/**
 * Sets the user memory of the process. Runs and agent clients without `userMemory` in their configuration use it. `undefined`
 * removes it; then `remembers` has no effect. It is stored as `globalThis[Symbol.for("@jaf/user-memory")]`, like the store of
 * `setUserMemory` of `@jaf/user-memory`. Throws a `TypeError` if it isn't a {@link RunUserMemory}.
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
 * Returns the user memory of the process, or `undefined` if none is set. Throws a `TypeError` if the value isn't a user memory.
 */
export const getUserMemory = (): RunUserMemory | undefined =>
  slots[SLOT] === undefined ? undefined : checkUserMemory(slots[SLOT], "user memory of the process");

/** Returns the user memory. Throws a `TypeError` that begins with `what` for any other value. */
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
