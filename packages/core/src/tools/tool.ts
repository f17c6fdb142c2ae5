import type { Message, RunId, TraceId } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type * as z from "zod";
import type { ToolParts } from "../content-parts.ts";
import { type SchemaOutput, type StandardSchema, zodSchemaOf } from "../standard-schema.ts";
import type { ToolResult } from "./result.ts";

/** The turn in which a tool call is made. */
export interface ToolCallTurn {
  /** The conversation before the reply that made the call. */
  readonly messages: readonly Message[];
  /** The last consecutive user messages of the conversation. Can be empty. */
  readonly userMessages: readonly Message[];
  /**
   * The position of the first of the `userMessages` in the stored conversation, from 0. Absent: nothing is stored, or
   * `userMessages` is empty.
   */
  readonly position?: number | undefined;
  /** `RunConfig.conversationId`. */
  readonly conversationId?: string | undefined;
  /** When the run began, in milliseconds since 1970. In a resumed turn, the user's messages are older. */
  readonly startedAt: number;
}

/** Information about a call that a tool gets, in addition to the arguments and the context. */
export interface ToolCallInfo {
  /** The model's id for the call. It is unique only within one reply, because model providers reuse ids. */
  readonly toolCallId: string;
  /**
   * Identifies this call. A run that resumes after a crash passes the same key again. Pass it on to the services that
   * the tool calls (e.g. a payment service), so they don't repeat an action.
   */
  readonly idempotencyKey: string;
  /**
   * Aborted when the run is aborted, and when the tool's time limit is reached. The run doesn't wait for a tool that
   * ignores it.
   */
  readonly signal: AbortSignal;
  /** `RunState.runId`. */
  readonly runId: RunId;
  /** `RunState.traceId`. */
  readonly traceId: TraceId;
  /** The registry key of the agent that made the call. */
  readonly agentName: string;
  /** The turn in which the call is made. */
  readonly turn: ToolCallTurn;
}

/**
 * A function that the model can call. The schema `parameters` parses the arguments, so `execute` gets the parsed values
 * with defaults. (If the model calls the tool with a text instead of JSON, the schema parses the text.)
 *
 * The model gets a returned string unchanged and a {@link ToolResult} as JSON. Tools made by `createTool` can also
 * return content parts and data. If the tool throws or takes too long, the model gets an error result and can correct
 * itself (see `RunConfig.onToolError`).
 */
export type Tool<A, Ctx> = {
  /** The tool's name, description and parameters, as the model gets them. */
  readonly schema: {
    readonly name: string;
    readonly description: string;
    readonly parameters: z.ZodType<A>;
  };
  /**
   * Runs the tool. The engine always passes `call`. It is optional in the type, so tests can call a tool without it.
   */
  readonly execute: (args: A, context: Readonly<Ctx>, call?: ToolCallInfo) => Promise<string | ToolResult>;
  /**
   * Whether a call needs an approval before it runs. If it does, the run ends as `interrupted`; resume the run with
   * `RunConfig.resume.approvals`. A function decides by the arguments. It is called again when a run resumes. If the
   * function throws, the call fails as if the tool had thrown. Ignored for tools that the client runs. Default `false`.
   *
   * An approval is bound to the parsed arguments. A call that needs an approval fails in two cases:
   *
   * - Its parsed arguments contain anything but JSON values and dates.
   * - `parameters` returns different arguments each time (e.g. a random id). Create such values in `execute`.
   */
  readonly needsApproval?: boolean | ((args: A, context: Readonly<Ctx>) => boolean | Promise<boolean>);
  /**
   * The time limit of one execution, in milliseconds, from 1; `Infinity`: no limit. When the time is up, the signal is
   * aborted, and the model gets an error result with code `TIMEOUT`. A later result is ignored. Default:
   * `RunConfig.timeouts.toolMs`.
   */
  readonly timeoutMs?: number;
  /**
   * Whether a call that a crash or an abort cut off is made again when a run resumes. `false`: it isn't, and the model
   * gets an error result that says that the call may have been carried out. Only calls whose reply was stored before
   * they ran can be told from others (see durability in docs/turns.md). Default `true`, with the same
   * `ToolCallInfo.idempotencyKey`.
   */
  readonly repeatable?: boolean;
  /**
   * Fields for the tool's definition in the requests of single model providers, by the model provider's name and under the
   * service's own names, e.g. `{ anthropic: { defer_loading: true }, openai: { strict: true } }`.
   */
  readonly providerOptions?: ProviderOptions;
};

/** JSON options for single model providers, by the model provider's name. */
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Marks a tool that the client runs. Copies of the tool keep the mark. */
const CLIENT = Symbol.for("@jaf/core/client-tool");

const executeAtClient = async (): Promise<never> => {
  throw new Error("This tool runs at the client: the run is interrupted and goes on with its result.");
};

const clientSide: { readonly execute: typeof executeAtClient } = Object.freeze({
  execute: executeAtClient,
  [CLIENT]: true,
});

/**
 * Returns whether the client runs the tool. Returns `true` for a tool that lacks `execute`, too.
 *
 * @example
 * ```ts
 * import { type Agent, isClientTool } from "@jaf/core";
 *
 * declare const agent: Agent<unknown, string>;
 *
 * // The names of the tools that the browser must run.
 * export const clientTools = (agent.tools ?? []).filter(isClientTool).map(({ schema }) => schema.name);
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export const isClientTool = <Ctx>(tool: Tool<any, Ctx>): boolean =>
  CLIENT in tool || typeof tool.execute !== "function";

/**
 * What a tool can return: a text, a {@link ToolResult}, content parts ({@link ToolParts}), or data, which the model gets as
 * JSON.
 */
export type ToolReturn = string | ToolResult | ToolParts | object;

/** The input of {@link createTool}. */
export interface ToolDefinition<Schema extends StandardSchema, Ctx> {
  /** The name by which the model calls the tool. It must be unique within an agent. */
  readonly name: string;
  /** What the tool does and when to use it. The model chooses tools by this description. */
  readonly description: string;
  /**
   * The schema of the arguments: of zod, or of any library that follows Standard Schema. Describe its fields (in zod with
   * `.describe()`); the model gets the descriptions.
   */
  readonly parameters: Schema;
  /**
   * The JSON Schema (draft 2020-12) of the arguments, as the model gets it. Default: as `parameters` writes it. Required
   * for schemas of libraries that write none.
   */
  readonly jsonSchema?: object;
  /**
   * Runs the tool. Absent: the client runs the tool. The run is interrupted, and you resume it with
   * `RunConfig.resume.toolResults`.
   */
  readonly execute?: (
    args: SchemaOutput<Schema>,
    context: Readonly<Ctx>,
    call?: ToolCallInfo,
  ) => Promise<ToolReturn> | ToolReturn;
  /** Whether a call needs an approval before it runs. Default `false`; see `Tool.needsApproval`. */
  readonly needsApproval?:
    | boolean
    | ((args: SchemaOutput<Schema>, context: Readonly<Ctx>) => boolean | Promise<boolean>);
  /** The time limit of one execution, in milliseconds; see `Tool.timeoutMs`. */
  readonly timeoutMs?: number;
  /** Whether a call that a crash cut off is made again. Default `true`; see `Tool.repeatable`. */
  readonly repeatable?: boolean;
  /** Fields for the tool's definition in the requests of single model providers; see `Tool.providerOptions`. */
  readonly providerOptions?: ProviderOptions;
}

/**
 * Creates a {@link Tool}. The type of the tool's arguments is inferred from the schema. Throws a `TypeError` if
 * `parameters` isn't a schema, or if it can't write a JSON Schema and `jsonSchema` is absent.
 *
 * @example
 * ```ts
 * import { createTool } from "@jaf/core";
 * import * as z from "zod";
 *
 * export const add = createTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => String(a + b),
 * });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: a tool that names no context works with every one
export function createTool<Schema extends StandardSchema, Ctx = any>(
  definition: ToolDefinition<Schema, Ctx>,
): Tool<SchemaOutput<Schema>, Ctx> {
  const { name, description, jsonSchema, execute, needsApproval } = definition;
  const { timeoutMs, repeatable, providerOptions } = definition;
  const parameters = zodSchemaOf(definition.parameters, `Invalid parameters of tool "${name}"`, jsonSchema);
  return {
    schema: { name, description, parameters },
    // Functions are called on the definition, because the definition can be an instance of a class.
    ...(execute === undefined
      ? clientSide
      : {
          // The engine accepts every `ToolReturn`; the type of `Tool.execute` has only two of its types.
          execute: async (args: SchemaOutput<Schema>, context: Readonly<Ctx>, call?: ToolCallInfo) =>
            (await execute.call(definition, args, context, call)) as string | ToolResult,
        }),
    ...(needsApproval === undefined
      ? {}
      : {
          needsApproval: typeof needsApproval === "function" ? needsApproval.bind(definition) : needsApproval,
        }),
    ...present({ timeoutMs, repeatable, providerOptions }),
  };
}
