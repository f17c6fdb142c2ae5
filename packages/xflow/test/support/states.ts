// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of a state
import { createScriptedModel, type ScriptedStep } from "@jaf/core/testing";
import {
  AgentStateError,
  type AgentStateIssue,
  type LoadAgentStateOptions,
  loadAgentState,
} from "@jaf/xflow";

/** Returns a small state with the given fields added or replaced. */
export const stateWith = (fields: Readonly<Record<string, unknown>> = {}) => ({
  name: "Ask",
  type: "aiagent",
  agentName: "Helper",
  aiModel: "small",
  systemMessage: "Be brief.",
  userMessage: "${ .question }",
  ...fields,
});

export const yamlWith = (...lines: readonly string[]): string =>
  [
    "name: Ask",
    "type: aiagent",
    "agentName: Helper",
    "aiModel: small",
    'systemMessage: "Be brief."',
    "userMessage: '${ .question }'",
    ...lines,
  ].join("\n");

/** Loads a state with a scripted model. */
export async function loadScripted(
  state: string | object,
  script: readonly ScriptedStep<unknown>[] = ["Yes."],
  options: Partial<LoadAgentStateOptions<unknown>> = {},
) {
  const model = createScriptedModel<unknown>(script);
  return { model, state: await loadAgentState(state, { models: { small: model }, ...options }) };
}

/** Returns the issues of an invalid state. */
export async function issuesOf(
  state: string | object,
  options: Partial<LoadAgentStateOptions<unknown>> = {},
): Promise<readonly AgentStateIssue[]> {
  try {
    await loadScripted(state, [], options);
  } catch (thrown) {
    if (thrown instanceof AgentStateError) return thrown.issues;
    throw thrown;
  }
  throw new Error("The state was loaded.");
}
