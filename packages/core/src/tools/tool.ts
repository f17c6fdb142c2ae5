import type { Message, RunId, TraceId } from "@jaf/memory";
import type * as z from "zod";
import type { ToolResult } from "./result.ts";

/** What a tool call is made for. */
export interface ToolCallTurn {
  /** The conversation up to the reply that made the call. */
  readonly messages: readonly Message[];
  /** What the user said last: their messages in a row, as they stand in the conversation. Maybe none. */
  readonly said: readonly Message[];
  /** Position of the first of `said` in the stored conversation, from 0; see `MiddlewareTurn.position`. */
  readonly position?: number | undefined;
  /** `RunConfig.conversationId`. */
  readonly conversationId?: string | undefined;
  /** When the run began, in milliseconds since 1970; the user may have said it before, where the run goes on with a turn. */
  readonly startedAt: number;
}

/** What the engine tells a tool about the call it answers. */
export interface ToolCallInfo {
  /** The model's id for the call. Providers reuse ids: unique in one reply only. */
  readonly toolCallId: string;
  /**
   * Names this call for good: a run that resumes after a crash passes the same key again. Hand it to a payment or
   * mail service, and what was done just before the crash isn't done twice.
   */
  readonly idempotencyKey: string;
  /** Aborted with the run, and when the tool's time is up. A tool that ignores it runs on, but the run doesn't wait for it. */
  readonly signal: AbortSignal;
  readonly runId: RunId;
  readonly traceId: TraceId;
  /** The key in the registry of the agent that called. */
  readonly agentName: string;
  readonly turn: ToolCallTurn;
}

/**
 * Something the model can call. Arguments are parsed by `parameters` first, so that `execute` gets its output type,
 * defaults applied; of a call whose input is text, `parameters` get that text. A string goes to the model as it is, a
 * {@link ToolResult} as JSON, and so do the parts and the data that `createTool` allows. Whatever is thrown goes to the
 * model as an error result, so that it can correct itself (see `RunConfig.onToolError`), and so does that it took too long.
 */
export type Tool<A, Ctx> = {
  readonly schema: {
    readonly name: string;
    readonly description: string;
    readonly parameters: z.ZodType<A>;
  };
  /** The engine always passes `call`; it is optional so that a test can call a tool without one. */
  readonly execute: (args: A, context: Readonly<Ctx>, call?: ToolCallInfo) => Promise<string | ToolResult>;
  /**
   * Whether somebody has to approve a call before it runs; the run then ends as `interrupted` and goes on with
   * `RunConfig.approvals`. A function decides by the arguments; if it throws, the call fails as a tool that throws. Asked
   * again when a run resumes, with a copy of the arguments that run. A call that needs an approval and whose arguments hold
   * functions or instances of classes fails, as no approval could be bound to them. Not asked for tools that run at the client, whose user decides there. Default `false`.
   */
  readonly needsApproval?: boolean | ((args: A, context: Readonly<Ctx>) => boolean | Promise<boolean>);
  /**
   * How long one execution may take, in milliseconds, from 1; `Infinity`: as long as it likes. Then its signal is aborted,
   * the model gets an error result with code `TIMEOUT`, and what the tool returns later is ignored. Default:
   * `RunConfig.toolTimeoutMs`.
   */
  readonly timeoutMs?: number;
};

/** Marks a tool that runs at the client; a copy under another name keeps the mark. */
const CLIENT = Symbol.for("@jaf/core/client-tool");

const executeAtClient = async (): Promise<never> => {
  throw new Error("This tool runs at the client: the run is interrupted and goes on with its result.");
};

export const clientSide: { readonly execute: typeof executeAtClient } = Object.freeze({
  execute: executeAtClient,
  [CLIENT]: true,
});

/** Also of tools that JavaScript made without an `execute`. */
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export const isClientTool = <Ctx>(tool: Tool<any, Ctx>): boolean =>
  CLIENT in tool || typeof tool.execute !== "function";
