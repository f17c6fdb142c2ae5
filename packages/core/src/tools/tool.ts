import type { Message, RunId, TraceId } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type * as z from "zod";
import type { ToolParts } from "../content-parts.ts";
import type { ToolResult } from "./result.ts";

/** The turn in which a tool call is made. */
export interface ToolCallTurn {
  /** The conversation up to the reply that made the call. */
  readonly messages: readonly Message[];
  /** The user's last consecutive messages, as they are in the conversation. May be empty. */
  readonly userMessages: readonly Message[];
  /** The position of the first message of `userMessages` in the stored conversation, from 0; see `MiddlewareTurn.position`. */
  readonly position?: number | undefined;
  /** `RunConfig.conversationId`. */
  readonly conversationId?: string | undefined;
  /** When the run began, in milliseconds since 1970. If the run resumes a turn, the user's messages are older. */
  readonly startedAt: number;
}

/** What a tool gets about its call, in addition to the arguments. */
export interface ToolCallInfo {
  /** The model's id for the call. It is unique only within one reply: providers reuse ids. */
  readonly toolCallId: string;
  /**
   * Identifies this call: a run that resumes after a crash passes the same key again. Pass it to e.g. a payment or mail service, so
   * that what was done just before the crash isn't done twice.
   */
  readonly idempotencyKey: string;
  /** Aborted with the run, and when the tool's time limit is reached. The run doesn't wait for a tool that ignores it. */
  readonly signal: AbortSignal;
  readonly runId: RunId;
  readonly traceId: TraceId;
  /** The registry key of the agent that made the call. */
  readonly agentName: string;
  readonly turn: ToolCallTurn;
}

/**
 * A function that the model can call. `parameters` parses the arguments first, so `execute` gets the schema's output, with
 * defaults; of a custom call, whose input is text, `parameters` parses that text. The model gets a returned string unchanged and a
 * {@link ToolResult} as JSON; `createTool` also allows parts and data. If the tool throws or takes too long, the model gets an
 * error result, so that it can correct itself (see `RunConfig.onToolError`).
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
   * Whether somebody has to approve a call before it runs. Then the run ends as `interrupted` and is resumed with
   * `RunConfig.resume.approvals`. A function decides by the arguments; if it throws, the call fails as if the tool had thrown. It is called
   * again when a run resumes, with a copy of the arguments that run. A call that needs an approval fails if its parsed arguments
   * hold anything but JSON values and dates, or if `parameters` makes others each time, e.g. a random id: no approval can be bound
   * to them. Make such values in `execute`. Ignored for tools that the client runs, where the user decides. Default `false`.
   */
  readonly needsApproval?: boolean | ((args: A, context: Readonly<Ctx>) => boolean | Promise<boolean>);
  /**
   * How long one execution may take, in milliseconds, from 1; `Infinity`: no limit. Then its signal is aborted, the model gets an
   * error result with code `TIMEOUT`, and what the tool returns later is ignored. Default: `RunConfig.timeouts.toolMs`.
   */
  readonly timeoutMs?: number;
};

/** Marks a tool that the client runs. A copy under another name keeps the mark. */
const CLIENT = Symbol.for("@jaf/core/client-tool");

const executeAtClient = async (): Promise<never> => {
  throw new Error("This tool runs at the client: the run is interrupted and goes on with its result.");
};

const clientSide: { readonly execute: typeof executeAtClient } = Object.freeze({
  execute: executeAtClient,
  [CLIENT]: true,
});

/** Whether the client runs the tool; also if plain JavaScript left out `execute`. */
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export const isClientTool = <Ctx>(tool: Tool<any, Ctx>): boolean =>
  CLIENT in tool || typeof tool.execute !== "function";

/** What a tool may return: text, a {@link ToolResult}, parts, or data, which the model gets as JSON. */
export type ToolReturn = string | ToolResult | ToolParts | object;

export interface ToolDefinition<Schema extends z.ZodType, Ctx> {
  readonly name: string;
  /** What the tool does and when to use it. The model chooses tools by it. */
  readonly description: string;
  readonly parameters: Schema;
  /** Absent: the client runs the tool. The run is interrupted and resumed with `RunConfig.resume.toolResults`. */
  readonly execute?: (
    args: z.output<Schema>,
    context: Readonly<Ctx>,
    call?: ToolCallInfo,
  ) => Promise<ToolReturn> | ToolReturn;
  /** See `Tool.needsApproval`. */
  readonly needsApproval?:
    | boolean
    | ((args: z.output<Schema>, context: Readonly<Ctx>) => boolean | Promise<boolean>);
  /** See `Tool.timeoutMs`. */
  readonly timeoutMs?: number;
}

/**
 * Creates a {@link Tool} whose argument type is inferred from its schema.
 *
 * @example
 * const add = createTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => String(a + b),
 * });
 */
// biome-ignore lint/suspicious/noExplicitAny: a tool that names no context works with every one
export function createTool<Schema extends z.ZodType, Ctx = any>(
  definition: ToolDefinition<Schema, Ctx>,
): Tool<z.output<Schema>, Ctx> {
  const { name, description, parameters, execute, needsApproval, timeoutMs } = definition;
  return {
    schema: { name, description, parameters: parameters as z.ZodType<z.output<Schema>> },
    // Functions are called on the definition, which may be an instance of a class.
    ...(execute === undefined
      ? clientSide
      : {
          // The engine accepts all of `ToolReturn`; the type of `Tool.execute` has only these two.
          execute: async (args: z.output<Schema>, context: Readonly<Ctx>, call?: ToolCallInfo) =>
            (await execute.call(definition, args, context, call)) as string | ToolResult,
        }),
    ...(needsApproval === undefined
      ? {}
      : {
          needsApproval: typeof needsApproval === "function" ? needsApproval.bind(definition) : needsApproval,
        }),
    ...present({ timeoutMs }),
  };
}
