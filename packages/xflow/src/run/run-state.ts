import {
  type Agent,
  createRunId,
  createTraceId,
  generateRunId,
  type JAFError,
  type ModelProvider,
  type RunConfig,
  type RunResult,
  run,
  type Tool,
} from "@jaf/core";
import type { MemoryProvider } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type * as z from "zod";
import type { AgentStateResult, AgentStateRun } from "../agent-state.ts";
import type { LoadAgentStateOptions } from "../options.ts";
import type { AgentStateData } from "../state-file/state-file.ts";
import type { JqEvaluator } from "../template/jq.ts";
import type { FieldTemplate, StateTemplates } from "../template/state-templates.ts";
import {
  evaluateCondition,
  evaluateText,
  type TemplateError,
  templateValueError,
} from "../template/template.ts";
import { toolLimit } from "./tools.ts";

/** A validated state, with everything that its runs need. */
export interface PreparedState<Ctx> {
  readonly state: AgentStateData;
  readonly templates: StateTemplates;
  readonly tools: readonly Tool<unknown, Ctx>[];
  readonly outputCodec: z.ZodType<unknown> | undefined;
  readonly model: { readonly provider: ModelProvider<Ctx>; readonly name: string };
  readonly options: LoadAgentStateOptions<Ctx>;
  readonly jq: JqEvaluator;
}

interface EvaluatedTexts {
  readonly systemMessage: string;
  readonly userMessage: string;
  readonly memoryId: string | undefined;
}

/** Runs a state once: evaluates its templates, runs the agent, and evaluates the conditions of its outcomes. */
export async function runState<Ctx>(
  prepared: PreparedState<Ctx>,
  input: unknown,
  given: AgentStateRun<Ctx>,
): Promise<AgentStateResult> {
  if (!isJson(input)) return failed(templateValueError("input", "a JSON value"));
  const texts = await evaluateTexts(prepared, input);
  if ("_tag" in texts) return failed(texts);
  const result = await runAgent(prepared, texts, given);
  const reply = replyOf(result);
  if ("error" in reply) return { status: "error", error: reply.error, result };
  const { returnValues } = reply;
  const conversationId = texts.memoryId;
  for (const [index, { field, expression, condition, transition }] of prepared.templates.outcomes.entries()) {
    const variables = { agentOutcome: { returnValues } };
    const holds = await evaluateCondition(prepared.jq, field, { expression, input, variables });
    if (!holds.success) return { status: "error", error: holds.error, result };
    if (!holds.data) continue;
    return {
      status: "completed",
      returnValues,
      transition,
      reason: { index, condition },
      conversationId,
      result,
    };
  }
  return {
    status: "completed",
    returnValues,
    transition: undefined,
    reason: undefined,
    conversationId,
    result,
  };
}

const failed = (error: TemplateError): AgentStateResult => ({ status: "error", error });

function isJson(input: unknown): boolean {
  try {
    return JSON.stringify(input) !== undefined;
  } catch {
    return false;
  }
}

async function evaluateTexts<Ctx>(
  { templates, jq }: PreparedState<Ctx>,
  input: unknown,
): Promise<EvaluatedTexts | TemplateError> {
  const textOf = (template: FieldTemplate) => evaluateText(jq, { ...template, input });
  const systemMessage = await textOf(templates.systemMessage);
  if (!systemMessage.success) return systemMessage.error;
  const userMessage = await textOf(templates.userMessage);
  if (!userMessage.success) return userMessage.error;
  if (userMessage.data === "") return templateValueError("userMessage", "a text that isn't empty");
  const memoryId = templates.memoryId && (await textOf(templates.memoryId));
  if (memoryId?.success === false) return memoryId.error;
  return { systemMessage: systemMessage.data, userMessage: userMessage.data, memoryId: memoryId?.data };
}

function runAgent<Ctx>(
  prepared: PreparedState<Ctx>,
  texts: EvaluatedTexts,
  { userId, context, signal, runId, onEvent }: AgentStateRun<Ctx>,
): Promise<RunResult<unknown>> {
  const { state, options, model } = prepared;
  const agent: Agent<Ctx, unknown> = {
    name: state.agentName,
    instructions: texts.systemMessage,
    tools: prepared.tools,
    modelConfig: { name: model.name },
    ...present({ outputCodec: prepared.outputCodec }),
    ...(state.maxToolExecutions === undefined ? {} : { middleware: [toolLimit(state.maxToolExecutions)] }),
  };
  const config: RunConfig<Ctx> = {
    ...options.runConfig,
    agentRegistry: new Map([[state.agentName, agent]]),
    modelProvider: model.provider,
    ...present({ signal }),
    ...withObservers(options.runConfig?.onEvent, onEvent),
    ...memoryOf(prepared, texts.memoryId, userId),
  };
  const id = runId ?? generateRunId();
  return run(
    {
      runId: createRunId(id),
      traceId: createTraceId(id),
      messages: [{ role: "user", content: texts.userMessage }],
      currentAgentName: state.agentName,
      context: context ?? ({} as Ctx),
      turnCount: 0,
    },
    config,
  );
}

function withObservers<Ctx>(
  ofAll: RunConfig<Ctx>["onEvent"],
  ofThis: RunConfig<Ctx>["onEvent"],
): Pick<RunConfig<Ctx>, "onEvent"> {
  if (ofThis === undefined) return {};
  return {
    onEvent: (event) => {
      ofAll?.(event);
      ofThis(event);
    },
  };
}

function memoryOf<Ctx>(
  { state: { memory }, options: { provider, tokenizer } }: PreparedState<Ctx>,
  memoryId: string | undefined,
  userId: string | undefined,
): Pick<RunConfig<Ctx>, "memory" | "conversationId"> {
  if (memory === undefined || memoryId === undefined) return {};
  return {
    conversationId: memoryId,
    memory: {
      provider: provider as MemoryProvider,
      autoStore: true,
      window: tokenizer === undefined ? memory : { ...memory, tokenizer },
      ...present({ userId }),
    },
  };
}

/**
 * Returns the reply of a run for the state's conditions. If the output stays invalid after all repairs, or if the model
 * refuses to reply, the reply is `null`. Any other failure is an error of the run.
 */
function replyOf({
  outcome,
}: RunResult<unknown>): { readonly returnValues: unknown } | { readonly error: JAFError } {
  if (outcome.status === "completed") return { returnValues: outcome.output };
  const { error } = outcome;
  return error._tag === "DecodeError" || error._tag === "ModelRefused" ? { returnValues: null } : { error };
}
