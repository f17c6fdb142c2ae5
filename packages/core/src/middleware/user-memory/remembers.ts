import type { AdditionPlacement } from "../../model/additions.ts";
import type { Middleware } from "../middleware.ts";

/**
 * Which user's facts an agent knows, and whether it learns new ones. Whatever user memory is given reads it; see
 * `@jaf/user-memory`.
 */
export interface RemembersSpec {
  /** Whose facts. Falsy: nobody's, so nothing is recalled and nothing is remembered. */
  readonly user: string | null | undefined;
  /** `"auto"` (default): facts that match what the user said go into the prompt, once a turn. */
  readonly inject?: "auto" | false | undefined;
  /**
   * `"verbatim"`: what the user says in each turn that completes is remembered as quotations, without a model. `"auto"`: a
   * model says what of it is worth remembering, which costs a model call a turn. Default `false`.
   */
  readonly extract?: "auto" | "verbatim" | false | undefined;
  /** The model that distils, e.g. a small one. Default: the agent's own. */
  readonly extractWith?: string | undefined;
  /** Recalls facts with at least one of these tags only, and gives them to what is distilled. */
  readonly tags?: readonly string[] | undefined;
  /** How many facts at most. Default 5. */
  readonly injectLimit?: number | undefined;
  /** How many tokens the facts may take; of the least trusted, the lowest score goes first. Default: no limit. */
  readonly injectTokenBudget?: number | undefined;
  /**
   * Where the facts stand: behind the agent's instructions, or right before what the user said last, where they spoil nothing
   * that a provider has kept of the prompt. Default: before the newest message where the agent or the call says that
   * instructions or messages are `cacheable`, else `"instructions"`.
   */
  readonly injectPlacement?: AdditionPlacement | undefined;
}

/**
 * A {@link RemembersSpec} as a function returns it: in a method of a class TypeScript takes `inject: "auto"` for any text.
 * What it really is, is checked when the function was called.
 */
type ReturnedSpec = Omit<RemembersSpec, "inject" | "extract" | "injectPlacement"> & {
  readonly inject?: string | false | undefined;
  readonly extract?: string | false | undefined;
  readonly injectPlacement?: string | undefined;
};

/** What was declared, before it is checked. */
export type MaybeRemembers = ReturnedSpec | false | null | undefined;

/** What an agent declares: a value, or a function of the context, also async. `false`, `null`: nothing. */
export type RemembersDeclaration<Ctx> =
  | RemembersSpec
  | ((context: Readonly<Ctx>) => MaybeRemembers | Promise<MaybeRemembers>);

/** What the engine asks of a user memory. Every store of `@jaf/user-memory` is one; `asUserMemory` makes one of yours. */
export interface RunUserMemory {
  /** The middleware that does what is declared, in `onStart` and `onFinish`: of these, no other hook is called. */
  readonly middlewareFor: <Ctx>(spec: RemembersSpec) => readonly Middleware<Ctx>[];
}
