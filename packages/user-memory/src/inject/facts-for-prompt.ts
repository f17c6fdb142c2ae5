import type { MiddlewareTurn, RemembersSpec } from "@jaf/core";
import type { Message } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/adapter";
import { beforeDeadline } from "../deadline.ts";
import { UserMemoryError } from "../errors.ts";
import { portable } from "../extract/user-input.ts";
import { getUserMemory } from "../global-user-memory.ts";
import { notify } from "../notify.ts";
import { type FactsPlacement, renderFacts } from "../render/render.ts";
import type { InjectSettings } from "./options.ts";

const DEFAULT_LIMIT = 5;

interface PromptSettings extends InjectSettings {
  readonly placement: FactsPlacement;
}

/** The text that a turn's prompt gets; `""` for none. Rejects with what the store rejects with, or where it takes too long. */
export async function factsForPrompt<Ctx>(
  { user, inject, tags, injectLimit: limit = DEFAULT_LIMIT, injectTokenBudget: tokenBudget }: RemembersSpec,
  { memory = getUserMemory(), timeoutMs, tokenizer, onInjected, placement }: PromptSettings,
  { said, isContinuation }: Pick<MiddlewareTurn<Ctx>, "said" | "isContinuation">,
): Promise<string> {
  if (!user || inject === false || isContinuation || memory === undefined) return "";
  const query = queryOf(said);
  if (query === "") return "";
  const wanted = { limit, ...present({ tags }) };
  const found = await beforeDeadline(
    timeoutMs,
    () => memory.recall(user, query, wanted),
    () => tookTooLong(timeoutMs),
  );
  const { text, facts } = renderFacts(found.slice(0, limit), {
    ...{ tokenBudget, tokenizer, placement },
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

/** In UTF-16 units: what a user asks stands at the beginning or at the end of what they say. */
const MAX_QUERY = 4_000;

/** What the user said, as a query: the last messages, and of a long text its beginning and its end. `""` without text. */
function queryOf(said: readonly Message[]): string {
  const texts: string[] = [];
  let room = MAX_QUERY;
  for (const message of said.toReversed()) {
    if (room <= 0) break;
    const text = withoutMiddle(messageText(message).trim(), room);
    if (text === "") continue;
    texts.unshift(text);
    room -= text.length;
  }
  return texts.join("\n");
}

function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return portable(`${text.slice(0, half)} ${text.slice(text.length - half)}`, most);
}
