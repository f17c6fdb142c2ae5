import type { Tool, ToolCallInfo } from "@jaf/core";
import * as z from "zod";
import { callback } from "../options.ts";
import type { ErasureMark } from "../store.ts";
import type { UserMemory } from "../user-memory.ts";

type Approval<Args, Ctx> = NonNullable<Tool<Args, Ctx>["needsApproval"]>;
type Awaitable<T> = T | Promise<T>;

export interface RememberArguments {
  readonly fact: string;
  readonly evidence?: string | undefined;
}

export interface RecallArguments {
  readonly query: string;
}

export interface ForgetArguments {
  readonly id: string;
}

/** When a turn began. */
export interface TurnStart {
  /** When the user said what the turn is about. */
  readonly startedAt?: Date | undefined;
  /** Taken by `memory.mark(userId)` when the turn began. */
  readonly since?: ErasureMark | undefined;
}

export interface MemoryToolsOptions<Ctx> {
  /** Default: the user memory of the process, see `setUserMemory`. */
  readonly memory?: UserMemory | undefined;
  /** Whose facts: the application's word, never the model's. Falsy: nobody's, and the model is told so. */
  readonly user: string | ((context: Readonly<Ctx>) => Awaitable<string | null | undefined>);
  /**
   * What the user said in this turn: what the model remembers are words of theirs, as in extraction. Default: what the engine
   * says; where it doesn't run the tools, nothing can be remembered without it.
   */
  readonly said?:
    | ((context: Readonly<Ctx>, call: ToolCallInfo | undefined) => Awaitable<readonly string[]>)
    | undefined;
  /**
   * When the turn began. What the user said before `forget` or `forgetAll` isn't remembered after it. Default: when the run
   * began; then what is forgotten while an approval is waited for can be remembered again by the run that goes on.
   */
  readonly turnStart?:
    | ((context: Readonly<Ctx>, call: ToolCallInfo | undefined) => Awaitable<TurnStart | undefined>)
    | undefined;
  /** Recalls facts with at least one of these tags only, and gives them to what is remembered. */
  readonly tags?: readonly string[] | undefined;
  /** See `Tool.needsApproval`. Default: none. */
  readonly needsApproval?:
    | {
        readonly remember?: Approval<RememberArguments, Ctx>;
        readonly recall?: Approval<RecallArguments, Ctx>;
        readonly forget?: Approval<ForgetArguments, Ctx>;
      }
    | undefined;
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
