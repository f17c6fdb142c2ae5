import { below, pick, type Random } from "../random.ts";

const MAX_ID_LENGTH = 255;

/** Patterns, separators, markup and look-alikes. */
const HOSTILE = [
  ...["*", "%", "_", "a_", ":", "a:b", "{a}", "{a", "}", "user:a", "\\", "'", '"', "--", "__proto__", "$1"],
  ...["constructor", "null", "\u00e9", "e\u0301", "\u{1f600}", "\n", " ", "../a", "x".repeat(MAX_ID_LENGTH)],
] as const;

/** Makes an id unique to a program, so programs can share a store. The result is never longer than an id can be. */
function idIn(seed: number, id: string): string {
  const suffix = `~${seed}`;
  return id.slice(0, MAX_ID_LENGTH - suffix.length) + suffix;
}

/** A user can have the same id as a conversation. */
export function idsOf(seed: number, random: Random) {
  const ids = new Set<string>();
  const conversations = 1 + below(random, 3);
  while (ids.size < conversations + 2) ids.add(idIn(seed, pick(random, HOSTILE)));
  const all = [...ids];
  const conversationIds = all.slice(0, conversations);
  const userIds = random() < 0.3 ? [conversationIds[0] as string, ...all.slice(-1)] : all.slice(-2);
  return { conversationIds, userIds };
}
