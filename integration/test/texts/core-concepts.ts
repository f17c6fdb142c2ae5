import * as core from "@jaf/core";
import { type Agent, createRunState, run } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import * as z from "zod";
import { runBlock } from "./run.ts";

export const TEXT = "4-jaf-core-concepts";

export const block = (name: string, given: object = {}, globals: object = {}) =>
  runBlock(TEXT, name, { given: { ...core, z, ...given }, globals });

export interface MyContext {
  readonly user?: { readonly name: string };
}
export type AnyAgent = Agent<MyContext, unknown>;

export const userSays = (content: string, currentAgentName: string, context: object = {}) =>
  createRunState<object>({ agentName: currentAgentName, context, messages: [{ role: "user", content }] });

/** A run of the agents with a model that gives these replies. */
export function runOf(
  agents: readonly AnyAgent[],
  replies: Parameters<typeof createScriptedModel>[0],
  rest: object = {},
) {
  const modelProvider = createScriptedModel(replies);
  const agentRegistry = new Map(agents.map((agent) => [agent.name, agent]));
  const state = userSays("Help me.", agents[0]?.name ?? "", { user: { name: "Ada" }, permissions: ["chat"] });
  return { modelProvider, result: run(state, { agentRegistry, modelProvider, ...rest }) };
}
