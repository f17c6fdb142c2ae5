import type { MemoryProvider } from "@jaf/memory";
import type { RecallReason, Trust, UserFact } from "@jaf/user-memory";
import { listConversations } from "./conversation-list.ts";

const WHOSE_WORD: Readonly<Record<Trust, string>> = {
  stated: "you said so",
  confirmed: "you agreed to it",
  inferred: "concluded from what you said",
  external: "somebody else said so; it waits for your word",
};

/** By the id of each of the user's conversations, its title. */
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

interface Surroundings {
  readonly titles: ReadonlyMap<string, string>;
  /** What it took the place of. */
  readonly supersedes: readonly UserFact[];
}

/** Whose word a fact is, and where it was said. */
export function describeFact(
  { trust, status, provenance, createdAt }: UserFact,
  { titles, supersedes }: Surroundings,
): readonly string[] {
  const { conversationId = "", saidAt = createdAt, evidence } = provenance;
  const title = titles.get(conversationId);
  const place = title === undefined ? "in a conversation that is deleted" : `in "${title}"`;
  const words = evidence === undefined ? "" : `: "${evidence}"`;
  const waits = status === "quarantined" && trust !== "external" ? "; it waits for your word" : "";
  return [
    `${WHOSE_WORD[trust]}${waits}, ${saidAt.toLocaleString("sv-SE")}, ${place}${words}`,
    ...supersedes.map(({ fact }) => `in place of: ${fact}`),
  ];
}

const REASONS: Readonly<Record<RecallReason["kind"], string>> = {
  terms: "its words",
  neighbours: "what was said next to it",
  conversation: "the conversation it was said in",
  author: "who said it",
  date: "when it was said",
  meaning: "its meaning",
};

/** Why a fact is recalled, what counts most first. */
export function describeReasons(reasons: readonly RecallReason[]): readonly string[] {
  if (reasons.length === 0) return [];
  const described = reasons.map(({ kind, terms = [] }) =>
    terms.length === 0 ? REASONS[kind] : `${REASONS[kind]} (${terms.join(", ")})`,
  );
  return [`recalled by ${described.join(", ")}`];
}
