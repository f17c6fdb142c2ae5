import type { Message, RichToolCall } from "@jaf/memory";
import { calledTool } from "@jaf/memory/internal";
import type { Agent } from "../agent.ts";
import type { InnerRunnable, Unanswered } from "../inner-runs.ts";
import { openTimeLimit, type TimeLimit, type TimeLimitError, toolLimit } from "../limits/time-limit.ts";
import { type Middleware, middlewareWith, type NextToolCall, type ToolCallRequest } from "../middleware.ts";
import type { RunScope } from "../run-scope.ts";
import { type ToolErrorCode, ToolErrorCodes, ToolResponse, type ToolResult } from "../tools/result.ts";
import type { Tool, ToolReturn } from "../tools/tool.ts";
import { type Answer, type ToolFailure, toAnswer, toolMessage, traceToolCall } from "./answer.ts";
import { type ParsedArguments, parseCall } from "./arguments.ts";
import { callInfo } from "./call-info.ts";
import { isRunByProvider, providerTool } from "./provider-tool.ts";

/** The tool calls of one reply, and the agent that made the calls. */
export interface CallBatch<Ctx> {
  /** The agent's registry key. */
  readonly agentName: string;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
  readonly context: Readonly<Ctx>;
  readonly calls: readonly RichToolCall[];
  /** All calls of the reply, also those that have a result. */
  readonly replyCalls: readonly RichToolCall[];
  /** The conversation before the reply that made the calls. */
  readonly messages: readonly Message[];
  /** Identifies the calls of this reply as a group. With the call's id, it is a call's idempotency key. */
  readonly callScope: string;
  /** The calls that an earlier run may have begun. Absent: none. */
  readonly cutOff?: ReadonlySet<RichToolCall>;
}

/** A tool call that can run now. */
export interface RunnableCall<Ctx> {
  readonly call: RichToolCall;
  /** The called tool. `undefined`: the agent has no tool with the called name. */
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly tool: Tool<any, Ctx> | undefined;
  /** The arguments that were parsed for an approval, which the tool gets. Absent: they aren't parsed yet. */
  readonly parsed?: ParsedArguments;
  /** How to run the agent of an agent tool. Absent: the tool runs no agent. */
  readonly inner?: InnerRunnable<Ctx>;
}

interface ExecutedCall {
  readonly message: Message;
  /** Why the tool failed. `undefined`: it returned a result, or the model's input was invalid. */
  readonly failure: ToolFailure | undefined;
}

/**
 * Returns the tool that answers the call; `undefined` if the agent has none. A call that the model provider runs after
 * an approval has a tool of its own, whatever the agent's tools are.
 */
export function findTool<Ctx>(
  { agent }: CallBatch<Ctx>,
  call: RichToolCall,
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
): Tool<any, Ctx> | undefined {
  if (isRunByProvider(call)) return providerTool(call);
  const { name } = calledTool(call);
  return agent.tools?.find(({ schema }) => schema.name === name);
}

/** A call that was executed, or an agent tool's call that gets no result now. `undefined`: the run was aborted. */
type Executed = ExecutedCall | Unanswered | undefined;

interface Use {
  readonly call: RichToolCall;
  readonly trace: ReturnType<typeof traceToolCall>;
}

interface ToolUse<Ctx> extends Use {
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly tool: Tool<any, Ctx>;
  readonly args: unknown;
  readonly inner: InnerRunnable<Ctx> | undefined;
}

/** Runs one tool call and resolves with the result. */
export async function executeCall<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  runnable: RunnableCall<Ctx>,
): Promise<Executed> {
  const { call, tool, inner } = runnable;
  const trace = traceToolCall(scope, call);
  // Always awaited, so the calls of a reply begin in their order.
  const parsed = await (runnable.parsed ?? parseCall(tool, call));
  trace?.start(parsed.args);
  if (isAborted(scope)) return undefined;
  if (tool?.repeatable === false && batch.cutOff?.has(call) === true)
    return executed({ call, trace }, toAnswer(CUT_OFF));
  if (tool !== undefined && parsed.ok)
    return useTool(scope, batch, { call, tool, trace, args: parsed.args, inner });
  return executed({ call, trace }, toAnswer(parsed.ok ? unknownTool(batch) : masked(scope, parsed.problem)));
}

const CUT_OFF = ToolResponse.error(
  ToolErrorCodes.EXECUTION_FAILED,
  "The call was cut off, and it may have been carried out. Find out before you make it again.",
);

async function useTool<Ctx>(
  scope: RunScope<Ctx>,
  { agentName, agent, context, callScope, messages }: CallBatch<Ctx>,
  use: ToolUse<Ctx>,
): Promise<Executed> {
  const { tool, call, args, inner } = use;
  const limit = openTimeLimit(toolLimit(scope.config, tool), scope.config.signal);
  const agentExecution = inner?.call.tool.open(scope, inner, limit.signal);
  try {
    const info = callInfo(call, { scope, agentName, callScope, messages, limit });
    const execute = (taken: unknown): Promise<ToolReturn> =>
      agentExecution === undefined ? tool.execute(taken, context, info) : agentExecution.execute(taken);
    const hooks = middlewareWith(scope.config, agent, "wrapToolCall");
    const working =
      hooks === undefined
        ? execute(args)
        : executeWrapped<Ctx>(Object.freeze({ ...info, toolName: tool.schema.name, args, context }), {
            hooks,
            limit,
            execute,
          });
    // The caller handles an abort. If the tool still finishes after an abort, its result can be stored.
    const answer = await limit.inTime(working);
    return agentExecution?.unanswered() ?? executed(use, toAnswer(answer));
  } catch (thrown) {
    if (isAborted(scope)) return undefined;
    const unanswered = agentExecution?.unanswered();
    if (unanswered !== undefined) return unanswered;
    const exceeded = limit.exceeded();
    const answer =
      exceeded === undefined
        ? failedWith(ToolErrorCodes.EXECUTION_FAILED, { text: scope.mask(messageOf(thrown)), thrown })
        : failedWith(ToolErrorCodes.TIMEOUT, { text: tookTooLong(exceeded), thrown: exceeded });
    return executed(use, answer);
  } finally {
    limit.close();
  }
}

function executed({ call, trace }: Use, answer: Answer): ExecutedCall {
  trace?.end(answer);
  return { message: toolMessage(call, answer.content), failure: answer.failure };
}

const isAborted = <Ctx>({ config }: RunScope<Ctx>): boolean => config.signal?.aborted === true;

const messageOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message : "it threw something other than an Error";

/** Masks secrets in the message of an error result. */
// A check in `Tool.schema.parameters` can have made the message.
const masked = <Ctx>({ mask }: RunScope<Ctx>, { error, ...rest }: ToolResult): ToolResult => ({
  ...rest,
  ...(error === undefined ? {} : { error: { ...error, message: mask(error.message) } }),
});

const tookTooLong = ({ timeoutMs }: TimeLimitError): string =>
  `The tool took longer than ${timeoutMs} ms and was given up. It may have finished its work all the same.`;

const failedWith = (code: ToolErrorCode, failure: ToolFailure): Answer => ({
  ...toAnswer(ToolResponse.error(code, failure.text)),
  failure,
});

function unknownTool<Ctx>({ agent }: CallBatch<Ctx>): ToolResult {
  const names = agent.tools?.map(({ schema }) => schema.name) ?? [];
  const known = names.length === 0 ? "This agent has no tools." : `The tools are: ${names.join(", ")}.`;
  return ToolResponse.error(ToolErrorCodes.TOOL_NOT_FOUND, `There is no such tool. ${known}`);
}

type Next<Ctx> = (request: ToolCallRequest<Ctx>) => Promise<ToolReturn>;

interface Wrapping<Ctx> {
  readonly hooks: readonly Middleware<Ctx>[];
  /** The time limit of the tool call, which the caller closes. */
  readonly limit: TimeLimit;
  readonly execute: (args: unknown) => Promise<ToolReturn>;
}

/** Runs a tool through the `wrapToolCall` hooks. Rejects with the errors of the hooks or the tool. */
async function executeWrapped<Ctx>(
  request: ToolCallRequest<Ctx>,
  { hooks, limit, execute }: Wrapping<Ctx>,
): Promise<ToolReturn> {
  let isOver = false;
  const run: Next<Ctx> = async ({ args }) => {
    limit.signal.throwIfAborted();
    // A call that already has a result must not run again.
    if (isOver) throw new Error("the call is over: next() was called too late");
    return execute(args);
  };
  try {
    return await hooks.reduceRight<Next<Ctx>>((next, hook) => wrappedBy(hook, next), run)(request);
  } finally {
    isOver = true;
  }
}

/** Returns a function that calls a hook with `next`. */
const wrappedBy =
  <Ctx>(hook: Middleware<Ctx>, next: Next<Ctx>): Next<Ctx> =>
  async (request) => {
    const go: NextToolCall = async (changes) =>
      next(changes === undefined ? request : Object.freeze({ ...request, args: changes.args }));
    // All middleware in this list have the hook.
    // Called as a method, because the middleware can be an instance of a class.
    return hook.wrapToolCall === undefined ? go() : hook.wrapToolCall(request, go);
  };
