import type { MiddlewareTurn, RemembersSpec } from "@jaf/core";
import { beforeDeadline } from "../deadline.ts";
import { UserMemoryError } from "../errors.ts";
import { getUserMemory } from "../global-user-memory.ts";
import { notify } from "../notify.ts";
import { type FactsPlacement, renderFacts } from "../render/render.ts";
import type { InjectSettings } from "./options.ts";
import { queryOf } from "./query.ts";

const DEFAULT_LIMIT = 5;

interface PromptSettings extends InjectSettings {
  readonly placement: FactsPlacement;
}

/** The text that a turn's prompt gets; `""` for none. Rejects with what the store rejects with, or where it takes too long. */
export async function factsForPrompt<Ctx>(
  { user, inject, tags, injectLimit: limit = DEFAULT_LIMIT, injectTokenBudget: tokenBudget }: RemembersSpec,
  { memory = getUserMemory(), timeoutMs, links, tokenizer, onInjected, placement }: PromptSettings,
  { said, isContinuation }: Pick<MiddlewareTurn<Ctx>, "said" | "isContinuation">,
): Promise<string> {
  if (!user || inject === false || isContinuation || memory === undefined) return "";
  const query = queryOf(said);
  if (query === "") return "";
  const wanted = { limit, ...(tags === undefined ? {} : { tags }) };
  const found = await beforeDeadline(
    timeoutMs,
    () => memory.recall(user, query, wanted),
    () => tookTooLong(timeoutMs),
  );
  const { text, facts } = renderFacts(found.slice(0, limit), {
    ...{ tokenBudget, tokenizer, links, placement },
  });
  if (facts.length > 0) notify(onInjected, facts);
  return text;
}

const tookTooLong = (timeoutMs: number): UserMemoryError =>
  new UserMemoryError({
    code: "unavailable",
    operation: "recall",
    message: `It took longer than ${timeoutMs} ms, so the run went on without. Look at the store, or raise timeoutMs.`,
    retryable: true,
  });
