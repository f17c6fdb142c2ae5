import { idIssue, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { AdditionPlacement, Middleware } from "./middleware.ts";

/**
 * Which user's facts an agent knows, and whether it learns new ones. The user memory of the run interprets it; see
 * `@jaf/user-memory`.
 */
export interface RemembersSpec {
  /** The id of the user. Falsy: nobody is signed in, so nothing is recalled or remembered. */
  readonly user: string | null | undefined;
  /** `"auto"` (default): once a turn, facts that match the user's message are put into the prompt. */
  readonly inject?: "auto" | false | undefined;
  /**
   * `"verbatim"`: the user's messages of each completed turn are remembered as quotations, without a model. `"auto"`: a model
   * chooses what is worth remembering, which costs a model call per turn. Default `false`.
   */
  readonly extract?: "auto" | "verbatim" | false | undefined;
  /** The model that extracts facts, e.g. a small one. Default: the agent's own. */
  readonly extractWith?: string | undefined;
  /** Only facts with at least one of these tags are recalled, and new facts get these tags. */
  readonly tags?: readonly string[] | undefined;
  /** How many facts are put into the prompt at most. Default 5. */
  readonly injectLimit?: number | undefined;
  /** How many tokens the facts may take. Of the least trusted facts, the one with the lowest score is left out first. Default: no limit. */
  readonly injectTokenBudget?: number | undefined;
  /**
   * Where the facts are placed: after the agent's instructions, or directly before the user's newest message, where they don't
   * invalidate a provider's prompt cache. Default: before the newest message if the agent or the call declares instructions or
   * messages as `cacheable`, else `"instructions"`.
   */
  readonly injectPlacement?: AdditionPlacement | undefined;
}

/**
 * A {@link RemembersSpec} as a function returns it. In a method of a class, TypeScript widens `inject: "auto"` to `string`; the
 * value is checked after the call.
 */
type ReturnedSpec = Omit<RemembersSpec, "inject" | "extract" | "injectPlacement"> & {
  readonly inject?: string | false | undefined;
  readonly extract?: string | false | undefined;
  readonly injectPlacement?: string | undefined;
};

/** A declaration before it is checked. */
export type MaybeRemembers = ReturnedSpec | false | null | undefined;

/** An agent's declaration: a value, or a function of the context, which may be async and return `false` or `null` for nothing. */
export type RemembersDeclaration<Ctx> =
  | RemembersSpec
  | ((context: Readonly<Ctx>) => MaybeRemembers | Promise<MaybeRemembers>);

/** What the engine needs of a user memory. Every store of `@jaf/user-memory` has it; `asUserMemory` adds it to a store of yours. */
export interface RunUserMemory {
  /** The middleware for a declaration. Only its `onStart` and `onFinish` are called. */
  readonly middlewareFor: <Ctx>(spec: RemembersSpec) => readonly Middleware<Ctx>[];
}

const autoOrNot = z.union([z.literal("auto"), z.literal(false)], { error: 'expected "auto" or false' });

const remembersSchema = z.strictObject({
  user: z
    .unknown()
    .refine((user) => !user || idIssue("user", user) === undefined, {
      error: "expected the id of a user, or a falsy value for nobody",
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
 * What is to be remembered, `undefined` if nothing: where nothing is declared, and where the user is nobody. Throws a
 * `TypeError` that names the field.
 */
export function parseRemembers(declared: MaybeRemembers, what: string): RemembersSpec | undefined {
  if (!declared) return undefined;
  parseOptions(remembersSchema, declared, what);
  return declared.user ? (declared as RemembersSpec) : undefined;
}

/**
 * On the global object, so that the ES module and the CommonJS module share it, which a process may both load, and so that
 * `@jaf/user-memory` can set it without importing the engine.
 */
const SLOT = Symbol.for("@jaf/user-memory");

const slots = globalThis as { [SLOT]?: RunUserMemory | undefined };

const EXPECTED =
  "expected a user memory with middlewareFor(); make one of your store by asUserMemory(store) of @jaf/user-memory";

/**
 * Sets the user memory of the process, for every run and agent client whose configuration has no `userMemory`. `undefined` removes
 * it; then `remembers` has no effect. It is stored as `globalThis[Symbol.for("@jaf/user-memory")]`, where `setUserMemory` of
 * `@jaf/user-memory` puts any store. Throws a `TypeError` if it isn't a {@link RunUserMemory}.
 */
export function setRunUserMemory(memory: RunUserMemory | undefined): void {
  slots[SLOT] = memory === undefined ? undefined : checkUserMemory(memory, "user memory");
}

/** The user memory of the process. `undefined`: none is set. Throws a `TypeError` if something else was put there. */
export const getUserMemory = (): RunUserMemory | undefined =>
  slots[SLOT] === undefined ? undefined : checkUserMemory(slots[SLOT], "user memory of the process");

/** The user memory as it is. Throws a `TypeError` that begins with `what` for anything else. */
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
