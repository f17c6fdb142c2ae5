import type { AdditionPlacement } from "../../model/additions.ts";
import type { Middleware } from "../middleware.ts";

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
