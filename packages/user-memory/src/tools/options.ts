import type { Tool, ToolCallInfo } from "@jaf/core";
import * as z from "zod";
import { callback } from "../options.ts";
import type { ErasureMark } from "../store.ts";
import type { UserMemory } from "../user-memory.ts";

type Approval<Args, Ctx> = NonNullable<Tool<Args, Ctx>["needsApproval"]>;
type Awaitable<T> = T | Promise<T>;

/** The model's arguments for the remember tool. */
export interface RememberArguments {
  /** The fact in the model's words. It only helps to find the user's words. */
  readonly fact: string;
  /** The user's words that say it, copied exactly. */
  readonly evidence?: string | undefined;
}

/** The model's arguments for the recall tool. */
export interface RecallArguments {
  /** A question or a few words. */
  readonly query: string;
}

/** The model's arguments for the forget tool. */
export interface ForgetArguments {
  /** The id of the fact, from a recall. */
  readonly id: string;
}

/** The start of a turn. */
export interface TurnStart {
  /** The time of the user's message. */
  readonly startedAt?: Date | undefined;
  /** The result of `memory.mark(userId)` from the start of the turn. */
  readonly since?: ErasureMark | undefined;
}

/** For each tool, whether its calls need a person's approval, see `Tool.needsApproval`. */
export interface MemoryToolApprovals<Ctx> {
  /** For the remember tool. */
  readonly remember?: Approval<RememberArguments, Ctx>;
  /** For the recall tool. */
  readonly recall?: Approval<RecallArguments, Ctx>;
  /** For the forget tool. */
  readonly forget?: Approval<ForgetArguments, Ctx>;
}

/** Options of `createMemoryTools`. */
export interface MemoryToolsOptions<Ctx> {
  /** The store. Default: the user memory of the process, see `setUserMemory`. */
  readonly memory?: UserMemory | undefined;
  /**
   * The id of the user. Your application sets it, never the model. If it is empty, the tools do nothing and tell the model
   * so.
   */
  readonly user: string | ((context: Readonly<Ctx>) => Awaitable<string | null | undefined>);
  /**
   * Returns the user's messages in this turn. The remember tool only stores words from them, as extraction does. Default: the
   * messages from the engine. Required if the engine doesn't run the tools; otherwise nothing can be remembered.
   */
  readonly said?:
    | ((context: Readonly<Ctx>, call: ToolCallInfo | undefined) => Awaitable<readonly string[]>)
    | undefined;
  /**
   * Returns the start of the turn. Words from before a `forget` or `forgetAll` aren't remembered after it. Default: the start
   * of the run. A run that continues after an approval then remembers facts again that were forgotten in between.
   */
  readonly turnStart?:
    | ((context: Readonly<Ctx>, call: ToolCallInfo | undefined) => Awaitable<TurnStart | undefined>)
    | undefined;
  /** Only recalls facts with at least one of these tags, and adds the tags to new facts. */
  readonly tags?: readonly string[] | undefined;
  /** Which calls need a person's approval. Default: none. */
  readonly needsApproval?: MemoryToolApprovals<Ctx> | undefined;
}

export const memoryToolsSchema = z.strictObject({
  memory: z.custom<UserMemory>().optional(),
  user: z.union([z.string(), callback], {
    error: "expected the id of a user, or a function of the context",
  }),
  said: callback.optional(),
  turnStart: callback.optional(),
  tags: z.array(z.string().min(1)).readonly().optional(),
  needsApproval: z.custom<never>().optional(),
});
