import type { UserMemory } from "../user-memory.ts";
import { isStore } from "../user-memory-guards.ts";

const UNKNOWN =
  "Nothing was forgotten: there is no fact with this id. Recall what is to be forgotten, and give its id as it stands there.";

/** Forgets a fact, if there is one. Resolves with a word to the model: what happened. */
export async function forgetFact(memory: UserMemory, userId: string, id: string): Promise<string> {
  if (isStore(memory)) {
    const { facts } = await memory.forget(userId, id);
    return facts === 0 ? UNKNOWN : "Forgotten, for good.";
  }
  const isThere = (await memory.list(userId)).some((fact) => fact.id === id);
  if (!isThere) return UNKNOWN;
  await memory.forget(userId, id);
  return "Forgotten, for good.";
}
