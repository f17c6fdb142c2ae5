import type { Agent } from "../agent.ts";
import type { RunConfig } from "../config.ts";
import type { Tool } from "../tools/tool.ts";
import type { Limit } from "./time-limit.ts";

const DEFAULT_MODEL_MS = 600_000;
const DEFAULT_MODEL_IDLE_MS = 300_000;
const DEFAULT_TOOL_MS = 600_000;

export const TIME_LIMIT = "a whole number of milliseconds from 1, or Infinity";

export const isTimeLimit = (value: unknown): boolean =>
  value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 1);

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type AnyAgent<Ctx> = Agent<Ctx, any>;
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** What is wrong with those of an agent and of its tools. */
export function agentLimitFault<Ctx>({
  modelConfig,
  tools = [],
}: Pick<AnyAgent<Ctx>, "modelConfig" | "tools">): string | undefined {
  const isWrong = (value: unknown) => value !== undefined && !isTimeLimit(value);
  if (isWrong(modelConfig?.timeoutMs)) return `modelConfig.timeoutMs: expected ${TIME_LIMIT}`;
  const tool = tools.find(({ timeoutMs }) => isWrong(timeoutMs));
  return tool && `timeoutMs of its tool "${tool.schema.name}": expected ${TIME_LIMIT}`;
}

/** Of one attempt of a model call. */
export function modelLimit<Ctx>({ timeouts }: RunConfig<Ctx>, { modelConfig }: AnyAgent<Ctx>): Limit {
  return modelConfig?.timeoutMs === undefined
    ? { timeoutMs: timeouts?.modelMs ?? DEFAULT_MODEL_MS, option: "RunConfig.timeouts.modelMs" }
    : { timeoutMs: modelConfig.timeoutMs, option: "Agent.modelConfig.timeoutMs" };
}

/** Of the time until the next piece of a stream. */
export const modelIdleLimit = <Ctx>({ timeouts }: RunConfig<Ctx>): Limit => ({
  timeoutMs: timeouts?.modelIdleMs ?? DEFAULT_MODEL_IDLE_MS,
  option: "RunConfig.timeouts.modelIdleMs",
});

/** Of one execution of a tool. */
export function toolLimit<Ctx>({ timeouts }: RunConfig<Ctx>, { timeoutMs }: AnyTool<Ctx>): Limit {
  return timeoutMs === undefined
    ? { timeoutMs: timeouts?.toolMs ?? DEFAULT_TOOL_MS, option: "RunConfig.timeouts.toolMs" }
    : { timeoutMs, option: "Tool.timeoutMs" };
}
