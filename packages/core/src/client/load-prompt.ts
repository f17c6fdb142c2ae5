import { openModule, withModule } from "../lazy-module.ts";
import type { ClientSettings } from "./config.ts";
import type { PromptCall } from "./parse-prompt.ts";
import type { PromptExecution } from "./prompt.ts";
import type { PromptResult } from "./prompt-result.ts";

const promptPart = openModule("prompts of agent clients", () => import("./prompt.ts"));

/** `performPrompt`, loaded by the first prompt. Rejects with a `PartLoadError`, too. */
export const loadAndPrompt = async <Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
  execution: PromptExecution,
): Promise<PromptResult<Out>> =>
  withModule(promptPart(), ({ performPrompt }) => performPrompt<Ctx, Out>(settings, call, execution));
