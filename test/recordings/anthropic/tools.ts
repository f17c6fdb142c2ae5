import * as z from "zod";
import { createTool, type ToolReturn } from "../../../packages/core/src/index.ts";
import type { JsonObject } from "../../fakes/service.ts";
import type { AnyAgent } from "../../models/run.ts";

/** A tool that takes anything and returns the same each time. */
export const tool = (name: string, result: ToolReturn, providerOptions: JsonObject = {}) =>
  createTool({
    name,
    description: `The tool ${name}.`,
    parameters: z.looseObject({}),
    execute: () => result,
    providerOptions: { anthropic: providerOptions },
  });

/** An agent with service tools and other options of Anthropic's, and with tools of its own. */
export const agentWith = (
  anthropic: JsonObject,
  tools: Required<AnyAgent>["tools"] = [],
): Partial<AnyAgent> => ({ tools, modelConfig: { providerOptions: { anthropic } } });
