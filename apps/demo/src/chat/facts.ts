import type { MemoryProvider } from "@jaf/memory";
import type { FactStatus, RecallReason, Trust, UserFact } from "@jaf/user-memory";
import type { Store } from "../storage/open-store.ts";
import { listConversations } from "./conversations.ts";

const SOURCES: Readonly<Record<Trust, string>> = {
  stated: "you said so",
  confirmed: "you agreed to it",
  inferred: "inferred from what you said",
  external: "someone else said so",
};

const STATUS: Readonly<Record<FactStatus, string>> = {
  active: "",
  quarantined: "; waits for your review",
  superseded: "; replaced by a newer fact",
};

/** The titles of the user's conversations by id. */
export async function titlesOf(
  provider: MemoryProvider,
  userId: string,
): Promise<ReadonlyMap<string, string>> {
  const listed = await listConversations(provider, userId);
  return new Map(
    listed.map(({ conversationId, metadata }) => [
      conversationId,
      String(metadata?.["title"] ?? "(untitled)"),
    ]),
  );
}

/** The user's quoted words, with the question that they answer; else the text of the fact. */
export function wordsOf({ fact, quotation }: UserFact): string {
  if (quotation === undefined) return fact;
  const { question } = quotation;
  return question === undefined ? `"${fact}"` : `asked "${question}": "${fact}"`;
}

/** Describes a fact's source, date, conversation and status. `titles`: by conversation id. */
export function describeFact(
  { trust, status, quotation, provenance, createdAt }: UserFact,
  titles: ReadonlyMap<string, string>,
): string {
  const { conversationId = "", saidAt = createdAt, evidence } = provenance;
  const title = titles.get(conversationId);
  const place = title === undefined ? "in a deleted conversation" : `in "${title}"`;
  const when = saidAt.toLocaleString("sv-SE");
  if (quotation !== undefined) {
    const how = quotation.from === "text" ? "in a text that you sent" : "you said so";
    return `${how}, ${when}, ${place}${STATUS[status]}`;
  }
  const words = evidence === undefined ? "" : `: "${evidence}"`;
  return `${SOURCES[trust]}, ${when}, ${place}${words}${STATUS[status]}`;
}

const REASONS: Readonly<Record<RecallReason["kind"], string>> = {
  terms: "its words",
  neighbours: "what was said next to it",
  conversation: "the conversation it was said in",
  author: "who said it",
  date: "when it was said",
  meaning: "its meaning",
};

/** Describes why a fact was recalled, the strongest reason first. The recall may be older than the last messages. */
export function describeReasons(reasons: readonly RecallReason[]): string {
  const described = reasons.map(({ kind, terms = [] }) =>
    terms.length === 0 ? REASONS[kind] : `${REASONS[kind]} (${terms.join(", ")})`,
  );
  return described.length === 0
    ? "recalled by its neighbours then, but no longer"
    : `recalled by ${described.join(", ")}`;
}

/** The known facts about a user, the newest first, one per line with its source. */
export async function knownFacts(
  { userMemory, provider }: Pick<Store, "userMemory" | "provider">,
  userId: string,
): Promise<readonly string[]> {
  const [facts, titles] = await Promise.all([userMemory.list(userId), titlesOf(provider, userId)]);
  return facts.map((fact) => `${wordsOf(fact)} — ${describeFact(fact, titles)}`);
}
