import { parseOptions, present } from "@jaf/memory/internal";
import * as z from "zod";
import type { Agent } from "../agent.ts";
import type { UserPart } from "../content-parts.ts";
import { AGENT, type AgentTool } from "../inner-runs.ts";
import { functionSchema } from "../middleware.ts";
import { type SchemaOutput, type StandardSchema, zodSchemaOf } from "../standard-schema.ts";
import { ToolErrorCodes, ToolResponse } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";
import { openAgentExecution } from "./agent-execution.ts";
import { begunRun } from "./inner-runs.ts";

const taskSchema = z.object({
  task: z
    .string()
    .min(1)
    .describe(
      "What the agent should do, with everything that it has to know: it doesn't see this conversation",
    ),
});

/** The arguments of a tool that `asTool` makes without `parameters`. */
export type AgentToolArguments = z.output<typeof taskSchema>;

/** The options of {@link asTool}. */
export interface AgentToolOptions<Ctx, Schema extends StandardSchema = typeof taskSchema> {
  /** The name of the tool. Default: the agent's name. */
  readonly name?: string;
  /** What the agent can do and when to ask it. The model chooses tools by this description. */
  readonly description: string;
  /** The schema of the arguments. Default: {@link AgentToolArguments}, whose `task` is what the agent is asked. */
  readonly parameters?: Schema;
  /** Returns what the agent is asked, as the text or the parts of one user message. Default: the arguments as JSON. */
  readonly input?: (args: SchemaOutput<Schema>) => string | readonly UserPart[];
  /**
   * What the agent remembers of earlier calls.
   *
   * - `"call"` (default): nothing. Each call is a conversation of its own.
   * - `"conversation"`: the earlier calls in the same conversation of the outer agent. Calls of one reply then run one
   *   after the other. Needs `memory.autoStore`.
   */
  readonly memory?: "call" | "conversation";
  /**
   * Divides what the agent remembers: with `memory: "conversation"`, it remembers only the earlier calls with the same
   * key, e.g. those about the same order. Default: all calls of the conversation.
   */
  readonly key?: (args: SchemaOutput<Schema>, context: Readonly<Ctx>) => string;
  /** The agents that the agent can hand off to, by their registry keys, beside those of the run's registry. */
  // biome-ignore lint/suspicious/noExplicitAny: agents differ in their output
  readonly agents?: ReadonlyMap<string, Agent<Ctx, any>>;
  /** The maximum number of steps of one call. Default: `RunConfig.maxTurns`. */
  readonly maxTurns?: number;
  /** Whether a call of the agent needs an approval; see `Tool.needsApproval`. The agent's own tools ask on their own. */
  readonly needsApproval?:
    | boolean
    | ((args: SchemaOutput<Schema>, context: Readonly<Ctx>) => boolean | Promise<boolean>);
  /** The time limit of one call, in milliseconds. Default: none, since each model call and tool in it has its own. */
  readonly timeoutMs?: number;
}

const optionsSchema = z.strictObject({
  name: z.string().min(1).optional(),
  description: z.string(),
  parameters: z.unknown().optional(),
  input: functionSchema.optional(),
  memory: z.enum(["call", "conversation"]).optional(),
  key: functionSchema.optional(),
  agents: z.instanceof(Map).optional(),
  maxTurns: z.number().min(1).optional(),
  needsApproval: z.unknown().optional(),
  timeoutMs: z.unknown().optional(),
});

const outsideOfRun = async () =>
  ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, "An agent only runs as a tool inside a run.");

/**
 * Makes a tool of an agent, so another agent can ask it and go on with its answer (unlike a handoff, after which the
 * other agent has the conversation).
 *
 * The inner run has the outer run's model provider, context, budget, abort signal and time limits. Its conversation is
 * a child of the outer one: it belongs to the same user, is in no list, and is erased with the outer one. It is stored
 * with the same durability, but with `"turn"` if the outer one has `"completed"`. If one of its tools needs an approval
 * or runs at the client, the outer run is interrupted, and decisions and results that are passed to the outer run reach
 * it. Its events come as `inner_event`.
 *
 * The agent sees only what the call says. If it fails, the model of the outer agent gets an error result. Throws a
 * `TypeError` if an option is invalid.
 *
 * @example
 * ```ts
 * import { type Agent, asTool } from "@jaf/core";
 *
 * const lawyer: Agent<object, string> = { name: "lawyer", instructions: "You know the law of contracts." };
 *
 * export const clerk: Agent<object, string> = {
 *   name: "clerk",
 *   instructions: "Answer the customer. Ask the lawyer about contracts.",
 *   tools: [asTool(lawyer, { description: "Answers questions about contracts", memory: "conversation" })],
 * };
 * ```
 */
export function asTool<Ctx, Out, Schema extends StandardSchema = typeof taskSchema>(
  agent: Agent<Ctx, Out>,
  options: AgentToolOptions<Ctx, Schema>,
): Tool<SchemaOutput<Schema>, Ctx> {
  const { parameters, memory, key, needsApproval, timeoutMs = Number.POSITIVE_INFINITY } = options;
  const { name = agent.name, description } = parseOptions(optionsSchema, options, "options of asTool()");
  const ran: AgentTool<Ctx> = {
    agent,
    agents: options.agents ?? new Map(),
    thread: (args, context) => {
      if (memory !== "conversation") return undefined;
      const name: unknown = key === undefined ? "" : key(args as SchemaOutput<Schema>, context);
      if (typeof name !== "string") throw new TypeError("the key of asTool() returned no text");
      return JSON.stringify([agent.name, name]);
    },
    input: (args) => {
      const asked = options.input?.(args as SchemaOutput<Schema>);
      return asked ?? (parameters === undefined ? (args as AgentToolArguments).task : JSON.stringify(args));
    },
    maxTurns: options.maxTurns,
    begun: begunRun,
    open: openAgentExecution,
  };
  return Object.freeze({
    schema: {
      name,
      description,
      // Without `parameters`, `Schema` is the type of `taskSchema`.
      parameters: zodSchemaOf((parameters ?? taskSchema) as Schema, `Invalid parameters of tool "${name}"`),
    },
    execute: outsideOfRun,
    timeoutMs,
    ...present({ needsApproval }),
    [AGENT]: ran,
  });
}
