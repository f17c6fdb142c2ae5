import * as z from "zod";
import { callback } from "../options.ts";
import type { Tool, ToolCallInfo } from "../run-types.ts";
import type { ErasureMark } from "../store.ts";
import type { UserMemory } from "../user-memory.ts";

type Approval<Args, Ctx> = NonNullable<Tool<Args, Ctx>["needsApproval"]>;
type Awaitable<T> = T | Promise<T>;

/** The arguments with which the model calls the remember tool. */
export interface RememberArguments {
  /** The fact in the model's words. These words only help to find the user's words. */
  readonly fact: string;
  /** The user's words that state the fact, copied exactly. */
  readonly evidence?: string | undefined;
}

/** The arguments with which the model calls the recall tool. */
export interface RecallArguments {
  /** What to look for: a question or a few words. */
  readonly query: string;
}

/** The arguments with which the model calls the forget tool. */
export interface ForgetArguments {
  /** The id of the fact, as the recall tool showed it. */
  readonly id: string;
}

/** When a turn started, and an erasure mark from that time. */
export interface TurnStart {
  /** When the user sent the message of the turn. */
  readonly startedAt?: Date | undefined;
  /** The mark that `memory.mark(userId)` returned at the start of the turn. */
  readonly since?: ErasureMark | undefined;
}

/** Which calls of each tool need a person's approval, see `Tool.needsApproval`. */
export interface MemoryToolApprovals<Ctx> {
  /** Which calls of the remember tool need approval. */
  readonly remember?: Approval<RememberArguments, Ctx>;
  /** Which calls of the recall tool need approval. */
  readonly recall?: Approval<RecallArguments, Ctx>;
  /** Which calls of the forget tool need approval. */
  readonly forget?: Approval<ForgetArguments, Ctx>;
}

/** Options of `createMemoryTools`. */
export interface MemoryToolsOptions<Ctx> {
  /** The user memory that the tools use. Default: the user memory of the process, see `setUserMemory`. */
  readonly memory?: UserMemory | undefined;
  /**
   * The id of the user, or a function that returns it. Your application sets the user, never the model. If there is no
   * user id, the tools do nothing and tell the model so.
   */
  readonly user: string | ((context: Readonly<Ctx>) => Awaitable<string | null | undefined>);
  /**
   * Returns the user's messages in this turn. The remember tool only stores words from these messages. Default: the
   * user's messages that the engine passes to the tool. Set this option if you run the tools without the engine.
   */
  readonly said?:
    | ((context: Readonly<Ctx>, call: ToolCallInfo | undefined) => Awaitable<readonly string[]>)
    | undefined;
  /**
   * Returns when the turn started. Words from the turn can't bring back a fact that was forgotten after this time.
   * Default: the start of the run. A run that continues after an approval starts after the wait for the approval, so by
   * default it can remember facts that were forgotten during the wait.
   */
  readonly turnStart?:
    | ((context: Readonly<Ctx>, call: ToolCallInfo | undefined) => Awaitable<TurnStart | undefined>)
    | undefined;
  /**
   * The recall tool only returns facts with at least one of these tags. The remember tool adds these tags to new facts.
   */
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
