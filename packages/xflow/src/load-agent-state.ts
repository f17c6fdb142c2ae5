import type { ModelProvider } from "@jaf/core";
import type * as z from "zod";
import type { AgentState } from "./agent-state.ts";
import { checkOptions, type LoadAgentStateOptions, type RegisteredModel } from "./options.ts";
import { compileSchema } from "./run/json-schema.ts";
import { runState } from "./run/run-state.ts";
import { buildTools } from "./run/tools.ts";
import { AgentStateError, type AgentStateIssue } from "./state-file/issues.ts";
import { type AgentStateData, type IssueOf, parseState } from "./state-file/state-file.ts";
import { createJqEvaluator } from "./template/jq.ts";
import { compileTemplates } from "./template/state-templates.ts";

/**
 * Loads an agent state of an xFlow workflow: one state, or a list that contains one state, as YAML, JSON or an object.
 * Validates the state's fields, expressions and schemas. Also checks that the application has the state's model and tools.
 *
 * Rejects with an `AgentStateError` that lists all problems of the state with lines and fields. Rejects with a `TypeError`
 * if an option is invalid.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { createInMemoryProvider } from "@jaf/memory";
 * import { createOpenAIProvider } from "@jaf/openai";
 * import { loadAgentState } from "@jaf/xflow";
 *
 * declare const search: (query: string) => Promise<string[]>;
 *
 * const state = await loadAgentState(await readFile("state.yaml", "utf8"), {
 *   models: { "gpt-4o": createOpenAIProvider() },
 *   tools: { SEARCH_DOCUMENTS: async ({ query }: { query: string }) => ({ documents: await search(query) }) },
 *   provider: createInMemoryProvider(),
 * });
 * const ended = await state.run({ request: { question: "What is a lease?" } }, { userId: "user-42" });
 * if (ended.status === "completed") console.log(ended.transition, ended.returnValues);
 * ```
 */
export async function loadAgentState<Ctx = unknown>(
  textOrObject: string | object,
  options: LoadAgentStateOptions<Ctx>,
): Promise<AgentState<Ctx>> {
  const limits = checkOptions(options);
  const parsed = parseState(textOrObject, limits.textLength);
  if (!parsed.ok) throw new AgentStateError(parsed.issues);
  const { state, issue } = parsed;
  const jq = createJqEvaluator(limits.jq);
  const tools = buildTools(state, options.tools ?? {}, issue);
  const output = buildOutput(state, issue);
  const model = findModel(state, options, issue);
  const { templates, issues } = await compileTemplates(state, jq, issue);
  const found = [
    ...model.issues,
    ...output.issues,
    ...missingProvider(state, options, issue),
    ...tools.issues,
    ...issues,
  ];
  if (found.length > 0 || model.value === undefined) throw new AgentStateError(found);
  const prepared = {
    state,
    templates,
    tools: tools.value,
    outputCodec: output.value,
    model: model.value,
    options,
    jq,
  };
  return Object.freeze<AgentState<Ctx>>({
    name: state.name,
    agentName: state.agentName,
    aiModel: state.aiModel,
    transitions: Object.freeze([...new Set(state.agentOutcomes.map(({ transition }) => transition))]),
    run: (input, given = {}) => runState(prepared, input, given),
  });
}

interface Found<T> {
  readonly value: T | undefined;
  readonly issues: readonly AgentStateIssue[];
}

function buildOutput({ output }: AgentStateData, issue: IssueOf): Found<z.ZodType<unknown>> {
  if (output === undefined) return { value: undefined, issues: [] };
  const compiled = compileSchema(output);
  return compiled.ok
    ? { value: compiled.schema, issues: [] }
    : { value: undefined, issues: [issue(["output"], compiled.problem)] };
}

function findModel<Ctx>(
  { aiModel }: AgentStateData,
  { models }: LoadAgentStateOptions<Ctx>,
  issue: IssueOf,
): Found<{ readonly provider: ModelProvider<Ctx>; readonly name: string }> {
  const model = Object.hasOwn(models, aiModel) ? models[aiModel] : undefined;
  if (model !== undefined) {
    return {
      value: isRegistered(model)
        ? { provider: model.provider, name: model.model ?? aiModel }
        : { provider: model, name: aiModel },
      issues: [],
    };
  }
  const names = Object.keys(models).join(", ") || "none";
  return {
    value: undefined,
    issues: [issue(["aiModel"], `expected one of options.models, which are: ${names}`)],
  };
}

const isRegistered = <Ctx>(model: ModelProvider<Ctx> | RegisteredModel<Ctx>): model is RegisteredModel<Ctx> =>
  !("getCompletion" in model);

function missingProvider<Ctx>(
  { memory }: AgentStateData,
  { provider }: LoadAgentStateOptions<Ctx>,
  issue: IssueOf,
): readonly AgentStateIssue[] {
  if (memory === undefined || provider !== undefined) return [];
  return [issue(["memory"], "a state with memory needs options.provider, where conversations are stored")];
}
