import type { Message, RunId, TraceId } from "@jaf/memory";
import type * as z from "zod";

// The types stand without the engine, so that this package compiles where another engine, or none, is installed. The
// types of `@jaf/core` have the same names and fit; a type test checks it.

/** A request to the model of a run, outside of the conversation and without tools. */
export interface CompletionRequest {
  /** The system prompt. */
  readonly instructions: string;
  /** The messages that the model gets, oldest first. */
  readonly messages: readonly Message[];
  /** The name of the model. Default: the model of the agent. */
  readonly model?: string | undefined;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/** A turn of a run: from the user's messages to the final reply. */
export interface MiddlewareTurn<Ctx> {
  /** The state that the run begins with: the history, including the new messages. */
  readonly state: { readonly messages: readonly Message[]; readonly context: Readonly<Ctx> };
  /** The user messages that the turn answers. Can be empty. */
  readonly userMessages: readonly Message[];
  /**
   * The position of the first of the `userMessages` in the stored conversation, from 0. Absent: nothing is stored, or
   * `userMessages` is empty.
   */
  readonly position?: number | undefined;
  /** Whether the run continues an earlier turn (e.g. after an approval). */
  readonly isContinuation: boolean;
  /** The name of the agent that the turn begins with. */
  readonly agentName: string;
  /** The id of the stored conversation. */
  readonly conversationId?: string | undefined;
  /** Aborted when the run is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The parts of the prompts that the model provider can cache. */
  readonly cache?:
    | { readonly instructions?: boolean | undefined; readonly messages?: number | "all" | undefined }
    | false
    | undefined;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Calls the model once and resolves with the reply's text. Rejects if the model fails. */
  readonly complete: (request: CompletionRequest) => Promise<string>;
}

/** Hooks at the beginning and the end of a run. */
export interface Middleware<Ctx> {
  /** The middleware's name in events. */
  readonly name: string;
  /** Called before the first model call. Returns texts to add to the prompts of the turn. */
  readonly onStart?: (
    turn: MiddlewareTurn<Ctx>,
  ) => Promise<TurnAddition | undefined> | TurnAddition | undefined;
  /** Called when the run has completed and its reply is stored, with the reply. */
  readonly onFinish?: (turn: MiddlewareTurn<Ctx>, reply: Message) => Promise<void> | void;
}

/** Texts to add to the prompts of a turn. */
export interface TurnAddition {
  /** A text to append to the instructions. */
  readonly instructions?: string | undefined;
  /** A text to place directly before the user's last message. It isn't stored. */
  readonly beforeNewestMessage?: string | undefined;
}

/** The user whose facts are recalled, and whether new facts are stored. */
export interface RemembersSpec {
  /** The id of the user. A falsy value means that no user is signed in: no facts are recalled or stored. */
  readonly user: string | null | undefined;
  /** Whether facts are added to the prompt. Default `"auto"`. */
  readonly inject?: "auto" | false | undefined;
  /**
   * How new facts are stored after each completed turn. `"verbatim"`: the user's messages, as quotations. `"auto"`: a
   * model chooses the facts. `false` (default): nothing is stored.
   */
  readonly extract?: "auto" | "verbatim" | false | undefined;
  /** The name of the model that extracts facts. Default: the agent's model. */
  readonly extractWith?: string | undefined;
  /** Only facts with at least one of these tags are recalled. New facts get all of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** The maximum number of facts that are added to the prompt. Default 5. */
  readonly injectLimit?: number | undefined;
  /** The maximum number of tokens for the facts in the prompt. Default: no limit. */
  readonly injectTokenBudget?: number | undefined;
  /**
   * Where the facts are placed in the prompt. Default: `"before-newest-message"` if the prompt is cached, else
   * `"instructions"`.
   */
  readonly injectPlacement?: "instructions" | "before-newest-message" | undefined;
}

/** Observes which facts one run adds to its prompts. */
export interface UserMemoryObserver {
  /** Called with the facts that are added to the prompt, in the prompt's order. Not called without facts. */
  readonly onInjected: (facts: readonly { readonly id: string }[]) => void;
}

/** The part of a user memory that an engine uses. */
export interface RunUserMemory {
  /**
   * Returns the middleware that recalls and stores facts as `spec` says. `observer` gets the facts that are added to a
   * prompt.
   */
  readonly middlewareFor: <Ctx>(
    spec: RemembersSpec,
    observer?: UserMemoryObserver,
  ) => readonly Middleware<Ctx>[];
}

/** What a tool is told about its call, in addition to the arguments and the context. */
export interface ToolCallInfo {
  /** The model's id for the call. */
  readonly toolCallId: string;
  /** Identifies this call, also if it is repeated after a crash. */
  readonly idempotencyKey: string;
  /** Aborted when the run is aborted, and when the tool's time limit is reached. */
  readonly signal: AbortSignal;
  readonly runId: RunId;
  readonly traceId: TraceId;
  /** The name of the agent that made the call. */
  readonly agentName: string;
  /** The turn in which the call is made. */
  readonly turn: {
    /** The conversation before the reply that made the call. */
    readonly messages: readonly Message[];
    /** The last consecutive user messages of the conversation. Can be empty. */
    readonly userMessages: readonly Message[];
    /** The position of the first of the `userMessages` in the stored conversation, from 0. */
    readonly position?: number | undefined;
    /** The id of the stored conversation. */
    readonly conversationId?: string | undefined;
    /** When the run began, in milliseconds since 1970. */
    readonly startedAt: number;
  };
}

/** A function that the model can call. */
export interface Tool<A, Ctx> {
  /** The tool's name, description and parameters, as the model gets them. */
  readonly schema: {
    readonly name: string;
    readonly description: string;
    readonly parameters: z.ZodType<A>;
  };
  /** Runs the tool. The returned text is for the model. */
  readonly execute: (args: A, context: Readonly<Ctx>, call?: ToolCallInfo) => Promise<string>;
  /** Whether a call needs a person's approval before it runs. Default `false`. */
  readonly needsApproval?: boolean | ((args: A, context: Readonly<Ctx>) => boolean | Promise<boolean>);
}
